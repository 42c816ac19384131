"""Streams of A2A: a task as it is, then what changes about it, until it is over.

What wakes a stream is what wakes live pages; the tables are the truth, and are looked at without a hint as well. Each
look asks anew whether the token is valid and its person may see the goal. A stream takes one of a few places, which it
gives back however it ends.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connection

from agents.live.goal_watch import LOOK_EVERY_S, LOOK_WHEN_DEAF_S
from agents.live.hub import hub
from agents.record.wake_ups import goal_group
from mindx_web.api.protocol.problems import Problem
from mindx_web.interop.a2a import methods, shapes, tasks
from mindx_web.interop.a2a.errors import A2AError, Kind
from people import tokens
from people.models import ApiToken
from people.scopes import Scope

SEND, SUBSCRIBE = "SendStreamingMessage", "SubscribeToTask"
METHODS = frozenset({SEND, SUBSCRIBE})
# A plan may wait for a week, and no connection lasts that long: who wants more subscribes again.
LONGEST_S = 900.0
# Of one person, and of the process. Each holds a socket, and asks the table every two seconds.
MOST_PER_PERSON, MOST_AT_ONCE = 8, 64
# What changes together is told together.
PAUSE_S = 0.1

Event = dict[str, Any]
_open: Counter[int] = Counter()


@dataclass(frozen=True)
class Look:
    """A task at one moment: its goal, what would be different if anything was, and what a client is told."""

    goal_id: int
    signature: tuple[Any, ...]
    told: dict[str, Any]

    @property
    def is_over(self) -> bool:
        """Whether nothing follows."""
        return self.told["status"]["state"] in tasks.ENDED


def changes(before: dict[str, Any], now: dict[str, Any]) -> list[Event]:
    """The events that bring a client from `before` to `now`, in the order of the protocol: artifacts, then status."""
    of = {"taskId": now["id"], "contextId": now["contextId"]}
    known = before.get("artifacts", [])
    new = [artifact for artifact in now.get("artifacts", []) if artifact not in known]
    events = [{"artifactUpdate": {**of, "artifact": one, "append": False, "lastChunk": True}} for one in new]
    if _said(before) != _said(now):
        events.append({"statusUpdate": {**of, "status": now["status"], "metadata": now["metadata"]}})
    return events


def _said(task: dict[str, Any]) -> tuple[Any, ...]:
    """Without the moment: a goal is touched by more than clients are told of."""
    return task["status"]["state"], task["status"]["message"]["parts"], task["metadata"]


async def events(token: ApiToken, method: str, params: object) -> AsyncGenerator[Event | None]:
    """The task, then each change of it; None where nothing changed for a while. Ends with the task, or its time.

    Raises, before the first event, what the method refuses with; Problem 429 when no place is free. Raises A2AError
    later where the token or the right to see the task is gone.
    """
    with _place(token.user_id):
        until = time.monotonic() + LONGEST_S
        look = await sync_to_async(_begin)(token, method, params)
        yield {"task": look.told}
        # Only now: who listens is kept by the event loop, which is that of whoever reads on.
        woken = asyncio.Event()

        def wake(log: int | None) -> None:
            if log is None:
                woken.set()

        listening = hub()
        listening.join(goal_group(look.goal_id), wake)
        try:
            while not look.is_over and (left := until - time.monotonic()) > 0:
                patience = LOOK_WHEN_DEAF_S if listening.is_deaf else LOOK_EVERY_S
                with suppress(TimeoutError):
                    await asyncio.wait_for(woken.wait(), min(patience, left))
                woken.clear()
                before, look = look, await listening.fragments.ask(_look_again, token.pk, look)
                found = changes(before.told, look.told)
                for event in found:
                    yield event
                if not found:
                    yield None
                await asyncio.sleep(PAUSE_S)
        finally:
            listening.leave(goal_group(look.goal_id), wake)


@contextmanager
def _place(person_id: int) -> Iterator[None]:
    """One of the places for streams. Raises Problem 429, before anything is done, when all are taken."""
    if _open[person_id] >= MOST_PER_PERSON or _open.total() >= MOST_AT_ONCE:
        mine = _open[person_id] >= MOST_PER_PERSON
        detail = f"{MOST_PER_PERSON} streams of yours are open." if mine else "All streams of this server are taken."
        detail += " Nothing was done. Close one, or send the message without a stream and ask with GetTask."
        raise Problem(429, detail, kind="too_many_streams", headers={"Retry-After": "5"})
    _open[person_id] += 1
    try:
        yield
    finally:
        _open[person_id] -= 1
        if not _open[person_id]:
            del _open[person_id]


def _begin(token: ApiToken, method: str, params: object) -> Look:
    try:
        # A stream tells what GetTask tells.
        methods.need(token, Scope.GOALS_READ)
        if method == SUBSCRIBE:
            look = _look(token, shapes.read(shapes.Get, params).id, None)
            if look.is_over:
                raise A2AError(Kind.UNSUPPORTED, "This task is over, and nothing follows. Read it with GetTask.")
            return look
        sent = methods.send(token, params)["task"]
        return _look(token, sent["id"], shapes.read(shapes.Send, params).configuration.history_length)
    finally:
        # This thread serves the request alone, and the request may last: the connection is held for the question only.
        connection.close()


def _look_again(token_id: int, before: Look) -> Look:
    """The same task now; `before` itself when nothing of it moved. Raises A2AError without the right to see it."""
    token = tokens.still_valid(token_id)
    if token is None:
        raise A2AError(Kind.REQUEST, "This token is not valid any more.")
    task = methods.found(token, before.told["id"])
    if _signature(task) == before.signature:
        return before
    return _look(token, task.code, 0)


def _look(token: ApiToken, code: str, history: int | None) -> Look:
    task = methods.found(token, code)
    return Look(task.goal_id, _signature(task), methods.told(token, code, history))


def _signature(task: Any) -> tuple[Any, ...]:
    """What tells cheaply that something may have changed."""
    goal = task.goal
    due = tasks.due_of(task.plan)
    return task.state, goal.state, goal.reason, goal.outcome, goal.changed_at, goal.ended_at, task.plan, due
