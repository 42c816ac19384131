"""Who may decide a plan."""

from __future__ import annotations

from django.conf import settings

from agents.models import Goal, IntentPlan, LevelDocument
from people.models import User
from people.roles import Role


def is_reviewer(user: User) -> bool:
    """True for those whose work is deciding (an admin is one too)."""
    return user.has_role(Role.REVIEWER)


def why_not(user: User, plan: IntentPlan) -> str:
    """The sentence that says why this person may not decide this plan; empty when they may."""
    return _why_not_of(user, plan.goal)


def why_not_level(user: User, document: LevelDocument) -> str:
    """The same for a design or a choice of rules; nobody decides a design of their own under four eyes either."""
    if reason := _why_not_of(user, document.goal):
        return reason
    if settings.FOUR_EYES and document.by_id == user.pk:
        return "This design is yours, and four eyes are required: someone else must decide."
    return ""


def _why_not_of(user: User, goal: Goal) -> str:
    if not is_reviewer(user):
        return "Deciding needs the reviewer role."
    if settings.FOUR_EYES and goal.submitted_by_id == user.pk:
        return "This goal is yours, and four eyes are required: someone else must decide."
    return ""
