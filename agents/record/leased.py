"""Work under a lease on its own row: begun by one worker, kept by it, given back, moved, and given up.

The races it closes are the same for every kind. Two workers begin the same row: the lock lets one through and the other
takes the next. A worker that was given up comes late: its fence is an older one, and it changes nothing. A worker dies:
its lease runs out by the clock of the database, and another one goes on. Whoever has cost too many workers, or is not
what mindX sealed, is given up with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now
from django.utils import timezone

from agents.models.leased import RUNNING, LastingWork, LeasedWork
from agents.record import causes
from agents.record.causes import Forged
from agents.record.lease import worker_name
from agents.states import MoveRefused

Work = TypeVar("Work", bound=LeasedWork)
_ALWAYS = Q()


def until() -> CombinedExpression:
    """When a lease runs out that is taken or renewed now, by the clock of the database."""
    return Now() + timedelta(seconds=settings.LEASE_S)


def taken() -> dict[str, Any]:
    """The columns of a lease that this worker takes now."""
    return {"lease_owner": worker_name(), "lease_fence": F("lease_fence") + 1, "lease_until": until()}


def free(kind: type[LeasedWork]) -> Q:
    """What a worker may begin: nobody has it, or whoever had it did not come back."""
    return Q(state=kind.free.value) | Q(state=RUNNING, lease_until__lte=Now())


# The same for statements of our own, where one for each piece of work is all that it may cost.
TAKEN_SQL = (
    "lease_owner = %(lease_owner)s, lease_fence = lease_fence + 1,"
    " lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)"
)


def taking() -> dict[str, Any]:
    """The values that TAKEN_SQL names."""
    return {"lease_owner": worker_name(), "lease_s": float(settings.LEASE_S)}


def free_sql(kind: type[LeasedWork]) -> str:
    """`free` as a condition in such a statement."""
    return f"(state = '{kind.free}' OR state = '{RUNNING}' AND lease_until <= clock_timestamp())"


def at_work() -> Q:
    """What a worker has now."""
    return Q(state=RUNNING, lease_until__gt=Now())


def begin(
    rows: QuerySet[Work],
    also: Callable[[Work], Mapping[str, Any]] = lambda row: {},
    move: Callable[..., object] | None = None,
) -> Work | None:
    """Begin the first of these rows that no other worker is beginning, in their order; `also` are more columns to set,
    and `move` is the kind's own, where others hear of its moves.

    Call it in a transaction. None where there is none, and where the row was given up instead.
    """
    move = move or to
    row = rows.select_for_update(skip_locked=True, no_key=True, of=("self",)).first()
    if row is None:
        return None
    why = "" if RUNNING in row.moves[row.state] else "its worker died while it ran"
    if not why:
        died = {"lost_workers": F("lost_workers") + 1} if row.state == RUNNING and isinstance(row, LastingWork) else {}
        values = {**taken(), **died, **also(row)}
        move(row, RUNNING, **values)
        row.refresh_from_db(fields=list(values))
        why = row.costs_too_much or _forged(row)
    if why:
        move(row, row.given_up, reason=why, **row.gives_up())
        return None
    return row


def _forged(row: LeasedWork) -> str:
    if row.is_sealed_when_asked:
        try:
            causes.check(row)
        except Forged as forged:
            return str(forged)
    return ""


def ours(row: Work) -> QuerySet[Work]:
    """The row, as long as it runs and no other worker has begun it since."""
    rows: QuerySet[Work] = type(row)._default_manager.filter(pk=row.pk, state=RUNNING, lease_fence=row.lease_fence)
    return rows


def is_ours(row: LeasedWork) -> bool:
    """Whether nobody has stopped it and no other worker has begun it since."""
    return ours(row).exists()


def renew(*rows: LeasedWork) -> bool:
    """Extend the leases of those that still are ours; False where none is."""
    renewed = [ours(row).update(lease_until=until()) for row in rows]
    return any(renewed)


def give_back(row: LeasedWork) -> None:
    """This worker is told to stop: another may go on at once."""
    ours(row).update(lease_until=Now())


def to(row: LeasedWork, new: str, only: Q = _ALWAYS, /, *, reason: str = "", **also: Any) -> None:
    """Move the row to a state; MoveRefused when its table forbids it, or when somebody moved or began it since.

    `only` is a further condition on the row as it is stored; `also` sets further columns.
    """
    if new not in row.moves[row.state]:
        raise MoveRefused(f"{row} cannot go from {row.state} to {new}")
    values: dict[str, Any] = {"state": str(new), "reason": reason, **row.comes_to(new, timezone.now()), **also}
    if new != RUNNING:
        values |= {"lease_until": None, "lease_owner": ""}
    unmoved = type(row)._default_manager.filter(only, pk=row.pk, state=row.state, lease_fence=row.lease_fence)
    if not unmoved.update(**values):
        raise MoveRefused(f"{row} is no longer {row.state}")
    for name, value in values.items():
        setattr(row, name, value)
