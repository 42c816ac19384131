"""The values that a parameter had in earlier runs that succeeded, as far as the goal's submitter may see them."""

from __future__ import annotations

from django.utils import timezone

from agents.bdi.outcome.outcome import MISSED
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Unreadable
from agents.bdi.understanding.experience import Seen
from agents.models import Goal, Intent
from agents.record.selectors import goals_visible_to
from agents.states import IntentState

# The newest so many steps of a command say enough about what is usual.
MOST = 40
_DAY_S = 86_400.0


def values_of(goal: Goal, tool: str, command: str, name: str) -> list[Seen]:
    """What the newest succeeded steps of this command were given. A goal's runs are seen by whom the goal is."""
    steps = (
        Intent.objects.filter(tool=tool, command=command, state=IntentState.SUCCEEDED.value)
        .filter(intent_plan__goal__in=goals_visible_to(goal.submitted_by))
        .exclude(intent_plan__goal=goal.pk)
        .exclude(intent_plan__goal__outcome__in=sorted(MISSED))
        .select_related("intent_plan__goal__submitted_by")
        .order_by("-pk")[:MOST]
    )
    now, found = timezone.now(), []
    for step in steps:
        try:
            params = documents.read(bytes(step.intent_plan.document)).at(step.position).params
        except (Unreadable, IndexError):
            continue
        if name in params:
            goal_of = step.intent_plan.goal
            days = (now - step.intent_plan.queued_at).total_seconds() / _DAY_S
            found.append(Seen(params[name], days, str(goal_of.pk), goal_of.submitted_by.username))
    return found
