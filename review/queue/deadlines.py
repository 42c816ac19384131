"""Time limits of review in the database: clocks start, mark plans, are extended, and close undecided plans."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from agents.models import IntentPlan
from agents.plans import plans
from agents.record import logs, wake_ups
from agents.record.errors import NotPossibleNow
from agents.states import PlanState
from people import journal
from people.journal import Event
from people.models import User
from review import rights, timing
from review.errors import DecisionRefused
from review.models import QueueEntry, ReviewClock, TimeLimit

logger = logging.getLogger(__name__)

EXTENSION_MIN = 60
PRIORITIES = range(1, 6)
# How many rows one sweep handles; the next sweep continues.
_AT_ONCE = 500
_BY = "review time limit"
_WAITS = PlanState.AWAITING_REVIEW.value


def sweep() -> None:
    """Start, mark, close. Every part is conditional on the current rows, so two sweeps at once do no harm."""
    start()
    mark_urgent()
    for clock in ReviewClock.objects.filter(due_at__lte=Now(), intent_plan__state=_WAITS)[:_AT_ONCE]:
        expire(clock)
    # A trigger stops the clock of a plan that leaves the queue; a clock that was started just then is stopped here.
    ReviewClock.objects.filter(due_at__lte=Now()).exclude(intent_plan__state=_WAITS).update(
        due_at=None, escalate_at=None
    )


def start() -> None:
    """Give every waiting plan its clock. Without limits there are none, and plans wait for ever."""
    limits = [row.as_limit() for row in TimeLimit.objects.all()]
    if not limits:
        return
    # Plans without a limit are skipped, so they are not read again and again and cannot block those with one.
    limited = [priority for priority in PRIORITIES if timing.limit_for(priority, limits) is not None]
    waiting = QueueEntry.objects.filter(waits=True, has_clock=False, priority__in=limited).order_by("pk")[:_AT_ONCE]
    clocks = []
    for entry in waiting:
        limit = timing.limit_for(entry.priority, limits)
        if limit is not None:
            found = timing.times(entry.queued_at, limit)
            clocks.append(
                ReviewClock(
                    intent_plan_id=entry.pk,
                    escalate_at=found.escalate_at,
                    due_at=found.due_at,
                    minutes=limit.minutes,
                    to_manual=limit.to_manual,
                )
            )
    # The race it closes: two sweeps; the first row wins.
    ReviewClock.objects.bulk_create(clocks, ignore_conflicts=True)
    QueueEntry.objects.filter(pk__in=[clock.intent_plan_id for clock in clocks]).update(has_clock=True)
    if clocks:
        wake_ups.queue_changed()


def mark_urgent() -> None:
    """Mark each plan whose time is running out, once."""
    waiting = ReviewClock.objects.filter(escalate_at__lte=Now(), escalated_at__isnull=True, intent_plan__state=_WAITS)
    for clock in waiting.select_related("intent_plan")[:_AT_ONCE]:
        with transaction.atomic():
            plans.locked(clock.intent_plan)  # its place in the queue is moved: the locks in the order of a decision
            # Decided or extended at this moment: its clock has another moment by now, or none.
            due = ReviewClock.objects.filter(pk=clock.pk, escalate_at__lte=Now(), escalated_at__isnull=True)
            if due.update(escalated_at=Now()):
                QueueEntry.objects.filter(pk=clock.intent_plan_id).update(is_urgent=True)
                said = "nobody has decided this plan, and its time is running out"
                logs.say(clock.intent_plan.goal_id, "review", "review", said, level="warning")
                wake_ups.queue_changed()


def expire(clock: ReviewClock) -> bool:
    """Close the plan: it expires, and its goal is dropped or needs a person. False if somebody was first.

    The race it closes: a decision or an extension at the same moment. All of them lock goal, then plan; the second one
    finds another state, or another moment on the clock.
    """

    def still_due(locked: IntentPlan) -> bool:
        return ReviewClock.objects.filter(intent_plan=locked, due_at__lte=Now()).exists()

    reason = f"nobody decided within {in_words(clock.minutes + clock.extended_min)}"
    closed = plans.expire(clock.intent_plan, by=_BY, reason=reason, to_manual=clock.to_manual, still_due=still_due)
    if closed:
        logger.info("Plan %s expired: %s", clock.intent_plan_id, reason)
    return closed


def extend(plan: IntentPlan, *, by: User) -> ReviewClock:
    """Let the plan wait for another hour. Raises DecisionRefused without the right to decide it, and NotPossibleNow
    if it does not wait or has no time limit.
    """
    if reason := rights.why_not(by, plan):
        raise DecisionRefused(reason)
    with transaction.atomic():
        locked = plans.locked(plan)
        clock = ReviewClock.objects.filter(intent_plan=locked, due_at__isnull=False).first()
        if locked.state != _WAITS or clock is None:
            raise NotPossibleNow("This plan no longer has a time limit. Nothing was extended.")
        more = timedelta(minutes=EXTENSION_MIN)
        # No longer marked: after the share of the new time, the sweep marks it again.
        ReviewClock.objects.filter(pk=clock.pk).update(
            due_at=F("due_at") + more,
            escalate_at=F("escalate_at") + more,
            escalated_at=None,
            extended_min=F("extended_min") + EXTENSION_MIN,
        )
        QueueEntry.objects.filter(pk=plan.pk).update(is_urgent=False)
        before = clock.due_at
        clock.refresh_from_db()
        told = f"{by.username} extended the time limit of this plan by {in_words(EXTENSION_MIN)}"
        logs.say(plan.goal_id, "review", "review", told)
        wake_ups.queue_changed()
        data = {"before": {"due": str(before)}, "after": {"due": str(clock.due_at)}}
        journal.record(Event.EXTENDED, by=by, subject=f"plan:{plan.pk}", data=data)
    return clock


def in_words(minutes: int) -> str:
    """Whole minutes as people say them."""
    hours, rest = divmod(minutes, 60)
    return " ".join(
        part for part in (f"{hours} h" if hours else "", f"{rest} min" if rest or not hours else "") if part
    )
