"""A plan that is open under a goal that can have none is ended, so that its files are free; every other one is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from agents import upkeep
from agents.cycle import cycle
from agents.models import Attempt, Goal, IntentPlan
from agents.plans import stray_plans
from agents.plans.reporting import held
from agents.record import moves
from agents.record.lease import LeaseLost, claim
from agents.states import GOAL_ENDED, PLAN_ENDED, GoalState, IntentState, MoveRefused, PlanState
from people.models import User
from review.deciding import decisions
from tests.agents.execution.taking import take_up

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]

Propose = Callable[..., IntentPlan]
OPEN = sorted(set(PlanState) - PLAN_ENDED)


@pytest.fixture
def approve(propose_plan: Propose, owner: User, reviewer: User) -> Callable[..., IntentPlan]:
    """`approve(workspace=…)`: an approved plan of which nothing has run."""

    def made(goal: Goal | None = None) -> IntentPlan:
        plan = propose_plan(goal or owner)
        return decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")

    return made


def _begun(plan: IntentPlan) -> Attempt:
    """The plan in the middle of its second step, under a lease that holds."""
    lease = claim(plan.goal_id)
    assert lease is not None
    assert take_up(lease) is not None
    plan.intents.filter(position=1).update(state=IntentState.SUCCEEDED.value, result={})
    plan.intents.filter(position=2).update(state=IntentState.RUNNING.value)
    IntentPlan.objects.filter(pk=plan.pk).update(position=2)
    return Attempt.objects.create(
        intent=plan.intents.get(position=2), number=1, fence=lease.fence, worker="gone", started=timezone.now()
    )


def _force(plan: IntentPlan, goal: GoalState, state: PlanState | None = None) -> None:
    """Rows as no move leaves them."""
    ended_at = timezone.now() if goal in GOAL_ENDED else None
    Goal.objects.filter(pk=plan.goal_id).update(state=goal.value, ended_at=ended_at)
    if state is not None:
        approved_digest = plan.digest if state in (PlanState.APPROVED, PlanState.EXECUTING) else ""
        IntentPlan.objects.filter(pk=plan.pk).update(state=state.value, approved_digest=approved_digest)


@pytest.mark.parametrize("ended", sorted(GOAL_ENDED))
def test_a_plan_that_runs_under_an_ended_goal_is_ended_and_the_next_one_begins(
    ended: GoalState, approve: Callable[..., IntentPlan], make_goal: Callable[..., Goal], owner: User
) -> None:
    plan = approve()
    attempt = _begun(plan)
    behind = approve(make_goal(owner, workspace=plan.workspace))
    _force(plan, ended)
    assert claim(behind.goal_id) is None, "its files are held"
    upkeep.sweep()
    plan.refresh_from_db()
    attempt.refresh_from_db()
    assert (plan.state, plan.reason) == (PlanState.CANCELLED, f"its goal is {ended}")
    assert plan.ended_at is not None
    assert (attempt.outcome, attempt.intent.state) == ("cancelled", IntentState.FAILED)
    assert attempt.finished is not None
    moved = plan.goal.transitions.order_by("-pk").first()
    assert moved is not None
    assert (moved.intent_plan_id, moved.old, moved.new) == (plan.pk, "executing", "cancelled")
    said = f"revision 1 was executing although its goal is {ended}; it was ended"
    assert plan.goal.log_lines.filter(text=said, level="error").exists()
    assert Goal.objects.get(pk=plan.goal_id).state == ended
    cycle.work(behind.goal_id)
    assert Goal.objects.get(pk=behind.goal_id).state == GoalState.ACHIEVED


@pytest.mark.parametrize("goal", sorted(stray_plans.WITHOUT_PLAN))
@pytest.mark.parametrize("state", OPEN)
def test_no_plan_stays_open_under_a_goal_that_can_have_none(
    goal: GoalState, state: PlanState, propose_plan: Propose, owner: User
) -> None:
    plan = propose_plan(owner)
    _force(plan, goal, state)
    assert stray_plans.sweep() == 1
    plan.refresh_from_db()
    assert plan.state == PlanState.CANCELLED
    assert stray_plans.sweep() == 0
    assert Goal.objects.get(pk=plan.goal_id).state == goal


@pytest.mark.parametrize("goal", sorted(set(GoalState) - stray_plans.WITHOUT_PLAN))
@pytest.mark.parametrize("state", OPEN)
def test_every_other_plan_is_left_alone(goal: GoalState, state: PlanState, propose_plan: Propose, owner: User) -> None:
    plan = propose_plan(owner)
    _force(plan, goal, state)
    assert stray_plans.sweep() == 0
    plan.refresh_from_db()
    assert plan.state == state


def test_the_worker_that_still_ran_it_records_nothing_more(approve: Callable[..., IntentPlan]) -> None:
    plan = approve()
    lease = claim(plan.goal_id)
    assert lease is not None
    taken = take_up(lease)
    assert taken is not None
    _force(plan, GoalState.FAILED)
    stray_plans.sweep()
    with pytest.raises(LeaseLost):
        held(taken, lease)


def test_one_that_moved_meanwhile_keeps_no_other_from_its_end(
    propose_plan: Propose, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = propose_plan(owner), propose_plan(owner)
    for plan in (first, second):
        _force(plan, GoalState.DROPPED)
    really = moves.move_plan

    def refused(plan: IntentPlan, *args: Any, **also: Any) -> IntentPlan:
        if plan.pk == first.pk:
            raise MoveRefused("somebody else moved it first")
        return really(plan, *args, **also)

    monkeypatch.setattr(stray_plans, "move_plan", refused)
    assert stray_plans.sweep() == 2
    assert {plan.pk: plan.state for plan in IntentPlan.objects.all()} == {
        first.pk: PlanState.AWAITING_REVIEW,
        second.pk: PlanState.CANCELLED,
    }


def test_what_its_steps_reported_is_filed_before_it_ends(approve: Callable[..., IntentPlan]) -> None:
    plan = approve()
    _begun(plan)
    attempt = plan.intents.get(position=2).attempts.get()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO agents_stepreport (intent_plan_id, position, attempt, outcome, result, reason, after, fence,"
            " worker, at, said, begins) VALUES (%s, 2, %s, 'succeeded', '{}', '', '', 1, 'w', now(), %s, '[]')",
            [plan.pk, attempt.pk, '[{"source": "worker", "text": "it is done"}]'],
        )
    _force(plan, GoalState.FAILED)
    stray_plans.sweep()
    assert plan.intents.get(position=2).state == IntentState.SUCCEEDED
    assert plan.goal.log_lines.filter(text="it is done").exists()
    assert not plan.step_reports.exists()


def test_reports_that_cannot_be_filed_do_not_keep_it_open(approve: Callable[..., IntentPlan]) -> None:
    plan = approve()
    _begun(plan)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO agents_stepreport (intent_plan_id, position, attempt, outcome, reason, after, fence, worker,"
            " at, said, begins) VALUES (%s, 2, 0, 'succeeded', '', '', 1, 'w', now(), 'no JSON', '[]')",
            [plan.pk],
        )
    _force(plan, GoalState.FAILED)
    stray_plans.sweep()
    plan.refresh_from_db()
    assert plan.state == PlanState.CANCELLED
