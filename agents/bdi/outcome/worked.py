"""Whether a goal, and a plan of it, worked: the one definition, for everything that counts or learns. Pure.

A goal fails when it ends as failed, when its plan ran and what it asked for did not come about, and when a step failed
and only a person can go on: whether that person answers, cancels or lets it wait. A failure that mindX repairs by
itself is none. Whoever cancels a goal says nothing about it, unless it had failed before. What was handed to people
says nothing either: they were asked, and nothing was done yet.
"""

from __future__ import annotations

from agents.bdi.outcome.outcome import MISSED, Outcome
from agents.states import PLAN_ENDED, GoalState, PlanState

# In these mindX goes on by itself, or asks about a repair that it proposes: nothing has failed for good.
_GOES_ON = frozenset(
    {
        GoalState.BLOCKED,
        GoalState.PENDING,
        GoalState.PLANNING,
        GoalState.AWAITING_REVIEW,
        GoalState.EXECUTING,
        GoalState.RECOVERING,
    }
)


def goal_worked(state: str, outcome: str, *, failed: bool) -> bool | None:
    """None while that is open, where a goal was dropped that had not failed, and where it was handed to people.

    `failed`: a step of the newest of its plans that were begun has failed, and nothing got past it.
    """
    if state == GoalState.ACHIEVED:
        return None if outcome == Outcome.HANDED_OVER else outcome not in MISSED
    if state == GoalState.FAILED or (failed and state not in _GOES_ON):
        return False
    return None


def plan_worked(plan: str, goal: str, outcome: str, *, failed: bool, asked: bool) -> bool | None:
    """What a goal says about the plan that was made for it, and so about the rule or the tool behind that.

    `goal` and `outcome` are the goal's, and None is as in `goal_worked`. `failed`: a step of this plan has failed and
    nothing got past it. `asked`: a person was asked to repair a step; what works after that is the person's work.
    """
    if asked or plan == PlanState.FAILED:
        return False
    if outcome == Outcome.HANDED_OVER:
        return None
    if plan == PlanState.COMPLETE:
        return goal != GoalState.FAILED and outcome not in MISSED
    # Ended otherwise: what was planned in its place is another plan, and this one has failed.
    return False if failed and (plan in PLAN_ENDED or goal not in _GOES_ON) else None
