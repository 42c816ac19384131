"""What costs one worker after another is stopped with a reason, wherever in the cycle they died."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.cycle import cycle
from agents.learning import learning
from agents.models import Attempt, Goal, IntentPlan, Plan
from agents.planning import planning
from agents.plans import ending, reporting
from agents.record.lease import LOST_WORKERS_MAX, Lease, claim
from agents.states import GoalState, PlanState
from library.components import services as components
from people.models import User
from tests.agents.execution.conftest import write
from tests.agents.execution.taking import take_up

pytestmark = pytest.mark.django_db(transaction=True)


def _dies(goal_id: int) -> Lease:
    """A worker claims the goal and never comes back."""
    lease = claim(goal_id)
    assert lease is not None
    Goal.objects.filter(pk=goal_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    return lease


def _dies_in(plan: IntentPlan, position: int) -> None:
    lease = _dies(plan.goal_id)
    taken = take_up(lease)
    assert taken is not None
    reporting.begin(taken, lease, position)


def test_planning_that_costs_workers_waits_for_a_person(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = make_goal(owner)
    for _ in range(LOST_WORKERS_MAX):
        planning.adopt(_dies(goal.pk))
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert (goal.state, goal.lease_owner) == (GoalState.MANUAL, "")
    assert goal.reason.startswith("worker_died_3_times")


def test_two_dead_workers_strand_no_planning(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = make_goal(owner, "Reconcile the ledger")
    for _ in range(LOST_WORKERS_MAX - 1):
        planning.adopt(_dies(goal.pk))
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.reason.startswith("no_relevant_rule: "), "it was planned as any other"


def test_workers_that_die_before_a_try_count_too(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([write("one")])
    for _ in range(LOST_WORKERS_MAX + 1):
        take_up(_dies(plan.goal_id))
    plan.refresh_from_db()
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert (goal.state, Attempt.objects.count()) == (GoalState.FAILED, 0)
    assert "worker_died_3_times at step 1" in goal.reason


def test_a_clean_up_that_costs_workers_ends_too(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([write("one")], [write("undone")])
    for _ in range(LOST_WORKERS_MAX):
        _dies_in(plan, 1)
    for _ in range(LOST_WORKERS_MAX):
        _dies_in(plan, 2)
    cycle.work(plan.goal_id)
    plan.refresh_from_db()
    assert plan.state == PlanState.FAILED
    assert "while cleaning up" in plan.reason
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.FAILED


def test_a_turn_that_ended_in_order_begins_the_count_anew(owner: User, make_goal: Callable[..., Goal]) -> None:
    from agents.record.lease import release

    goal = make_goal(owner)
    for _ in range(LOST_WORKERS_MAX - 1):
        _dies(goal.pk)
    lease = claim(goal.pk)
    assert lease is not None
    assert lease.lost == LOST_WORKERS_MAX - 1
    release(lease)
    again = claim(goal.pk)
    assert again is not None
    assert again.lost == 0


def test_progress_between_two_deaths_begins_the_count_anew(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([write("one"), write("two")])
    for _ in range(LOST_WORKERS_MAX - 1):
        _dies_in(plan, 1)
    IntentPlan.objects.filter(pk=plan.pk).update(position=2)
    assert _dies(plan.goal_id).lost == 1


def test_learning_that_costs_workers_leaves_the_goal_as_it_ended(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([write("one")])
    lease = claim(plan.goal_id)
    assert lease is not None
    cycle.turn(lease)
    for _ in range(LOST_WORKERS_MAX):
        _dies(plan.goal_id)
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert (goal.state, goal.learned_at is not None) == (GoalState.ACHIEVED, True)
    assert "not remembered" in (goal.log_lines.order_by("-number").values_list("text", flat=True).first() or "")
    assert claim(plan.goal_id) is None


def test_a_worker_that_dies_while_it_remembers_counts_its_rule_once(
    approved: Callable[..., IntentPlan], reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = components.publish("rule", "tidy up", "IF … THEN …", by=reviewer)
    plan = approved([write("one")])
    Plan.objects.filter(pk=plan.plan_id).update(evidence={"rule": {"component_version_id": rule.pk}})
    lease = claim(plan.goal_id)
    assert lease is not None
    cycle.turn(lease)
    count = components.record_use

    def counts_and_dies(version_id: int, succeeded: bool) -> None:
        count(version_id, succeeded)
        raise SystemExit

    monkeypatch.setattr(components, "record_use", counts_and_dies)
    with pytest.raises(SystemExit):
        learning.learn(_dies(plan.goal_id))
    monkeypatch.undo()
    cycle.work(plan.goal_id)
    rule.refresh_from_db()
    assert (rule.uses, rule.successes) == (1, 1)
    assert Goal.objects.get(pk=plan.goal_id).learned_at is not None


def test_a_worker_that_dies_after_a_failure_leaves_no_further_try(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    params = {"name": "idle", "command_line": "false"}
    plan = approved([{"tool": "simple_coder", "command": "start", "params": params}])

    def dies(*_: object, **__: object) -> None:
        raise SystemExit

    monkeypatch.setattr(ending, "abort", dies)
    lease = claim(plan.goal_id)
    assert lease is not None
    with pytest.raises(SystemExit):
        cycle.turn(lease)
    monkeypatch.undo()
    Goal.objects.filter(pk=plan.goal_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert goal.reason.startswith("outcome_unknown"), "it runs once, and nobody heard how it went"
    assert list(Attempt.objects.values_list("outcome", flat=True)) == ["lost"]
    assert "starts again" not in "\n".join(goal.log_lines.values_list("text", flat=True))
