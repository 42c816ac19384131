"""All viewers of one goal in a web process share one look at its rows for each hint.

What was read is kept for a while as messages that are ready to be sent. A viewer takes the message that follows the
last number it has; one that needs others (it came late, it is slow, it follows one speaker alone) reads the table
itself, at its own pace. So nothing piles up for anybody: whoever is slow costs one message in the server and misses
nothing.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from agents.live.hub import Hub, hub
from agents.pages.goals import goal_log, goal_page, goal_running
from agents.pages.goals.goal_log import Window
from agents.pages.goals.goal_page import GoalPage
from agents.record.wake_ups import goal_group
from people.models import User

logger = logging.getLogger(__name__)

# At most one look in this time; what is written in between is found together.
PAUSE_S = 0.03
# Without a hint the table is asked this often: a hint can be lost, a line cannot.
LOOK_EVERY_S = 2.0
LOOK_WHEN_DEAF_S = 0.5
# A flood of lines does not ask for the state each time; what else changed has hints of its own.
SIGNATURE_EVERY_S = 0.5
# Messages that are kept for viewers who are a little behind.
KEPT_CHARS = 4 * 1024 * 1024


@dataclass(frozen=True)
class News:
    """A message that is ready to be sent, and the last number somebody has who was sent it."""

    last: int
    text: str
    more: bool = False  # than this was there to be read


def news(window: Window) -> News:
    """The lines of a window as a message."""
    return News(window.last, message(window.after, window.last, window.html()), window.more)


def message(after: int, last: int, lines: str = "", **more: Any) -> str:
    """What a page is sent: `lines` are those that follow `after`, up to `last`."""
    return json.dumps({"after": after, "last": last, "lines": lines, **more}, separators=(",", ":"))


class GoalWatch:
    """The looks at one goal. `end` is the last number looked at; `signature` what its fragments are made of; `running`
    the fragment of the step that runs, which is the same for everybody.
    """

    def __init__(self, hub: Hub, goal_id: int) -> None:
        self.goal_id = goal_id
        self.end = -1
        self.signature: tuple[Any, ...] | None = None
        self.running = ""
        self.failed = False
        self._hub = hub
        self._viewers: set[asyncio.Event] = set()
        self._kept: OrderedDict[int, News] = OrderedDict()
        self._kept_chars = 0
        self._woken = asyncio.Event()
        self._asks_signature = True
        self._owes_signature = False
        self._signature_at = float("-inf")
        self._rendering: dict[int, tuple[Any, asyncio.Task[dict[str, str]]]] = {}
        self._task = asyncio.create_task(self._run())
        hub.join(goal_group(goal_id), self._wake)

    # -- for viewers ------------------------------------------------------------------------------------------
    def enter(self, viewer: asyncio.Event) -> None:
        """Have the event set when something is new, and now."""
        self._viewers.add(viewer)
        viewer.set()

    def leave(self, viewer: asyncio.Event) -> None:
        """Stop that; the last one who leaves ends the watch."""
        self._viewers.discard(viewer)
        if self._viewers:
            return
        watches = _watches[self._hub]
        if watches.get(self.goal_id) is self:
            del watches[self.goal_id]
        self._hub.leave(goal_group(self.goal_id), self._wake)
        for task in [self._task, *(task for _, task in self._rendering.values())]:
            task.cancel()

    def following(self, number: int) -> News | None:
        """The shared message that follows a number, if there still is one."""
        return self._kept.get(number)

    def kept_from(self, number: int) -> int:
        """Where the shared messages behind a number begin, or the end: who reads up to there can take them again."""
        return next((after for after in self._kept if after > number), self.end)

    async def fragments(self, person: User) -> dict[str, str]:
        """The fragments as this person sees them; the same person's pages share them. Empty without the right."""
        known = self._rendering.get(person.pk)
        if known is None or known[0] != self.signature:
            task = asyncio.create_task(self._hub.fragments.ask(_fragments, person, self.goal_id))
            known = self._rendering[person.pk] = (self.signature, task)
        # One page that closes does not take the others' fragments away.
        return await asyncio.shield(known[1])

    # -- the looks --------------------------------------------------------------------------------------------
    def _wake(self, log: int | None) -> None:
        if log is None:
            self._asks_signature = True
        elif log <= self.end:
            return
        self._woken.set()

    async def _run(self) -> None:
        try:
            while True:
                self._woken.clear()
                found, looked = await self._look(), time.monotonic()
                if found:
                    for viewer in self._viewers:
                        viewer.set()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), self._patience_s())
                # The first line after a silence waits for nothing.
                await asyncio.sleep(max(0.0, looked + PAUSE_S - time.monotonic()))
        except Exception:
            # The edge of the loop: pages fall back to asking by HTTP, where the same fault shows as an error.
            logger.exception("A goal is no longer watched for its live pages")
            self.failed = True
            for viewer in self._viewers:
                viewer.set()

    def _patience_s(self) -> float:
        if self._owes_signature:
            return SIGNATURE_EVERY_S
        return LOOK_WHEN_DEAF_S if self._hub.is_deaf else LOOK_EVERY_S

    async def _look(self) -> bool:
        """Take in what is new; true when there was anything."""
        before = (self.end, self.signature)
        if self.end < 0:
            self.end = await self._hub.lines.ask(goal_log.last_number, self.goal_id)
        while (found := await self._hub.lines.ask(_lines, self.goal_id, self.end)) is not None:
            self._keep(self.end, found)
            self.end = found.last
            for viewer in self._viewers:
                viewer.set()
            if not found.more:
                break
        now = time.monotonic()
        self._owes_signature = not self._asks_signature and now - self._signature_at < SIGNATURE_EVERY_S
        if not self._owes_signature:
            self._asks_signature, self._signature_at = False, now
            self.signature = await self._hub.lines.ask(goal_page.signature, self.goal_id)
            self.running = await self._hub.lines.ask(goal_running.html, self.goal_id)
        return before != (self.end, self.signature)

    def _keep(self, after: int, found: News) -> None:
        self._kept[after] = found
        self._kept_chars += len(found.text)
        while self._kept_chars > KEPT_CHARS and len(self._kept) > 1:
            self._kept_chars -= len(self._kept.popitem(last=False)[1].text)


_watches: WeakKeyDictionary[Hub, dict[int, GoalWatch]] = WeakKeyDictionary()


def watch_of(goal_id: int) -> GoalWatch:
    """The watch of the goal in this process; a new one where there is none, or where it has failed."""
    watches = _watches.setdefault(hub(), {})
    watch = watches.get(goal_id)
    if watch is None or watch.failed:
        watch = watches[goal_id] = GoalWatch(hub(), goal_id)
    return watch


def _lines(goal_id: int, after: int) -> News | None:
    window = goal_log.following(goal_id, after)
    return news(window) if window.lines else None


def _fragments(person: User, goal_id: int) -> dict[str, str]:
    goal = goal_page.find(person, goal_id)
    return GoalPage(goal, person).fragments() if goal is not None else {}
