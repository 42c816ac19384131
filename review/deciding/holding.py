"""Holds a browser decision for some seconds, in which it can be undone. API decisions are never held.

A dead process loses nothing: due decisions are in the table, and any worker's sweep carries them out. The process that
received the person's decision seals the row; a row without its seal is refused and reported.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import ExpressionWrapper, F, FloatField
from django.db.models.functions import Extract, Now
from django.utils import timezone

from agents.models import IntentPlan
from agents.record import wake_ups
from agents.record.errors import AgentsError, StaleDigest
from people import journal, sealing
from people.journal import Event
from people.models import User
from review.deciding import held_decisions, ruling
from review.deciding.ruling import Ruling
from review.errors import ReviewError
from review.models import Decision, HeldDecision

logger = logging.getLogger(__name__)

# After this many failures the decision is dropped, so that its person does not wait for ever.
_TRIED_FOR = timedelta(minutes=1)
_FAILED = "mindX failed to carry it out. Operators find the error in the log. Decide again."
_FORGED = (
    "It was not sealed by mindX: it was made by an earlier version, or added or changed in the database from outside."
    " Nothing was decided. Decide again if it was you; otherwise tell an admin."
)

_SECONDS_LEFT = ExpressionWrapper(Extract(F("due_at") - Now(), "epoch"), output_field=FloatField())


class _Rehearsed(Exception):
    """Everything succeeded; roll it back."""


def decide(plan: IntentPlan, made: Ruling, *, by: User) -> str:
    """Hold the decision for HOLD_S seconds, or carry it out at once if that is 0; returns the message for the person.

    It is checked now as it will be then, so that nobody learns of a typing error ten seconds later. A person's newer
    decision replaces their pending one. Errors as the services raise them.
    """
    if not settings.HOLD_S:
        return ruling.carry_out(plan, made, by=by)
    is_first = _rehearse(plan, made, by=by)
    try:
        with transaction.atomic():
            replaced = list(HeldDecision.objects.filter(intent_plan=plan, by=by, dropped=""))
            for earlier in replaced:
                _remove(earlier)
            held = HeldDecision.objects.create(
                intent_plan=plan,
                by=by,
                digest=made.digest,
                verdict=HeldDecision.FIRST if is_first else made.verdict,
                ruling=made.as_json(),
                # The database's clock, which the sweep asks too, whatever machine it runs on.
                due_at=Now() + timedelta(seconds=settings.HOLD_S),
            )
            sealing.seal(held)
            _tell(plan.goal_id)
            for earlier in replaced:
                _keep(earlier, "took back")
    except IntegrityError:
        # The race: two people at the same moment. The unique constraint lets one of them through.
        held_decisions.refuse_others(by, plan)
        raise StaleDigest("Somebody else decided this plan at the same moment. Read the plan again.") from None
    return ""


def _rehearse(plan: IntentPlan, made: Ruling, *, by: User) -> bool:
    """Do all of it and roll back: the same checks as later, because it is the same code.

    True when it would be the first of two approvals.
    """
    first = False
    try:
        with transaction.atomic():
            ruling.carry_out(plan, made, by=by)
            last = Decision.objects.filter(by=by).order_by("-pk").first()
            first = last is not None and last.verdict == Decision.Verdict.FIRST_APPROVAL
            raise _Rehearsed
    except _Rehearsed:
        plan.refresh_from_db()
    return first


def undo(held_id: int, plan: IntentPlan, *, by: User) -> bool:
    """Undo a pending decision, or close a dropped one that was read. False: it has already taken effect.

    The race it closes: the sweep locks the row while it carries the decision out, so this waits and then finds
    nothing.
    """
    with transaction.atomic():
        held = HeldDecision.objects.select_for_update().filter(pk=held_id, intent_plan=plan, by=by).first()
        if held is not None:
            _take_back([held])
    return held is not None


def undo_batch(batch: str, *, by: User) -> set[int]:
    """Undo what is still held of a batch; returns the ids of its plans. Waits for what the sweep is carrying out, as in
    `undo`.
    """
    with transaction.atomic():
        mine = HeldDecision.objects.filter(by=by, dropped="", ruling__batch=batch)
        rows = list(mine.select_for_update(of=("self",)).select_related("intent_plan").order_by("pk"))
        _take_back(rows)
    return {held.intent_plan_id for held in rows}


def _take_back(rows: Sequence[HeldDecision]) -> None:
    for held in rows:
        _remove(held)
        _tell(held.intent_plan.goal_id)
    # A dropped one was kept as such before, and is closed now that its person has read that.
    for held in rows:
        if not held.dropped:
            _keep(held, "took back")


def _keep(held: HeldDecision, what: str, why: str = "") -> None:
    """The journal has the decisions that took effect; here those that never will. Its lock is taken last."""
    journal.decided(
        Event.HELD,
        by=held.by,
        subject=f"plan:{held.intent_plan_id}",
        verdict=held.verdict,
        digest=held.digest,
        comment=why,
        what=what,
        made_at=held.made_at.isoformat(),
        goal=held.intent_plan.goal_id,
    )


def _tell(goal_id: int) -> None:
    """Update the queue and the goal, which show held decisions."""
    wake_ups.queue_changed()
    wake_ups.goal_changed(goal_id)


def _remove(held: HeldDecision) -> None:
    """Nobody can restore it: its seal is invalid now."""
    sealing.end(held)
    held.delete()


def drop(held: HeldDecision, why: str) -> None:
    """It never takes effect; its person is told why."""
    sealing.end(held)
    HeldDecision.objects.filter(pk=held.pk).update(dropped=why)
    _tell(held.intent_plan.goal_id)
    if why != _FORGED:
        _keep(held, "could not carry out", why)


def settle_due() -> int:
    """Carry out what is due, each in its own transaction, beside other workers. Returns how many were checked."""
    seen: list[int] = []
    while True:
        with transaction.atomic():
            due = HeldDecision.objects.filter(dropped="", due_at__lte=Now()).exclude(pk__in=seen)
            locked = due.select_for_update(no_key=True, skip_locked=True).order_by("due_at", "pk")
            held = locked.first()
            if held is None:
                return len(seen)
            seen.append(held.pk)
            _take_effect(held)


def next_due_s() -> float | None:
    """In how many seconds the next decision takes effect that is not due yet; None when there is none."""
    coming = HeldDecision.objects.filter(dropped="", due_at__gt=Now()).order_by("due_at")
    return coming.values_list(_SECONDS_LEFT, flat=True).first()


def oldest_due_s() -> float:
    """For how many seconds the oldest decision has been due that has not taken effect; 0 when there is none."""
    due = HeldDecision.objects.filter(dropped="", due_at__lte=Now()).order_by("due_at")
    return -(due.values_list(_SECONDS_LEFT, flat=True).first() or 0.0)


def _take_effect(held: HeldDecision) -> None:
    if not sealing.is_genuine(held):
        _refuse(held)
        return
    plan = IntentPlan.objects.select_related("goal").get(pk=held.intent_plan_id)
    by = User.objects.get(pk=held.by_id)
    try:
        with transaction.atomic():
            if not by.is_active:
                raise StaleDigest("The account of the person who decided is no longer active.")
            ruling.carry_out(plan, Ruling.from_json(held.ruling), by=by)
    except (AgentsError, ReviewError) as error:
        logger.warning("The held decision on plan %s was dropped: %s", plan.pk, error, extra={"intent_plan": plan.pk})
        drop(held, str(error))
    except Exception:  # the edge of the loop: it is tried again every second for a while, and the others continue
        logger.exception("A held decision could not be carried out", extra={"intent_plan": plan.pk})
        if held.due_at < timezone.now() - _TRIED_FOR:
            drop(held, _FAILED)
    else:
        _remove(held)


def _refuse(held: HeldDecision) -> None:
    """No person made this decision: tell the person it names, the operators and the journal."""
    logger.error("A held decision that mindX did not seal was refused", extra={"held_decision": held.pk})
    drop(held, _FORGED)
    told = {"what": "a held decision", "row": held.pk, "in_the_name_of": held.by.username, "verdict": held.verdict}
    journal.record(Event.FORGED, by=None, subject=f"plan:{held.intent_plan_id}", data=told)
