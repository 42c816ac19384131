"""Reading what the frame and the overview show, each with the rights of the person who asks."""

from __future__ import annotations

from django.conf import settings
from django.db.models import QuerySet

from agents.models import IntentPlan
from agents.selectors import plans_visible_to
from agents.states import PlanState
from people.models import User


def waiting_for(user: User) -> QuerySet[IntentPlan]:
    """The plans this person may decide, longest waiting first."""
    plans = plans_visible_to(user).filter(state=PlanState.AWAITING_REVIEW)
    if settings.FOUR_EYES:
        plans = plans.exclude(goal__submitted_by=user)
    return plans.order_by("pk")
