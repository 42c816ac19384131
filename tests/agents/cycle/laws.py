"""What holds of goals and plans on Postgres whatever happens, for state machines whose rules are what can happen."""

from __future__ import annotations

import hashlib
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine, invariant

from agents.actors import pauses
from agents.goals import goals
from agents.models import Attempt, Goal, IntentPlan, Transition
from agents.plans import goal_families
from agents.states import GOAL_ENDED, GOAL_MOVES, PLAN_ENDED, PLAN_MOVES, GoalState, PlanState
from people.models import User
from review.deciding import envelope
from review.models import Approval


class Laws(RuleBasedStateMachine):
    """Everything is done by the services that pages and workers call; what they refuse has changed nothing."""

    cast: dict[str, User]

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[int] = []
        Goal.objects.filter(learned_at=None, state__in=[s.value for s in GOAL_ENDED]).update(
            learned_at="2020-01-01T00:00:00Z"
        )

    def one(self, which: int) -> Goal | None:
        return Goal.objects.get(pk=self.ids[which % len(self.ids)]) if self.ids else None

    def take_in(self, text: str, **more: Any) -> Goal:
        goal = goals.submit(by=self.cast["owner"], text=text, **more)
        self.ids.append(goal.pk)
        return goal

    def go_on(self) -> None:
        pauses.resume(Goal.objects.get(pk=self.ids[0]).agent, by=self.cast["chief"])

    @invariant()
    def every_move_is_in_the_tables(self) -> None:
        for move in Transition.objects.filter(goal_id__in=self.ids):
            if move.intent_plan_id is None:
                assert GoalState(move.new) in GOAL_MOVES[GoalState(move.old)]
            else:
                assert PlanState(move.new) in PLAN_MOVES[PlanState(move.old)]

    @invariant()
    def every_state_was_moved_to(self) -> None:
        """Each move begins where the one before it ended, and the last one ended where the goal or the plan is."""
        moves = list(Transition.objects.filter(goal_id__in=self.ids).order_by("pk"))
        for goal_id, state in Goal.objects.filter(pk__in=self.ids).values_list("pk", "state"):
            of_goal = [one for one in moves if one.goal_id == goal_id and one.intent_plan_id is None]
            _follow(of_goal, state, GoalState.PENDING)
        for plan_id, state in IntentPlan.objects.filter(goal_id__in=self.ids).values_list("pk", "state"):
            _follow([one for one in moves if one.intent_plan_id == plan_id], state, PlanState.AWAITING_REVIEW)

    @invariant()
    def no_goal_is_lost(self) -> None:
        """Each has ended, or a worker can claim it, or a person is asked; and none keeps a lease that nobody holds."""
        for goal in Goal.objects.filter(pk__in=self.ids):
            assert goal.lease_until is None, "a turn is over when it returns"
            plans = goal.intent_plans.exclude(state__in=[state.value for state in PLAN_ENDED])
            if goal.has_ended:
                assert not plans.exists()
            elif goal.state in (GoalState.AWAITING_REVIEW, GoalState.EXECUTING):
                assert plans.count() == 1
            else:
                assert goal.state in (GoalState.PENDING, GoalState.MANUAL, GoalState.RECOVERING), goal.state
                assert goal.state != GoalState.PENDING or not plans.exists(), "it is planned anew beside an open plan"
            if goal.parent_id and Goal.objects.get(pk=goal.parent_id).state == GoalState.DROPPED:
                goal_families.drop_orphans()
                goal.refresh_from_db()
                running = goal.state == GoalState.EXECUTING
                assert goal.has_ended or running

    @invariant()
    def nothing_ran_that_was_not_approved_nor_twice(self) -> None:
        for attempt in Attempt.objects.filter(intent__intent_plan__goal_id__in=self.ids).select_related("intent"):
            plan = IntentPlan.objects.get(pk=attempt.intent.intent_plan_id)
            assert plan.approved_digest == plan.digest == hashlib.sha256(plan.document).hexdigest()
            approval = Approval.objects.get(intent_plan=plan, digest=plan.digest)
            assert failed_tries(plan, attempt.intent.position) <= envelope.tries_in(approval.envelope)

    def teardown(self) -> None:
        for goal_id in self.ids:
            goal = Goal.objects.get(pk=goal_id)
            pauses.resume(goal.agent, by=self.cast["chief"])
            if not goal.has_ended:
                goals.cancel(goal, by=self.cast["owner"])


def failed_tries(plan: IntentPlan, position: int) -> int:
    """How often the step itself was tried and failed."""
    return Attempt.objects.filter(
        intent__intent_plan=plan, intent__position=position, outcome="failed", alternative=0
    ).count()


def _follow(moves: list[Transition], state: str, first: str) -> None:
    ways = [first, *(one.new for one in moves)]
    assert [one.old for one in moves] == ways[:-1]
    assert state == ways[-1]
