"""A framework's event loop in a thread of its own, beside the worker, which answers what the framework asks.

Frameworks are asynchronous and the database is not: questions come over a queue into the thread that may use it.
"""

from __future__ import annotations

import asyncio
import importlib
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, ClassVar, Self, TypeVar

from agents.frameworks.contract import Ask, Brief, FrameworkFailed, FrameworkMissing, Interrupted, Question, Reply

Result = TypeVar("Result")
AskLater = Callable[[Question], Awaitable[Reply]]
_LOOKS_EVERY_S = 0.1
# A framework that takes no notice of being cancelled is left behind: its thread can ask nothing any more.
_LETS_GO_S = 5.0
_MOST_WORDS = 500


class Beside:
    """Runs one coroutine at a time; `interrupt` ends it from any thread."""

    def __init__(self, ask: Ask, framework: str) -> None:
        self._ask, self._framework = ask, framework
        self._interrupted = threading.Event()

    def interrupt(self) -> None:
        """End what runs, and let nothing begin."""
        self._interrupted.set()

    def run(self, make: Callable[[AskLater], Coroutine[Any, Any, Result]]) -> Result:
        """What the coroutine comes to. Raises Interrupted, FrameworkFailed, and whatever `ask` raises, at once."""
        running = _Running(make)
        try:
            while not running.is_over:
                if self._interrupted.is_set():
                    raise Interrupted(f"{self._framework} was interrupted")
                running.serve(self._ask, _LOOKS_EVERY_S)
        finally:
            running.end()
        try:
            return running.result()
        except asyncio.CancelledError as error:
            raise FrameworkFailed(f"{self._framework} cancelled itself") from error
        except Exception as error:  # frameworks raise whatever their authors thought of
            said = " ".join(str(error).split())[:_MOST_WORDS]
            raise FrameworkFailed(f"{self._framework} raised {type(error).__name__}: {said}") from error


class InProcess:
    """An agent of a framework that is installed beside mindX. It holds nothing between two turns."""

    name: ClassVar[str]
    # What people call it, and the module whose import shows that it is there.
    title: ClassVar[str]
    package: ClassVar[str]

    def __init__(self, brief: Brief, ask: Ask) -> None:
        self._brief, self._beside = brief, Beside(ask, self.title)

    @classmethod
    def create(cls, brief: Brief, ask: Ask) -> Self:
        """Make the agent. Raises FrameworkMissing."""
        try:
            importlib.import_module(cls.package)  # takes up to a second, so only here
        except ImportError as error:
            raise FrameworkMissing(str(error)) from error
        return cls(brief, ask)

    def interrupt(self) -> None:
        """End the run."""
        self._beside.interrupt()

    def close(self) -> None:
        """It holds nothing."""


def _give(answer: asyncio.Future[Reply], reply: Reply) -> None:
    """In the loop's own thread. Who asked may have been cancelled meanwhile."""
    if not answer.done():
        answer.set_result(reply)


class _Running:
    """The thread, its loop, and the questions between it and whoever serves them."""

    def __init__(self, make: Callable[[AskLater], Coroutine[Any, Any, Any]]) -> None:
        self._make = make
        self._questions: queue.Queue[tuple[Question, asyncio.Future[Reply]] | None] = queue.Queue()
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[Any] | None = None
        self._over = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="framework", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    def serve(self, ask: Ask, patience_s: float) -> None:
        """Answer one question, if one comes."""
        try:
            asked = self._questions.get(timeout=patience_s)
        except queue.Empty:
            return
        if asked is None:
            return
        question, answer = asked
        reply = ask(question)
        self._loop.call_soon_threadsafe(_give, answer, reply)

    def end(self) -> None:
        """Cancel what still runs, and wait a little for it."""
        self._closed = True
        if not self.is_over:
            self._loop.call_soon_threadsafe(self._cancel)
        self._thread.join(_LETS_GO_S)

    def result(self) -> Any:
        assert self._task is not None  # noqa: S101  # it is over
        return self._task.result()

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _later(self, question: Question) -> Reply:
        if self._closed:
            raise asyncio.CancelledError
        answer: asyncio.Future[Reply] = self._loop.create_future()
        self._questions.put((question, answer))
        return await answer

    def _run(self) -> None:
        try:
            asyncio.set_event_loop(self._loop)
            self._task = self._loop.create_task(self._make(self._later))
            self._loop.run_until_complete(asyncio.wait([self._task]))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            self._over.set()
            self._questions.put(None)
            self._loop.close()
