"""The one place that moves requests of the bus. Each move is a conditional update on state and fence.

The races it closes: two workers with one request, an answer that comes after a cancellation, after the deadline, or
from a worker whose lease somebody else has taken over. Whoever comes second changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from agents.bus import remembering, steps_waiting
from agents.models import BusRequest, Standstill
from agents.record import leased, prepared
from agents.record.lease import worker_name
from agents.states import REQUEST_ENDED, REQUEST_MOVES, MoveRefused, RequestState
from people import sealing

_TABLE = BusRequest._meta.db_table
_COLUMNS = prepared.Columns(BusRequest, "request")
# A request that a worker could take up now.
FREE = (
    "(state = 'waiting' AND (wake_at IS NULL OR wake_at <= clock_timestamp())"
    " OR state = 'running' AND lease_until <= clock_timestamp())"
    " AND (deadline IS NULL OR deadline > clock_timestamp())"
    f" AND NOT EXISTS (SELECT FROM {Standstill._meta.db_table})"
)
_CLAIM = """
WITH picked AS (
    SELECT id, state FROM {table} WHERE state IN ('waiting', 'running') AND {free} AND {which}
    ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {table} AS request
SET state = 'running', in_background = false, attempts = request.attempts + 1, lease_owner = %(owner)s,
    lease_fence = request.lease_fence + 1, wake_at = NULL,
    lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s),
    started_at = coalesce(request.started_at, clock_timestamp())
FROM picked WHERE request.id = picked.id
RETURNING picked.state, {seal}, {columns}
"""


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
    values: dict[str, Any] = {"owner": worker_name(), "lease_s": float(settings.LEASE_S)}
    if request_id is not None:
        values["id"] = request_id
    seal = sealing.newest_sql(BusRequest, "request.id")
    text = _CLAIM.format(table=_TABLE, free=FREE, which=which, columns=_COLUMNS.select, seal=seal)
    row = prepared.row(text, values)
    if row is None:
        return None
    request = _COLUMNS.made(row[2:])
    genuine = sealing.fits_row(request, row[1])
    return Claimed(request, was_lost=row[0] == RequestState.RUNNING, is_genuine=genuine)


def claim_like(request: BusRequest, most: int) -> list[Claimed]:
    """Take up waiting requests for the same capability on the same terms that nobody was asked for yet."""
    which = (
        "NOT in_background AND state = 'waiting' AND capability = %(capability)s AND strategy = %(strategy)s"
        " AND pinned_id IS NULL AND min_confidence = %(least)s AND tried = '{{}}'"
    )
    values: dict[str, Any] = {"owner": worker_name(), "lease_s": float(settings.LEASE_S)}
    values |= {"capability": request.capability, "strategy": request.strategy, "least": request.min_confidence}
    seal = sealing.newest_sql(BusRequest, "request.id")
    text = _CLAIM.replace("LIMIT 1", f"LIMIT {most:d}").replace("{which}", which)
    text = text.format(table=_TABLE, free=FREE, columns=_COLUMNS.select, seal=seal)
    found = []
    for row in prepared.rows(text, values):
        made = _COLUMNS.made(row[2:])
        found.append(Claimed(made, was_lost=False, is_genuine=sealing.fits_row(made, row[1])))
    return sorted(found, key=lambda one: one.request.pk)


def give_back(requests: Sequence[BusRequest]) -> None:
    """Let others have requests that this worker has and has not begun; that was no attempt."""
    for one in requests:
        ours = BusRequest.objects.filter(pk=one.pk, state=RequestState.RUNNING, lease_fence=one.lease_fence)
        ours.update(state=RequestState.WAITING, attempts=F("attempts") - 1, lease_until=None, lease_owner="")


def hand_over(request: BusRequest) -> None:
    """Give a request to the background pool, which begins it anew; that was no attempt."""
    ours = BusRequest.objects.filter(pk=request.pk, state=RequestState.RUNNING, lease_fence=request.lease_fence)
    anew = {"state": RequestState.WAITING, "attempts": F("attempts") - 1, "lease_until": None, "lease_owner": ""}
    ours.update(in_background=True, **anew)


def answer_all(rows: Sequence[tuple[int, int, str, str, str]], member_id: int, offered_id: int) -> set[int]:
    """Move many requests to their ends in one statement: (id, fence, state, reason, answer as JSON) each.

    The ids of those that this worker still had, in time; the others are not touched.
    """
    ids, fences, states, reasons, answers = (list(column) for column in zip(*rows, strict=True))
    if not set(states) <= {RequestState.ANSWERED.value, RequestState.FAILED.value}:
        raise MoveRefused("only answers are stored together")
    values = {"ids": ids, "fences": fences, "states": states, "reasons": reasons, "answers": answers}
    found = prepared.rows(_ANSWER_ALL, {**values, "member": member_id, "offered": offered_id})
    return {int(pk) for (pk,) in found}


def renew_all(requests: Sequence[BusRequest]) -> bool:
    """Extend the leases of all these requests that this worker still has; False when it has none of them."""
    renewed = [renew(one) for one in requests]
    return any(renewed)


def renew(request: BusRequest) -> bool:
    """Extend the lease; False when another worker has it, or it has ended."""
    ours = BusRequest.objects.filter(pk=request.pk, state=RequestState.RUNNING, lease_fence=request.lease_fence)
    lease = {"lease_until": leased.until()}
    return bool(ours.update(**lease))


def note(request: BusRequest, **values: Any) -> bool:
    """Set columns of a request that this worker has; False when it has it no more, or its deadline has passed."""
    ours = BusRequest.objects.filter(_in_time(), pk=request.pk, state=request.state, lease_fence=request.lease_fence)
    if not ours.update(**values):
        return False
    for name, value in values.items():
        setattr(request, name, value)
    return True


def move(request: BusRequest, new: RequestState, *, reason: str = "", in_time: bool = False, **also: Any) -> BusRequest:
    """Move the request; MoveRefused when the table forbids it, somebody moved it first, or (`in_time`) its deadline
    has passed by the database's clock.
    """
    old = RequestState(request.state)
    if new not in REQUEST_MOVES[old]:
        raise MoveRefused(f"request {request.pk} cannot go from {old} to {new}")
    values: dict[str, Any] = {"state": new.value, "reason": reason, **also}
    if new != RequestState.RUNNING:
        values |= {"lease_until": None, "lease_owner": ""}
    if new in REQUEST_ENDED:
        values |= {"ended_at": timezone.now(), "wake_at": None}
    rows = BusRequest.objects.filter(pk=request.pk, state=old.value, lease_fence=request.lease_fence)
    rows = rows.filter(_in_time()) if in_time else rows
    if new not in REQUEST_ENDED or not remembering.is_delegated(request):
        _update(request, rows, values)
        return request
    # What it taught is written with its end, or not at all.
    with transaction.atomic():
        _update(request, rows, values)
        remembering.remember(request)
        steps_waiting.go_on(request)
    return request


def _update(request: BusRequest, rows: QuerySet[BusRequest], values: Mapping[str, Any]) -> None:
    if not rows.update(**values):
        raise MoveRefused(f"request {request.pk} is no longer {request.state}, or its deadline has passed")
    for name, value in values.items():
        setattr(request, name, value)


def _in_time() -> Q:
    return Q(deadline=None) | Q(deadline__gt=Now())
