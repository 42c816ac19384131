"""Which plans really run on files: one whose step waits, for a person's hand or until something is so, is executing and
yet leaves them alone.
"""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from agents.models import HandItem, IntentPlan
from agents.states import GoalState, PlanState

# How the reason of a goal begins whose step waits until something is so.
WAITS_UNTIL = "waits_until"


def running_plans() -> QuerySet[IntentPlan]:
    """Executing plans without those that are parked. Ask under the workspace's lock: whoever answers takes it too."""
    asked = HandItem.objects.filter(intent_plan=OuterRef("pk"), answered_at=None)
    parked = Exists(asked.filter(goal__state=GoalState.MANUAL.value))
    return IntentPlan.objects.filter(~parked, state=PlanState.EXECUTING.value)


def plans_on_files() -> QuerySet[IntentPlan]:
    """The same without plans that sleep until something is so: what people put into the files meanwhile may be just
    that. A command typed by hand is no such thing: it would still run when the plan goes on.
    """
    return running_plans().exclude(goal__state=GoalState.RECOVERING.value, goal__reason__startswith=WAITS_UNTIL)
