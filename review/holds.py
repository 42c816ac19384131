"""Decisions of the browser that have not taken effect yet: whose they are, and what that means for others."""

from __future__ import annotations

from agents.errors import StaleDigest
from agents.models import IntentPlan
from people.models import User
from review.models import HeldDecision


def open_on(plan: IntentPlan) -> HeldDecision | None:
    """The decision on this plan that can still be taken back; there is at most one."""
    return HeldDecision.objects.filter(intent_plan_id=plan.pk, dropped="").select_related("by").first()


def of(user: User) -> list[HeldDecision]:
    """What this person decided and may take back, and what was dropped and they have not read yet."""
    held = HeldDecision.objects.filter(by=user).select_related("intent_plan", "by")
    return list(held.defer("intent_plan__document").order_by("pk"))


def refuse_others(by: User, plan: IntentPlan) -> None:
    """Raises StaleDigest when somebody else has decided this plan and may still take it back."""
    held = open_on(plan)
    if held is not None and held.by_id != by.pk:
        raise StaleDigest(f"{sentence(held)} They may still take it back.")


def sentence(held: HeldDecision) -> str:
    """Who decided what, and when it takes effect."""
    return f"{held.by.display_name} was first: {held.words} in {held.seconds_left} s."
