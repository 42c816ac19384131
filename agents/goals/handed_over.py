"""Goals that handed their work to people: which goals were made to do that work, and whether there are any."""

from __future__ import annotations

from collections.abc import Iterable

from agents.bdi.outcome.outcome import Outcome
from agents.models import Deed, Goal
from agents.states import GoalState

# The commands that hand over by making a goal; what the others leave is a candidate, a wish or a question.
_MAKING = ("design_solution", "process_workflow")


def is_lost(goal: Goal) -> bool:
    """Whether a goal that waits for this one could never start: it did not succeed, or left a question to people only.

    A goal of sub-goals is lost when one of them is.
    """
    if goal.outcome != Outcome.HANDED_OVER:
        return goal.has_ended and goal.state != GoalState.ACHIEVED
    parts = _parts(goal)
    return any(map(is_lost, parts)) if parts else not _made(goal)


def awaited(goals: Iterable[Goal]) -> list[Goal]:
    """The goals, then those that were made for them and in which their work is done: who waits for them waits for both.

    Each of them once.
    """
    found: dict[int, Goal] = {}
    left = list(goals)
    while left:
        goal = left.pop(0)
        if goal.pk not in found:
            found[goal.pk] = goal
            left += _behind(goal)
    return list(found.values())


def _behind(goal: Goal) -> list[Goal]:
    if goal.outcome != Outcome.HANDED_OVER:
        return []
    return [*_made(goal), *(made for part in _parts(goal) for made in _behind(part))]


def _parts(goal: Goal) -> list[Goal]:
    return list(Goal.objects.filter(said_by__parent=goal, outcome=Outcome.HANDED_OVER.value).order_by("pk"))


def _made(goal: Goal) -> list[Goal]:
    deeds = Deed.objects.filter(goal=goal, command__in=_MAKING).values_list("result__goal", flat=True)
    return list(Goal.objects.filter(pk__in=[int(pk) for pk in deeds]).order_by("pk"))
