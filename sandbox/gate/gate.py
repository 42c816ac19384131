"""The gate of one jail: a thread with an event loop that serves the sockets in the jail's network, from outside.

No part of it is in the jail. What a program can make it do is limited: connections at a time and bytes; and all of it
ends with the session.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from sandbox.contract import SandboxError
from sandbox.gate import resolver, watch
from sandbox.gate.budget import Budget
from sandbox.gate.notes import Notes
from sandbox.gate.plan import Entrance, Plan
from sandbox.gate.watch import Watch
from sandbox.jail.network import OWN_SOCKETS, RESOLVER

if TYPE_CHECKING:
    from sandbox.gate.packages import PackageIndex

logger = logging.getLogger(__name__)
T = TypeVar("T")

MOST_CONNECTIONS = 32
MOST_BYTES = 1 << 30
_MOST_REFUSED = 50
_MOST_QUESTION_BYTES = 1 << 12
_BUFFER_BYTES = 1 << 16
_MOST_AT_ONCE = 200  # questions or packets per turn, so that a flood of them does not block the loop
_ANSWER_S = 10.0
_CLOSE_S = 10.0
_LAST_WORDS_S = 0.5


def _index(plan: Plan, notes: Notes) -> PackageIndex | None:
    """HTTP is loaded only for sessions that may use it: it is the only part outside the standard library."""
    if all(each.destination is not None for each in plan.entrances):
        return None
    from sandbox.gate.packages import PackageIndex

    return PackageIndex(notes)


class Gate:
    """Serves the sockets, and owns them from now on, until it is closed."""

    def __init__(self, plan: Plan, sockets: list[socket.socket]) -> None:
        """`sockets` as `jail.network` makes them: the resolver, two that watch, one for each entrance of the plan."""
        self._plan = plan
        self._sockets = sockets
        self._resolver, self._watching, self._listening = sockets[0], sockets[1:OWN_SOCKETS], sockets[OWN_SOCKETS:]
        self._notes = Notes()
        self._watch = Watch(_MOST_REFUSED)
        self._budget = Budget(MOST_BYTES)
        self._index = _index(plan, self._notes)
        self._room = asyncio.Semaphore(MOST_CONNECTIONS)
        self._serving: set[asyncio.Task[None]] = set()
        for each in sockets:
            each.setblocking(False)
        for each in self._watching:
            watch.prepare(each)
        for each in self._listening:
            each.listen(MOST_CONNECTIONS)
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._work, name="mindx-gate", daemon=True)
        self._thread.start()

    def take(self, go_on: bool) -> dict[str, Any]:
        """What happened since the last call; {} for nothing. Unless they may `go_on`, all connections are closed first.

        Raises SandboxError when the gate has failed.
        """
        return self._ask(self._taken(go_on))

    def close(self) -> None:
        """Starts closing everything; does not wait."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stop.set)

    def join(self) -> None:
        """Returns when the thread is gone and every socket is closed."""
        self._thread.join()

    def _ask(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            asked = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError as error:
            work.close()
            raise SandboxError("the network gate has failed") from error
        try:
            return asked.result(_ANSWER_S)
        except (CancelledError, TimeoutError) as error:
            asked.cancel()
            raise SandboxError("the network gate gave no answer") from error

    def _work(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        except Exception:
            logger.exception("the network gate of a session failed")
        finally:
            for each in self._sockets:
                each.close()

    async def _serve(self) -> None:
        self._loop.add_reader(self._resolver, self._answer)
        for each in self._watching:
            self._loop.add_reader(each, self._look, each)
        accepting = [
            self._loop.create_task(self._accept(listening, entrance))
            for listening, entrance in zip(self._listening, self._plan.entrances, strict=True)
        ]
        try:
            await self._stop.wait()
        finally:
            for task in accepting:
                task.cancel()
            await self._end_connections()

    async def _accept(self, listening: socket.socket, entrance: Entrance) -> None:
        """Takes connections while there is room; the others wait, and so does the program that made them."""
        while True:
            await self._room.acquire()
            try:
                connection, _ = await self._loop.sock_accept(listening)
            except OSError:
                self._room.release()
                await asyncio.sleep(0.1)  # out of descriptors: other connections may free some
                continue
            except BaseException:
                self._room.release()
                raise
            task = self._loop.create_task(self._one(connection, entrance))
            self._serving.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._room.release()
        self._serving.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a connection at the network gate failed", exc_info=error)

    async def _one(self, connection: socket.socket, entrance: Entrance) -> None:
        try:
            here = await asyncio.open_connection(sock=connection, limit=_BUFFER_BYTES)
        except BaseException:
            connection.close()
            raise
        try:
            if self._index is not None and entrance.destination is None:
                await self._index.serve(*here)
            elif entrance.destination is not None:
                from sandbox.gate.relay import relay

                await relay(here, entrance.destination, self._notes, self._budget)
            here[1].close()
            async with asyncio.timeout(_CLOSE_S):
                await here[1].wait_closed()
        except (OSError, TimeoutError):
            pass  # one of the two has gone, or does not listen
        finally:
            here[1].transport.abort()

    async def _end_connections(self) -> None:
        serving = list(self._serving)
        for each in serving:
            each.cancel()
        await asyncio.gather(*serving, return_exceptions=True)

    def _answer(self) -> None:
        for _ in range(_MOST_AT_ONCE):
            try:
                question, asker = self._resolver.recvfrom(_MOST_QUESTION_BYTES)
                reply, refused = resolver.answer(question, self._plan.names)
                if refused is not None:
                    self._notes.refused(refused, None)
                if reply is not None:
                    self._resolver.sendto(reply, asker)
            except BlockingIOError:
                return
            except OSError:
                continue  # the asking program no longer listens

    def _look(self, watching: socket.socket) -> None:
        for _ in range(_MOST_AT_ONCE):
            try:
                self._watch.see(watching.recv(_MOST_QUESTION_BYTES))
            except BlockingIOError:
                return
            except OSError:
                continue  # the loopback went down with the jail

    async def _taken(self, go_on: bool) -> dict[str, Any]:
        if self._serving and not go_on:
            # Data that a program sent before it ended may still arrive.
            await asyncio.wait(self._serving, timeout=_LAST_WORDS_S)
            await self._end_connections()
        self._answer()
        for each in self._watching:
            self._look(each)
        for place in self._watch.take():
            if place != RESOLVER:
                self._notes.refused(*place)
        return self._notes.take()
