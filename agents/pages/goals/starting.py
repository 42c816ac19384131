"""What becomes of a plan between its approval and its first step, in words; and a worker of which nothing is heard."""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone

from agents.cycle import waiting
from agents.models import Goal, IntentPlan, Transition
from agents.states import PlanState

# A plan usually begins within some milliseconds. After this time people are told why it has not.
BEHIND_S = 5.0
_COUNT_UP_TO = 1_000


def of(plan: IntentPlan) -> str:
    """Why an approved plan has not begun; "" if it has, or if it waits for something else than a worker."""
    if plan.state != PlanState.APPROVED or plan.goal.agent.paused:
        return ""
    moved = Transition.objects.filter(intent_plan=plan, new=PlanState.APPROVED.value).order_by("-pk").first()
    since_s = (timezone.now() - moved.at).total_seconds() if moved is not None else 0.0
    return "starting …" if since_s < BEHIND_S else behind()


def behind() -> str:
    """That workers are behind, and by how much."""
    turns = sum(number for kind, number in waiting.counts(_COUNT_UP_TO).items() if kind != waiting.BACKGROUND)
    return f"workers are behind: {turns:,} turns wait" if turns > 1 else "no worker has taken it up yet"


def silent(goal: Goal) -> str:
    """The worker that has the goal and has not said for a while that it lives, and for how long; "" if it has."""
    if not goal.lease_owner or goal.lease_until is None:
        return ""
    left_s = (goal.lease_until - timezone.now()).total_seconds()
    silent_s = settings.LEASE_S - left_s
    # It says so four times in the time of a lease.
    if silent_s < settings.LEASE_S / 2:
        return ""
    then = f"another takes over in {left_s:.0f} s" if left_s >= 1 else "another takes over"
    return f"worker {goal.lease_owner} has been silent for {silent_s:.0f} s; {then}"
