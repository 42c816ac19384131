"""One subscription to the channel layer per web process, however many pages are open.

The hub joins the group of everything that somebody looks at and passes each hint on inside the process. A layer that is
away costs nobody the page: the hub is deaf until it answers again, and those who listen look by themselves meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from asgiref.sync import AsyncToSync, SyncToAsync, ThreadSensitiveContext
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

logger = logging.getLogger(__name__)

LAYER_WITHIN_S = 2.0
# A flushed Redis forgets who had joined what and tells nobody: joining again is how the hub comes back.
REJOIN_EVERY_S = 10.0
RETRY_S = 1.0
_QUIET_S = 60.0

# Takes the last log number that the hint told of, or None: something else changed, or hints may have been lost.
Wake = Callable[[int | None], None]
P = ParamSpec("P")
T = TypeVar("T")


class Lane:
    """A thread of its own for questions to the database, one after the other.

    Consumers share one thread; work that many of them wait for, or that takes long, has a lane of its own.
    """

    def __init__(self) -> None:
        self._context = ThreadSensitiveContext()

    async def ask(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Call the function in the lane's thread, or, where synchronous code runs this loop, in that code's thread."""
        if asyncio.get_running_loop() in AsyncToSync.loop_thread_executors:
            return await database_sync_to_async(function)(*arguments, **named)
        token = SyncToAsync.thread_sensitive_context.set(self._context)
        try:
            return await database_sync_to_async(function)(*arguments, **named)
        finally:
            SyncToAsync.thread_sensitive_context.reset(token)


class Hub:
    """The subscription of one event loop. It begins with the first listener and ends with the last."""

    def __init__(self) -> None:
        self.is_deaf = True
        self.lines = Lane()
        self.fragments = Lane()
        self._listeners: dict[str, set[Wake]] = {}
        self._joined: set[str] = set()
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._complained = float("-inf")

    def join(self, group: str, wake: Wake) -> None:
        """Have `wake` called for every hint to the group, and once when the group has been joined.

        What was written before the joining had nobody to be told: that call makes up for it.
        """
        self._listeners.setdefault(group, set()).add(wake)
        self._changed.set()
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._run())]

    def leave(self, group: str, wake: Wake) -> None:
        """Stop calling `wake`."""
        listeners = self._listeners.get(group, set())
        listeners.discard(wake)
        if not listeners:
            self._listeners.pop(group, None)
            self._changed.set()
        if not self._listeners:
            for task in self._tasks:
                task.cancel()
            self._tasks, self._joined, self.is_deaf = [], set(), True

    def pass_on(self, message: dict[str, Any]) -> None:
        """Wake those who listen to the message's group."""
        for wake in list(self._listeners.get(str(message.get("group")), ())):
            wake(message.get("log"))

    async def _run(self) -> None:
        """Subscribe; begin again with a new channel whenever the layer has failed."""
        while True:
            receiving: asyncio.Task[None] | None = None
            try:
                layer = get_channel_layer()
                channel = await layer.new_channel()
                self._joined = set()
                receiving = asyncio.create_task(self._receive(layer, channel))
                await self._keep_joined(layer, channel, receiving)
            except Exception as error:  # any layer's error type; the listeners look by themselves
                self._complain(error)
            finally:
                self.is_deaf = True
                if receiving is not None:
                    receiving.cancel()
                    with suppress(asyncio.CancelledError, Exception):
                        await receiving
            await asyncio.sleep(RETRY_S)

    async def _receive(self, layer: Any, channel: str) -> None:
        while True:
            self.pass_on(await layer.receive(channel))

    async def _keep_joined(self, layer: Any, channel: str, receiving: asyncio.Task[None]) -> None:
        """Join what is listened to and leave what is not, again and again; ends by the layer's first error."""
        while True:
            self._changed.clear()
            for group in set(self._listeners) - self._joined:
                await within(layer.group_add(group, channel))
                self._joined.add(group)
                self.pass_on({"group": group, "log": None})
            for group in self._joined - set(self._listeners):
                self._joined.discard(group)
                await within(layer.group_discard(group, channel))
            self.is_deaf = False
            changed = asyncio.ensure_future(self._changed.wait())
            try:
                await asyncio.wait({changed, receiving}, timeout=REJOIN_EVERY_S, return_when=asyncio.FIRST_COMPLETED)
            finally:
                changed.cancel()
            if receiving.done():
                receiving.result()
            if not self._changed.is_set():
                for group in self._joined:
                    await within(layer.group_add(group, channel))

    def _complain(self, error: Exception) -> None:
        if time.monotonic() - self._complained >= _QUIET_S:
            self._complained = time.monotonic()
            logger.warning("Live pages are not told of changes (%r); they look by themselves until they are", error)


async def within(answer: Awaitable[T]) -> T:
    """The layer's answer; TimeoutError from one that hangs."""
    return await asyncio.wait_for(answer, LAYER_WITHIN_S)


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """The hub of this event loop; a web process has one loop."""
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())
