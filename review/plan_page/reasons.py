"""Why a plan is as it is: the rule and the beliefs behind its steps, and the values that people taught."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from agents.models import IntentPlan, Lesson
from agents.record.selectors import may_correct, plans_visible_to
from agents.states import PlanState
from agents.tuning import lessons
from library.models import ComponentVersion
from people.models import User
from review.reading import evidence, origins
from review.reading.evidence import Held, Why
from review.reading.steps import Step


@dataclass(frozen=True)
class Shown:
    """A belief of the panel; `belief_id` is the row that this person may deny here, None when they may not."""

    held: Held
    belief_id: int | None


@dataclass(frozen=True)
class Reason:
    """A choice of a rule, and the id of that rule's page (None when the rule is no longer in the library)."""

    why: Why
    rule_id: int | None
    beliefs: list[Shown]


@dataclass(frozen=True)
class TaughtValue:
    """A value from a lesson, for people who may read the plan that taught it. `is_open`: the lesson too."""

    position: int
    name: str
    lesson: Lesson
    is_open: bool


def taught_values(shown: Collection[Step], user: User) -> list[TaughtValue]:
    """The values from lessons, if this person may read the plans that taught them."""
    found = origins.of_lessons(shown)
    if not found:
        return []
    rows = Lesson.objects.filter(pk__in={number for _, _, number in found}).select_related("teacher")
    mine = rows.filter(plan__in=plans_visible_to(user).values("pk"))
    readable_lessons = {row.pk: row for row in mine}
    opened = set(lessons.visible_to(user).filter(pk__in=readable_lessons).values_list("pk", flat=True))
    return [
        TaughtValue(position, name, readable_lessons[number], number in opened)
        for position, name, number in found
        if number in readable_lessons
    ]


def reasons(plan: IntentPlan, user: User) -> list[Reason]:
    """The choice of a rule for the goal, then those for its sub-goals; none when no rule made the plan."""
    found = plan.plan.evidence
    why = evidence.why(found) if isinstance(found, dict) else None
    if why is None:
        return []
    choices = [why, *why.subgoals]
    versions = [one.version_id for one in choices if one.version_id is not None]
    pages = dict(ComponentVersion.objects.filter(pk__in=versions).values_list("pk", "component_id"))
    rows = _deniable(plan, user, {held.sentence for one in choices for held in one.beliefs})
    return [
        Reason(one, pages.get(one.version_id or 0), [Shown(held, rows.get(held.sentence)) for held in one.beliefs])
        for one in choices
    ]


def _deniable(plan: IntentPlan, user: User, sentences: Collection[str]) -> dict[str, int]:
    """The beliefs among these that the person may deny now, which the agent still holds, each with its row."""
    if plan.state != PlanState.AWAITING_REVIEW or not may_correct(user, plan.goal):
        return {}
    held = plan.goal.beliefs.filter(sentence__in=sentences, retracted_by="")
    return dict(held.order_by("pk").values_list("sentence", "pk"))
