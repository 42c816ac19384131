"""Waits for a plan's end during a request, without a transaction, a connection or a busy thread."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from asgiref.sync import sync_to_async
from django.db import connection

from agents.models import IntentPlan
from agents.states import PLAN_ENDED, GoalState
from mindx_web.api.protocol.problems import Problem

LONGEST_S = 60.0
_FIRST_LOOK_S = 0.05
_CALMEST_LOOK_S = 0.5
# Each waiting request occupies a socket and memory; one script must not use them all.
_AT_ONCE = 32

_waiting: Counter[int] = Counter()


@contextmanager
def place(person_id: int) -> Iterator[None]:
    """A place among this person's waiting requests. Raises Problem 429, before anything is done, if all are used."""
    if _waiting[person_id] >= _AT_ONCE:
        detail = f"{_AT_ONCE} requests of yours are already waiting. Nothing was done. Send it without `wait`."
        raise Problem(429, detail, kind="too_many_waits", headers={"Retry-After": "5"})
    _waiting[person_id] += 1
    try:
        yield
    finally:
        _waiting[person_id] -= 1
        if not _waiting[person_id]:
            del _waiting[person_id]


async def until_ended(plan_id: int, seconds: float) -> None:
    """Return when the plan has ended, when it needs a person, or after `seconds` (at most 60).

    Polls the table, less and less often: a hint can be lost, a row cannot.
    """
    deadline = time.monotonic() + min(seconds, LONGEST_S)
    pause = _FIRST_LOOK_S
    while not await sync_to_async(_has_ended)(plan_id):
        left = deadline - time.monotonic()
        if left <= 0:
            return
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 1.5, _CALMEST_LOOK_S)


def _has_ended(plan_id: int) -> bool:
    try:
        row = IntentPlan.objects.filter(pk=plan_id).values_list("state", "goal__state").first()
    finally:
        # The wait may last a minute, so the connection is used only for the query.
        connection.close()
    return row is None or row[0] in PLAN_ENDED or row[1] == GoalState.MANUAL
