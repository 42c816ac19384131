from __future__ import annotations

from itertools import product

import pytest

from agents.bdi.intentions.premises import Ground, Loss
from agents.bdi.intentions.reacting import Does, reaction
from agents.states import GOAL_ENDED, GOAL_MOVES, PLAN_MOVES, GoalState, PlanState

LOST = (Loss(Ground("the network is up", "start", 1, ("The network is up.",), told=True), None),)


def test_a_plan_in_review_is_made_again_only_when_it_stood_on_what_is_gone() -> None:
    def of(lost: tuple[Loss, ...]) -> Does:
        return reaction(GoalState.AWAITING_REVIEW, PlanState.AWAITING_REVIEW, lost, lacks_a_plan=False).does

    assert of(LOST) is Does.PLAN_AGAIN
    assert of(()) is Does.NOTHING


def test_a_goal_that_found_no_plan_tries_again_and_one_that_asks_for_a_hand_does_not() -> None:
    assert reaction(GoalState.MANUAL, None, (), lacks_a_plan=True).does is Does.PLAN_AGAIN
    assert reaction(GoalState.MANUAL, None, (), lacks_a_plan=False).does is Does.NOTHING


@pytest.mark.parametrize(("goal", "plan"), [*product(GoalState, [None, *PlanState])])
def test_no_reaction_leaves_the_tables_or_touches_what_was_approved(goal: GoalState, plan: PlanState | None) -> None:
    for lost, lacks in product(((), LOST), (False, True)):
        does = reaction(goal, plan, lost, lacks_a_plan=lacks).does
        if goal in GOAL_ENDED:
            assert does is Does.NOTHING
        elif plan in (PlanState.APPROVED, PlanState.EXECUTING):
            assert does is Does.RECONSIDER
        elif does is Does.PLAN_AGAIN:
            assert plan is not PlanState.AWAITING_REVIEW or PlanState.SUPERSEDED in PLAN_MOVES[plan]
            if plan is not PlanState.AWAITING_REVIEW:
                assert GoalState.PENDING in GOAL_MOVES[goal]


@pytest.mark.parametrize("goal", [GoalState.PENDING, GoalState.PLANNING])
def test_a_goal_that_is_planned_anyway_is_only_woken(goal: GoalState) -> None:
    assert reaction(goal, None, LOST, lacks_a_plan=False).does is Does.WAKE


def test_what_is_done_about_a_goal_is_said_in_words() -> None:
    nothing = reaction(GoalState.RECOVERING, None, (), lacks_a_plan=False)
    assert (nothing.does, nothing.why) == (Does.NOTHING, "a goal that is recovering does not wait for a belief")
    again = reaction(GoalState.AWAITING_REVIEW, PlanState.AWAITING_REVIEW, LOST, lacks_a_plan=False)
    assert "the network is up" in again.why
