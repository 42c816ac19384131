"""The log of the bus: one row for everything that was done on it. Rows are never changed."""

from __future__ import annotations

from agents.models import BusEntry, BusMember, BusRequest
from agents.record import logs
from people.models import User

SYSTEM, DATA = BusEntry.Side.SYSTEM, BusEntry.Side.DATA
_WHY_MAX = 300
_OUTCOME_MAX = 2_000


def system(
    event: str, *, by: User | None = None, member: BusMember | None = None, why: str = "", outcome: str = ""
) -> None:
    """Log what happened to the registry, a search of it, or a breaker."""
    BusEntry.objects.create(
        side=SYSTEM,
        event=event,
        by=by,
        member=member,
        why=logs.storable(why)[:_WHY_MAX],
        outcome=logs.storable(outcome)[:_OUTCOME_MAX],
    )


def data(
    event: str,
    request: BusRequest,
    *,
    outcome: str = "",
    is_well: bool | None = None,
    duration_ms: float | None = None,
    by_id: int | None = None,
) -> None:
    """Log what happened to a request."""
    line(event, request, outcome=outcome, is_well=is_well, duration_ms=duration_ms, by_id=by_id).save(force_insert=True)


def line(
    event: str,
    request: BusRequest,
    *,
    outcome: str = "",
    is_well: bool | None = None,
    duration_ms: float | None = None,
    by_id: int | None = None,
) -> BusEntry:
    """The row to be written: who asked whom for what, why, and the outcome.

    `is_well`: whether the member could answer; None where it says nothing about the member.
    """
    return BusEntry(
        side=DATA,
        event=event,
        by_id=by_id or request.by_id,
        caller_id=request.caller_id,
        member_id=request.member_id,
        request_id=request.pk,
        capability=request.offered.name if request.offered is not None else request.capability,
        why=request.why or logs.storable(request.task)[:_WHY_MAX],
        outcome=logs.storable(outcome)[:_OUTCOME_MAX],
        is_well=is_well,
        duration_ms=duration_ms,
    )
