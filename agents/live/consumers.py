"""Live pages. The table is the truth: a hint only wakes a look at what follows the last number looked at.

Losing every hint therefore delays and loses nothing, and doubled hints do nothing. The sockets of a process share its
hub, the looks at a goal and the checks whether their people may still listen (`agents.live`). They take no commands.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer

from agents.live.audience import Ending, audience, seat_of
from agents.live.goal_watch import PAUSE_S, GoalWatch, News, message, news, watch_of
from agents.live.hub import hub
from agents.models import Goal
from agents.pages.goals import goal_log, goal_running
from agents.record.wake_ups import QUEUE_GROUP
from people.models import User

logger = logging.getLogger(__name__)

NOT_LOGGED_IN = 4403
NOT_FOUND = 4404
# The page is far behind: it asks for what it lacks by HTTP, in its own time, and comes back.
BEHIND = 4409
# The person has more live pages open than one may have; this was the oldest.
TOO_MANY = 4429
FAILED = 1011
_CODES = {
    Ending.NOT_LOGGED_IN: NOT_LOGGED_IN,
    Ending.NOT_VISIBLE: NOT_FOUND,
    Ending.TOO_MANY: TOO_MANY,
    Ending.FAILED: FAILED,
}
# A page that hears nothing for about two of these takes its connection for cut (`static/live.js`, `static/review.js`).
BEAT_S = 2.0
# More lines than this are not pushed through a socket. A page keeps about as many.
BEHIND_LINES = 2_000


class PushConsumer(AsyncWebsocketConsumer):
    """Pushes what is new: accepts, listens in the process's hub and runs loops that a hint wakes."""

    # The hub listens for all sockets; one of its own would be a subscription each.
    channel_layer_alias = "none"

    async def websocket_connect(self, message: dict[str, Any]) -> None:
        self._pushing: list[asyncio.Task[None]] = []
        self._sending = 0
        self._is_over = False
        self._ending: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        # A close code reaches the browser only over an accepted connection; without it the page would ask for ever.
        await self.accept()
        if (seat := seat_of(self.scope, self._goal_id())) is None:
            await self.close(NOT_LOGGED_IN)
            return
        answer = await audience().may_enter(seat)
        if isinstance(answer, Ending):
            await self.close(_CODES[answer])
            return
        self._person = answer
        audience().enter(seat, self._hear)
        loops = (self._push(), self._close_when_told(), self._beat())
        self._pushing = [asyncio.create_task(self._guarded(loop)) for loop in loops]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Run until the socket closes."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            audience().leave(self._hear)
            pushing = getattr(self, "_pushing", [])
            for task in pushing:
                task.cancel()
            await asyncio.gather(*pushing, return_exceptions=True)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """A socket takes no commands: what a browser sends is not even read."""

    async def send(self, text_data: str | None = None, bytes_data: bytes | None = None, close: bool = False) -> None:
        """Send, and know meanwhile that something is being sent."""
        self._sending += 1
        try:
            await super().send(text_data, bytes_data, close)
        finally:
            self._sending -= 1

    async def close(self, code: int | bool | None = None, reason: str | None = None) -> None:
        """Close the socket; nothing may be sent after it."""
        self._is_over = True
        await super().close(code, reason)

    async def _beat(self) -> None:
        """Give signs of life: a line that is cut on its way tells neither end. A page that takes nothing gets none."""
        while True:
            await asyncio.sleep(BEAT_S)
            if self._is_over:
                return
            if not self._sending:
                await self.send(text_data=self._sign_of_life())

    def _sign_of_life(self) -> str:
        return '{"beat":true}'

    async def _guarded(self, loop: Coroutine[Any, Any, None]) -> None:
        try:
            await loop
        except OSError:
            # The browser went away while it was being told something; its disconnect follows.
            return
        except Exception:
            # The edge of the loop: the page falls back to asking by HTTP, where the same fault shows as an error.
            logger.exception("A live page stopped being pushed to")
            await self.close(FAILED)

    def _hear(self, answer: User | Ending) -> None:
        """What a check said: the person with the roles they have now, or that this is the end."""
        if not isinstance(answer, Ending):
            self._person = answer
        elif not self._ending.done():
            self._ending.set_result(answer)

    async def _close_when_told(self) -> None:
        """Close the socket of somebody who may not listen any more."""
        ending = await self._ending
        self._pushing[0].cancel()
        await self.close(_CODES[ending])

    def _goal_id(self) -> int | None:
        """The goal whose visibility the socket needs; None when being logged in is enough."""
        return None

    async def _push(self) -> None:
        """Send what is new, as long as the socket is open."""
        raise NotImplementedError


class GoalConsumer(PushConsumer):
    """The log and the fragments of one goal, from `?after=N` on; `?source=…` lets one speaker's lines through."""

    async def websocket_connect(self, message: dict[str, Any]) -> None:
        self._fragments_woken = asyncio.Event()
        self._watch: GoalWatch | None = None
        self._told_running: str | None = None
        query = parse_qs(self.scope.get("query_string", b"").decode("ascii", "replace"))
        after = query.get("after", ["0"])[0]
        self._last = int(after) if after.isascii() and after.isdigit() and len(after) < 19 else 0
        self._source = query.get("source", [""])[0][:64]
        self._pk: int = min(self.scope["url_route"]["kwargs"]["pk"], 2**62)
        await super().websocket_connect(message)

    def _goal_id(self) -> int:
        return self._pk

    async def _push(self) -> None:
        # The page waits for a first word, however much there is to be read for it.
        await self.send(text_data=message(self._last, self._last))
        woken = asyncio.Event()
        watch = self._watch = watch_of(self._pk)
        watch.enter(woken)
        fragments = asyncio.create_task(self._guarded(self._push_fragments(watch)))
        try:
            while not watch.failed:
                woken.clear()
                if not await self._send_lines(watch):
                    await self.close(BEHIND)
                    return
                self._fragments_woken.set()
                await woken.wait()
            await self.close(FAILED)
        finally:
            fragments.cancel()
            watch.leave(woken)

    async def _send_lines(self, watch: GoalWatch) -> bool:
        """Send what follows the last number, up to what the watch has seen; false when that is too much."""
        while self._last < watch.end:
            found = None if self._source else watch.following(self._last)
            if found is None:
                # What is kept costs nothing to send; only what must be read and drawn for this page alone is too much.
                upto = watch.end if self._source else watch.kept_from(self._last)
                if upto - self._last > BEHIND_LINES:
                    return False
                found = await database_sync_to_async(self._read)(upto)
            await self.send(text_data=found.text)
            self._last = found.last
        return True

    def _read(self, upto: int) -> News:
        return news(goal_log.after(Goal(pk=self._pk), self._last, self._source, upto))

    async def _push_fragments(self, watch: GoalWatch) -> None:
        """Beside the lines, which do not wait for what takes long to draw."""
        shown: tuple[Any, ...] | None = None
        while True:
            await self._fragments_woken.wait()
            self._fragments_woken.clear()
            if watch.signature == shown:
                continue
            shown = watch.signature
            if fragments := await watch.fragments(self._person):
                self._told_running = watch.running
                fragments = fragments | {goal_running.FRAGMENT: watch.running}
                await self.send(text_data=message(self._last, self._last, fragments=fragments))

    def _sign_of_life(self) -> str:
        """With how far the running step has come, where that is news."""
        running = self._watch.running if self._watch is not None else ""
        if self._told_running in (None, running):  # nothing goes before the first fragments
            return message(self._last, self._last)
        self._told_running = running
        return message(self._last, self._last, fragments={goal_running.FRAGMENT: running})


class QueueConsumer(PushConsumer):
    """Says that the review queue is different; the page then asks for its own fragment, with its own filters."""

    async def _push(self) -> None:
        changed = asyncio.Event()

        def wake(log: int | None) -> None:
            changed.set()

        hub().join(QUEUE_GROUP, wake)
        try:
            while True:
                await changed.wait()
                changed.clear()
                await self.send(text_data='{"changed":true}')
                await asyncio.sleep(PAUSE_S)
        finally:
            hub().leave(QUEUE_GROUP, wake)
