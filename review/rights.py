"""Who may decide a plan."""

from __future__ import annotations

from django.conf import settings

from agents.models import Goal, IntentPlan, LevelDocument
from agents.record import authors
from agents.record.authors import Authors
from people.models import User
from people.roles import Role


def is_reviewer(user: User) -> bool:
    """True for reviewers, including admins."""
    return user.has_role(Role.REVIEWER)


def why_not(user: User, plan: IntentPlan, known: Authors | None = None) -> str:
    """Why this person may not decide this plan, as a sentence; empty if they may.

    `known` are the authors of several goals including this one, if many are checked.
    """
    return why_not_edit(user, plan) or four_eyes(user, plan.goal, known)


def why_not_edit(user: User, plan: IntentPlan) -> str:
    """The same for changing its values: whoever changed a plan may change it again, for others to decide."""
    if not is_reviewer(user):
        return "Deciding needs the reviewer role."
    return _own_goal(user, plan.goal)


def why_not_level(user: User, document: LevelDocument, known: Authors | None = None) -> str:
    """The same for a design or a choice of rules; under four eyes nobody decides their own design either."""
    if not is_reviewer(user):
        return "Deciding needs the reviewer role."
    return four_eyes(user, document.goal, known)


def four_eyes(user: User, goal: Goal, known: Authors | None = None) -> str:
    """Why this person cannot be the second pair of eyes for a goal; empty without four eyes."""
    if not settings.FOUR_EYES:
        return ""
    if own := _own_goal(user, goal):
        return own
    did = (known or authors.of([goal.pk]))[goal.pk].get(user.pk)
    return f"You {did}, and four eyes are required: someone else must decide." if did else ""


def known_of(goal_ids: set[int]) -> Authors | None:
    """The authors of these goals, for `why_not` of each; None if they are not needed."""
    return authors.of(goal_ids) if settings.FOUR_EYES and goal_ids else None


def _own_goal(user: User, goal: Goal) -> str:
    if settings.FOUR_EYES and goal.submitted_by_id == user.pk:
        return "This goal is yours, and four eyes are required: someone else must decide."
    return ""
