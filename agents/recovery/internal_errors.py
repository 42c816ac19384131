"""Goals that wait for a person because their turns failed inside mindX, and letting them go on."""

from __future__ import annotations

from agents.models import Goal
from agents.record.errors import NotPossibleNow
from agents.record.moves import move_goal
from agents.states import GoalState, PlanState
from people.models import User

# How the reason of such a goal begins.
REASON = "internal_error"


def try_again(goal: Goal, *, by: User) -> None:
    """Go on where turns failed: whoever asks for it believes that the fault is mended. The caller holds the row."""
    if not is_of(goal):
        raise NotPossibleNow(f"Goal {goal.pk} did not fail inside mindX: it is {goal.state}.")
    open_states = set(goal.intent_plans.values_list("state", flat=True))
    if PlanState.EXECUTING in open_states:
        new = GoalState.EXECUTING
    elif open_states & {PlanState.APPROVED, PlanState.AWAITING_REVIEW}:
        new = GoalState.AWAITING_REVIEW
    else:
        new = GoalState.PENDING
    move_goal(goal, new, by=by.username, lost_workers=0, lost_at="", wake_at=None)


def is_of(goal: Goal) -> bool:
    """Whether the goal waits for a person because its turns failed inside mindX."""
    return goal.state == GoalState.MANUAL and goal.reason.startswith(REASON)


def keeps_a_plan(goal: Goal) -> bool:
    """Whether such a goal has a plan that has begun, which another plan must not replace."""
    return is_of(goal) and goal.intent_plans.filter(state=PlanState.EXECUTING.value).exists()
