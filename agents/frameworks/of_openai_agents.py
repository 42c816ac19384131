"""The OpenAI Agents SDK: its pins and LiteLLM's cannot be met together, so it has an environment and a process.

The process gets no secret of mindX and no address of a model: what its model is asked comes back over its output, and
mindX asks. Its run state, which its own interruptions are made for, is the checkpoint.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Self

from django.conf import settings

from agents.frameworks.contract import (
    Answered,
    Ask,
    Brief,
    Call,
    Finished,
    FrameworkFailed,
    FrameworkMissing,
    Interrupted,
    Json,
    Offered,
    Outcome,
    Question,
    Reply,
    Said,
    Waits,
)

_PROGRAM = Path(__file__).with_name("openai_agents_process.py")
_LOOKS_EVERY_S = 0.1
_ENDS_S = 5.0
# A run state holds the whole conversation.
_MOST_CHARS = 50_000_000
# What the process sees of ours: no key, no address, no name of a database.
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR")


def python() -> Path:
    """The Python of the SDK's environment."""
    return Path(settings.OPENAI_AGENTS_PYTHON)


def is_there() -> bool:
    """Whether the SDK's environment was made."""
    return any(python().parent.parent.glob("lib/python3*/site-packages/openai_agents-*"))


class OpenAIAgents:
    """An agent of the OpenAI Agents SDK."""

    name: ClassVar[str] = "openai_agents"

    def __init__(self, brief: Brief, ask: Ask) -> None:
        self._brief, self._ask = brief, ask
        self._interrupted = threading.Event()
        self._process: subprocess.Popen[str] | None = None

    @classmethod
    def create(cls, brief: Brief, ask: Ask) -> Self:
        """Make the agent. Raises FrameworkMissing."""
        if not is_there():
            raise FrameworkMissing(f"there is no OpenAI Agents SDK in {python().parent.parent}")
        return cls(brief, ask)

    def run(self) -> Outcome:
        """Begin with the task."""
        return self._work(None, ())

    def resume(self, checkpoint: Json, answered: Sequence[Answered]) -> Outcome:
        """Go on from its run state."""
        return self._work(checkpoint, answered)

    def interrupt(self) -> None:
        """End the run."""
        self._interrupted.set()

    def close(self) -> None:
        """End its process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait(_ENDS_S)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _work(self, checkpoint: Json, answered: Sequence[Answered]) -> Outcome:
        lines = self._begin()
        self._tell(
            {
                "task": self._brief.task,
                "tools": [
                    {"name": one.name, "description": one.description, "schema": dict(one.schema)}
                    for one in self._brief.tools
                ],
                "most_steps": self._brief.most_steps,
                "checkpoint": checkpoint,
                "answered": [{"id": one.call.id, "text": _result(one)} for one in answered],
            }
        )
        try:
            while True:
                said = self._next(lines)
                if "ask" not in said:
                    return _outcome(said)
                self._tell({"reply": _plain(self._ask(_question(said["ask"])))})
        finally:
            self.close()

    def _begin(self) -> queue.Queue[str | None]:
        """Start the process; its lines come from a thread, so that an interruption need not wait for one."""
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        process = subprocess.Popen(
            [str(python()), "-I", str(_PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**environment, "OPENAI_AGENTS_DISABLE_TRACING": "1"},
            text=True,
            encoding="utf-8",
        )
        self._process = process
        lines: queue.Queue[str | None] = queue.Queue()

        def read() -> None:
            assert process.stdout is not None  # noqa: S101  # it is a pipe
            with suppress(ValueError, OSError):
                while line := process.stdout.readline(_MOST_CHARS):
                    lines.put(line)
            lines.put(None)

        threading.Thread(target=read, name="openai-agents", daemon=True).start()
        return lines

    def _tell(self, what: Mapping[str, Any]) -> None:
        assert self._process is not None  # noqa: S101  # it was begun
        assert self._process.stdin is not None  # noqa: S101  # it is a pipe
        try:
            self._process.stdin.write(json.dumps(what) + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise FrameworkFailed(f"the process of the OpenAI Agents SDK ended: {error}") from error

    def _next(self, lines: queue.Queue[str | None]) -> Mapping[str, Any]:
        while True:
            if self._interrupted.is_set():
                raise Interrupted("the OpenAI Agents SDK was interrupted")
            try:
                line = lines.get(timeout=_LOOKS_EVERY_S)
            except queue.Empty:
                continue
            if line is None:
                raise FrameworkFailed("the process of the OpenAI Agents SDK ended without a word")
            try:
                said = json.loads(line)
            except ValueError as error:
                raise FrameworkFailed("the process of the OpenAI Agents SDK wrote what is no JSON") from error
            if not isinstance(said, dict):
                raise FrameworkFailed("the process of the OpenAI Agents SDK wrote what is no object")
            return said


def _result(one: Answered) -> str:
    """What the SDK's model reads; its protocol has no mark of its own for a call that failed."""
    return json.dumps({"failed": one.text}) if one.failed else one.text


def _question(asked: Mapping[str, Any]) -> Question:
    messages = tuple(
        Said(
            one["role"],
            one["text"],
            tuple(Call(call["id"], call["name"], call["arguments"]) for call in one.get("calls", ())),
            one.get("call_id", ""),
        )
        for one in asked["messages"]
    )
    return Question(messages, tuple(Offered(one["name"], one["description"], one["schema"]) for one in asked["tools"]))


def _plain(reply: Reply) -> dict[str, Any]:
    call = reply.call
    said = {"id": call.id, "name": call.name, "arguments": dict(call.arguments)} if call is not None else None
    return {"text": reply.text, "call": said}


def _outcome(said: Mapping[str, Any]) -> Outcome:
    if "finished" in said:
        return Finished(str(said["finished"]))
    if "waits" in said:
        waits = said["waits"]
        return Waits(
            tuple(Call(one["id"], one["name"], one["arguments"]) for one in waits["calls"]), waits["checkpoint"]
        )
    raise FrameworkFailed(f"the OpenAI Agents SDK raised {said.get('failed', 'something')}")
