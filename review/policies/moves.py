"""The one place that moves a policy: a conditional update and a row of its history, in one transaction."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.record import causes
from people import sealing
from people.journal import Event
from people.models import User
from review.audit import journal
from review.models import PolicyChange, ReviewPolicy
from review.policy.bodies import LookedAt, together
from review.policy.states import POLICY_MOVES, PolicyState


def move_policy(
    policy: ReviewPolicy,
    new: PolicyState,
    *,
    event: str,
    by: User | None,
    data: dict[str, Any],
    reason: str = "",
    only: dict[str, Any] | None = None,
    **also: Any,
) -> bool:
    """Move it to `new`; False if the table forbids it or somebody was first. `by` None: mindX did it.

    The race it closes: two people, or a person and a bad outcome, at once. The update is conditional on a state from
    which the table allows the move, and on the fields in `only`.

    A change by a person seals the row. If mindX itself suspends a policy, it seals the row only if it was genuine
    before.
    """
    movable = [old.value for old, targets in POLICY_MOVES.items() if new in targets]
    with transaction.atomic():
        may_seal = sealing.lock(policy)[1] is not None or by is not None
        rows = ReviewPolicy.objects.filter(pk=policy.pk, state__in=movable, **(only or {}))
        if not rows.update(state=new.value, reason=reason, changed_at=timezone.now(), **also):
            return False
        if may_seal:
            sealing.seal(policy)
        note(policy, event, by=by, data=data)
    policy.refresh_from_db()
    return True


def look_at(policy: ReviewPolicy, new: LookedAt, *, by: User, data: dict[str, Any], only: dict[str, Any]) -> bool:
    """Have it approve these bodies, too; False if it is no longer as `only` says.

    The race it closes: two people, or one page that is sent twice. Each adds to what the other left. Raises Forged for
    a row that mindX did not seal: what somebody else put there must not become something that a person looked at.
    """
    with transaction.atomic():
        held = ReviewPolicy.objects.select_for_update(no_key=True).filter(pk=policy.pk, **only).first()
        if held is None:
            return False
        if (both := together(held.looked_at, new)) != held.looked_at:
            causes.change(held, looked_at=both)
            note(policy, "confirmed", by=by, data=data)
    policy.refresh_from_db()
    return True


def note(policy: ReviewPolicy, event: str, *, by: User | None, data: dict[str, Any]) -> None:
    """Record who changed what in a policy. The only place that records such a change."""
    PolicyChange.objects.create(policy=policy, by=by, event=event, data=data)
    journal.write(
        Event.POLICY, by=by, subject=f"policy:{policy.pk}", data={"called": policy.name, "what": event, **data}
    )
