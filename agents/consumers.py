"""Live pages. The table is the truth: a hint only wakes a consumer, which then reads what follows the last number sent.

Losing every hint therefore delays and loses nothing, and doubled hints do nothing. Consumers take no commands; they
check the person and the rights at the start and again while they run.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.contrib.sessions.backends.base import SessionBase
from redis.exceptions import RedisError

from agents import goal_log, goal_page
from agents.goal_page import GoalPage
from agents.services.hints import QUEUE_GROUP, goal_group
from people.models import User

logger = logging.getLogger(__name__)

NOT_LOGGED_IN = 4403
NOT_FOUND = 4404
TRY_AGAIN = 1013
# A message at most this often; what arrives in between goes out together.
PAUSE_S = 0.03
# Without a hint the table is asked this often: a hint can be lost, a line cannot.
LOOK_EVERY_S = 2.0
RIGHTS_EVERY_S = 10.0
LAYER_WITHIN_S = 2.0

Message = dict[str, Any]


class PushConsumer(AsyncWebsocketConsumer):
    """Pushes what is new: accepts, joins a group and then runs one loop that a hint wakes."""

    async def websocket_connect(self, message: Message) -> None:
        self._woken = asyncio.Event()
        self._pushing: asyncio.Task[None] | None = None
        # A close code reaches the browser only over an accepted connection; without it the page would ask for ever.
        await self.accept()
        group = await self._group()
        if isinstance(group, int):
            await self.close(group)
            return
        self.groups = [group]
        # Joined before the first look: nothing can be written in between without a hint.
        try:
            await asyncio.wait_for(self.channel_layer.group_add(group, self.channel_name), LAYER_WITHIN_S)
        except TimeoutError:
            # A Redis that hangs: the page asks by HTTP meanwhile, instead of waiting for a socket that says nothing.
            await self.close(TRY_AGAIN)
            return
        self._pushing = asyncio.create_task(self._push())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Run until the socket closes, or until the channel layer fails: then the page asks by HTTP and comes back."""
        try:
            await super().__call__(scope, receive, send)
        except (RedisError, OSError) as error:
            logger.warning("A live page cannot be woken (%s); it asks by HTTP until Redis answers again", error)
            with suppress(Exception):  # the browser may be gone as well
                await self.close(TRY_AGAIN)
        finally:
            pushing: asyncio.Task[None] | None = getattr(self, "_pushing", None)
            if pushing is not None:
                pushing.cancel()
                with suppress(asyncio.CancelledError):
                    await pushing

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """A socket takes no commands: what a browser sends is not even read."""

    async def hint(self, event: Message) -> None:
        """Something changed; the loop looks. Hundreds of hints at once are one look."""
        self._woken.set()

    async def _push(self) -> None:
        checked = time.monotonic()
        try:
            while True:
                self._woken.clear()
                if time.monotonic() - checked > RIGHTS_EVERY_S:
                    checked = time.monotonic()
                    if not await self._may_still():
                        await self.close(NOT_LOGGED_IN)
                        return
                await self._send_new()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), LOOK_EVERY_S)
                await asyncio.sleep(PAUSE_S)
        except OSError:
            # The browser went away while it was being told something; its disconnect follows.
            return
        except Exception:
            # The edge of the loop: the page falls back to asking by HTTP, where the same fault shows as an error.
            logger.exception("A live page stopped being pushed to")
            await self.close(1011)

    async def _group(self) -> str | int:
        """The group to join, or the code to close with."""
        raise NotImplementedError

    async def _may_still(self) -> bool:
        """Whether the person still is logged in and may see this."""
        return await database_sync_to_async(still_logged_in)(self.scope)

    async def _send_new(self) -> None:
        """Send what is new since the last time, if anything."""
        raise NotImplementedError

    async def _say(self, message: Message) -> None:
        await self.send(text_data=json.dumps(message, separators=(",", ":")))


class GoalConsumer(PushConsumer):
    """The log and the fragments of one goal, from `?after=N` on; `?source=…` lets one speaker's lines through."""

    async def _group(self) -> str | int:
        query = parse_qs(self.scope.get("query_string", b"").decode("ascii", "replace"))
        after = query.get("after", ["0"])[0]
        self._last = int(after) if after.isascii() and after.isdigit() and len(after) < 19 else 0
        self._source = query.get("source", [""])[0][:64]
        self._pk: int = min(self.scope["url_route"]["kwargs"]["pk"], 2**62)
        self._signature: tuple[Any, ...] | None = None
        if person_of(self.scope) is None:
            return NOT_LOGGED_IN
        if not await self._may_still():
            return NOT_FOUND
        return goal_group(self._pk)

    async def _may_still(self) -> bool:
        return await database_sync_to_async(self._sees_goal)()

    def _sees_goal(self) -> bool:
        person = person_of(self.scope)
        return person is not None and still_logged_in(self.scope) and goal_page.find(person, self._pk) is not None

    async def _send_new(self) -> None:
        while (message := await database_sync_to_async(self._news)()) is not None:
            await self._say(message)

    def _news(self) -> Message | None:
        """The next message: at most one batch of lines, and the fragments when they would look different."""
        person = person_of(self.scope)
        goal = goal_page.find(person, self._pk) if person is not None else None
        if person is None or goal is None:
            return None
        window = goal_log.after(goal, self._last, self._source)
        signature = goal_page.signature(self._pk)
        if window.last == self._last and signature == self._signature:
            return None
        message: Message = {"after": window.after, "last": window.last, "lines": window.html(goal)}
        if signature != self._signature:
            message["fragments"] = GoalPage(goal, person).fragments()
        self._last, self._signature = window.last, signature
        return message


class QueueConsumer(PushConsumer):
    """Says that the review queue is different; the page then asks for its own fragment, with its own filters."""

    async def _group(self) -> str | int:
        self._hinted = False
        return QUEUE_GROUP if await self._may_still() else NOT_LOGGED_IN

    async def hint(self, event: Message) -> None:
        self._hinted = True
        await super().hint(event)

    async def _send_new(self) -> None:
        if self._hinted:
            self._hinted = False
            await self._say({"changed": True})


def person_of(scope: Any) -> User | None:
    """Who opened the socket; None for nobody."""
    user = scope.get("user")
    return user if isinstance(user, User) and user.is_active else None


def still_logged_in(scope: Any) -> bool:
    """Whether the person is active and the session has not been ended elsewhere (logout, expiry).

    The person is read afresh, so that a role taken away counts from now on.
    """
    person = person_of(scope)
    scope["user"] = User.objects.filter(pk=person.pk, is_active=True).first() if person is not None else None
    session: SessionBase | None = scope.get("session")
    has_session = session is None or session.session_key is None or session.exists(session.session_key)
    return scope["user"] is not None and has_session
