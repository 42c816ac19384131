"""Which plans really run on files: one whose step waits for a person's hand is executing and yet leaves them alone."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from agents.models import HandItem, IntentPlan
from agents.states import GoalState, PlanState


def running_plans() -> QuerySet[IntentPlan]:
    """Executing plans without those that are parked. Ask under the workspace's lock: whoever answers takes it too."""
    asked = HandItem.objects.filter(intent_plan=OuterRef("pk"), answered_at=None)
    parked = Exists(asked.filter(goal__state=GoalState.MANUAL.value))
    return IntentPlan.objects.filter(~parked, state=PlanState.EXECUTING.value)
