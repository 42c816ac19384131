"""Requests of the bus as work under a lease (`agents.record.leased`): taken up, moved and answered.

They have deadlines besides, by the database's clock, and are claimed and answered many at once in statements of their
own: one for each request is most of what such a request may cost. What is free and what a lease is comes from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from agents.bus import remembering, steps_waiting
from agents.models import BusRequest, Standstill
from agents.record import bus_answers, leased, prepared
from agents.states import REQUEST_ANSWERED, REQUEST_ENDED, MoveRefused, RequestState
from people import sealing

_TABLE = BusRequest._meta.db_table
_COLUMNS = prepared.Columns(BusRequest, "request")
# A request that a worker could take up now.
FREE = (
    f"{leased.free_sql(BusRequest)} AND (wake_at IS NULL OR wake_at <= clock_timestamp())"
    " AND (deadline IS NULL OR deadline > clock_timestamp())"
    f" AND NOT EXISTS (SELECT FROM {Standstill._meta.db_table})"
)
_CLAIM = f"""
WITH picked AS (
    SELECT id, state AS before FROM {_TABLE} WHERE state IN ('waiting', 'running') AND {FREE} AND {{which}}
    ORDER BY id LIMIT {{most}} FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {_TABLE} AS request
SET state = 'running', {leased.TAKEN_SQL}, in_background = false, attempts = attempts + 1, wake_at = NULL,
    started_at = coalesce(started_at, clock_timestamp())
FROM picked WHERE request.id = picked.id
RETURNING picked.before, {sealing.newest_sql(BusRequest, "request.id")}, {_COLUMNS.select}
"""  # noqa: S608  # names of our own tables
_ANSWER_ALL = f"""
UPDATE {_TABLE} AS request
SET state = given.state, reason = given.reason, answer = given.answer::jsonb, member_id = %(member)s,
    offered_id = %(offered)s, lease_until = NULL, lease_owner = '', wake_at = NULL, ended_at = clock_timestamp()
FROM ROWS FROM (
    unnest(%(ids)s::bigint[]), unnest(%(fences)s::bigint[]), unnest(%(states)s::text[]), unnest(%(reasons)s::text[]),
    unnest(%(answers)s::text[])
) AS given (id, fence, state, reason, answer)
WHERE request.id = given.id AND request.lease_fence = given.fence AND request.state = 'running'
    AND (request.deadline IS NULL OR request.deadline > clock_timestamp())
RETURNING request.id
"""  # noqa: S608  # names of our own tables


class Claimed:
    """A request that this worker has. `was_lost`: another worker had it and did not come back."""

    def __init__(self, request: BusRequest, *, was_lost: bool, is_genuine: bool) -> None:
        self.request, self.was_lost, self.is_genuine = request, was_lost, is_genuine


def claim(request_id: int | None = None, *, in_background: bool = False) -> Claimed | None:
    """Take up this request, or the oldest that is free; None when there is none. Those that were handed over to the
    background pool are for that, and no others.
    """
    which = ("" if in_background else "NOT ") + "in_background" + (" AND id = %(id)s" if request_id is not None else "")
    return next(iter(_claimed(which, 1, {"id": request_id})), None)


def claim_like(request: BusRequest, most: int) -> list[Claimed]:
    """Take up waiting requests for the same capability on the same terms that nobody was asked for yet."""
    which = (
        "NOT in_background AND state = 'waiting' AND capability = %(capability)s AND strategy = %(strategy)s"
        " AND pinned_id IS NULL AND min_confidence = %(least)s AND tried = '{}'"
    )
    like = {"capability": request.capability, "strategy": request.strategy, "least": request.min_confidence}
    return sorted(_claimed(which, most, like), key=lambda one: one.request.pk)


def _claimed(which: str, most: int, values: Mapping[str, Any]) -> list[Claimed]:
    found = []
    for before, seal, *columns in prepared.rows(_CLAIM.format(which=which, most=most), {**leased.taking(), **values}):
        request = _COLUMNS.made(columns)
        genuine = sealing.fits_row(request, seal)
        found.append(Claimed(request, was_lost=before == RequestState.RUNNING, is_genuine=genuine))
    return found


def give_back(*requests: BusRequest, to_background: bool = False) -> None:
    """Let others, or the background pool, begin requests that this worker has; that was no attempt."""
    again: dict[str, Any] = {"attempts": F("attempts") - 1, "in_background": to_background}
    for one in requests:
        with suppress(MoveRefused):  # it is ours no longer
            move(one, RequestState.WAITING, reason=one.reason, **again)


def answer_all(rows: Sequence[tuple[int, int, str, str, str]], member_id: int, offered_id: int) -> set[int]:
    """Move many requests to their ends in one statement: (id, fence, state, reason, answer as JSON) each.

    The ids of those that this worker still had, in time; the others are not touched. Call it in a transaction.
    """
    ids, fences, states, reasons, given = (list(column) for column in zip(*rows, strict=True))
    if not set(states) <= {RequestState.ANSWERED.value, RequestState.FAILED.value}:
        raise MoveRefused("only answers are stored together")
    values = {"ids": ids, "fences": fences, "states": states, "reasons": reasons, "answers": given}
    found = prepared.rows(_ANSWER_ALL, {**values, "member": member_id, "offered": offered_id})
    kept = {int(pk) for (pk,) in found}
    bus_answers.seal(kept)
    return kept


def note(request: BusRequest, **values: Any) -> bool:
    """Set columns of a request that this worker has; False when it has it no more, or its deadline has passed."""
    if not leased.ours(request).filter(_in_time()).update(**values):
        return False
    for name, value in values.items():
        setattr(request, name, value)
    return True


def move(request: BusRequest, new: RequestState, *, reason: str = "", in_time: bool = False, **also: Any) -> None:
    """Move the request; MoveRefused as `leased.to`, and (`in_time`) when its deadline has passed."""
    ends = {"wake_at": None} if new in REQUEST_ENDED else {}
    is_delegated = bool(ends) and remembering.is_delegated(request)
    is_answer = new in REQUEST_ANSWERED
    # What it taught, and the seal of an answer, are written with its end, or not at all.
    is_alone = is_delegated or (is_answer and not connection.in_atomic_block)
    with transaction.atomic() if is_alone else nullcontext():
        leased.to(request, new, _in_time() if in_time else Q(), reason=reason, **ends, **also)
        if is_answer:
            bus_answers.seal([request.pk])
        if is_delegated:
            remembering.remember(request)
            steps_waiting.go_on(request)


def _in_time() -> Q:
    return Q(deadline=None) | Q(deadline__gt=Now())
