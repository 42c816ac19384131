"""What an agent does when a belief changes: nothing, plan, plan again, or reconsider between two steps. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agents.bdi.intentions.commitment import in_words
from agents.bdi.intentions.premises import Loss
from agents.states import GOAL_ENDED, GoalState, PlanState


class Does(StrEnum):
    """`wake`: it is planned from these beliefs anyway. `reconsider`: its commitment decides, before the next step.
    `drop`: a person's word ends it, of which nothing has run.
    """

    NOTHING = "nothing"
    WAKE = "wake"
    PLAN_AGAIN = "plan_again"
    RECONSIDER = "reconsider"
    DROP = "drop"


@dataclass(frozen=True)
class Reaction:
    """What is done about a goal, and why in one sentence."""

    does: Does
    why: str


_RUNS = frozenset({PlanState.APPROVED, PlanState.EXECUTING})


def reaction(goal: GoalState, plan: PlanState | None, lost: Sequence[Loss], *, lacks_a_plan: bool) -> Reaction:
    """Decide about a goal after a belief was added, denied, taken back or has expired.

    `plan` is the state of its open plan, `lost` what of the plan's grounds is gone by the beliefs now; `lacks_a_plan`:
    it asks a person because none was found.
    """
    if goal in GOAL_ENDED:
        return Reaction(Does.NOTHING, "the goal has ended")
    if plan in _RUNS:
        return Reaction(Does.RECONSIDER, "the plan is approved: whether it continues is decided before its next step")
    if plan is PlanState.AWAITING_REVIEW:
        if lost:
            return Reaction(Does.PLAN_AGAIN, in_words(lost))
        return Reaction(Does.NOTHING, "everything that the plan in review depends on still holds")
    if goal is GoalState.MANUAL and lacks_a_plan:
        return Reaction(Does.PLAN_AGAIN, "no plan was found, and the beliefs have changed since")
    if goal in (GoalState.PENDING, GoalState.PLANNING):
        return Reaction(Does.WAKE, "it is planned again from the current beliefs")
    return Reaction(Does.NOTHING, f"a goal that is {goal.replace('_', ' ')} does not wait for a belief")
