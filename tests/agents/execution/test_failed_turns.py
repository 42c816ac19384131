"""A turn that raises is tried again a few times and then ends with a person; others go on meanwhile."""

from __future__ import annotations

import errno
from collections.abc import Callable
from datetime import timedelta
from typing import NoReturn

import psycopg
import pytest
from django.db import OperationalError
from django.db.models import F
from django.utils import timezone

from agents.cycle import cycle, failed_turns
from agents.execution import attempts, beginning, recovering
from agents.goals import goals
from agents.learning import learning
from agents.models import Attempt, Goal, IntentPlan, TurnFailure
from agents.planning import planning
from agents.record.errors import NotPossibleNow
from agents.record.lease import LOST_WORKERS_MAX, Lease, claim
from agents.recovery import internal_errors
from agents.states import GoalState, MoveRefused, PlanState
from people.models import User
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)


def _raises(*_: object, **__: object) -> NoReturn:
    raise ValueError("a bug\x00 with a NUL")


def _turns(goal: Goal | IntentPlan, many: int) -> Goal:
    """As many turns as the sweep would begin, each as soon as the pause after the one before is over."""
    pk = goal.goal_id if isinstance(goal, IntentPlan) else goal.pk
    for _ in range(many):
        cycle.work(pk)
        Goal.objects.filter(pk=pk).exclude(lease_until=None).update(lease_until=timezone.now() - timedelta(seconds=1))
    return Goal.objects.get(pk=pk)


def test_planning_that_always_raises_ends_with_a_person_and_says_why(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = make_goal(owner)
    monkeypatch.setattr(planning, "plan_goal", _raises)
    goal = _turns(goal, LOST_WORKERS_MAX - 1)
    assert goal.state != GoalState.MANUAL, "it may have been a matter of the moment"
    goal = _turns(goal, 1)
    last = TurnFailure.objects.latest("pk")
    assert (goal.state, goal.lease_owner, goal.lease_until) == (GoalState.MANUAL, "", None)
    assert goal.reason == f"internal_error: Planning failed inside mindX 3 times (reference {last.reference})"
    assert [last.gave_up, "in _raises" in last.traceback, "\x00" in last.traceback] == [True, True, False]
    assert claim(goal.pk) is None
    said = list(goal.log_lines.filter(level="error").values_list("text", flat=True))
    assert [line.endswith("the next try is in 15 s") for line in said] == [True, True, False]


def test_what_fails_after_another_worker_took_over_is_told_as_that_and_counts_for_nothing(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    goal = make_goal(owner)

    def taken_over(lease: Lease, adopted: object) -> NoReturn:
        Goal.objects.filter(pk=goal.pk).update(lease_fence=F("lease_fence") + 1, lease_owner="another")
        raise FileNotFoundError("the next worker removed the checkout")

    monkeypatch.setattr(planning, "plan_goal", taken_over)
    cycle.work(goal.pk)
    assert not TurnFailure.objects.exists()
    assert f"Goal {goal.pk} went on elsewhere" in caplog.text
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def _disk_full(*_: object, **__: object) -> NoReturn:
    raise OperationalError("could not extend file") from psycopg.errors.DiskFull()


def _no_room(*_: object, **__: object) -> NoReturn:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("full", [_disk_full, _no_room])
@pytest.mark.parametrize("meets", ["the turn", "what records the turn's error"])
def test_a_full_disk_puts_a_goal_off_and_counts_as_no_death_of_a_worker(
    owner: User,
    make_goal: Callable[..., Goal],
    monkeypatch: pytest.MonkeyPatch,
    full: Callable[..., NoReturn],
    meets: str,
) -> None:
    goal = make_goal(owner)
    monkeypatch.setattr(planning, "plan_goal", full if meets == "the turn" else _raises)
    monkeypatch.setattr(failed_turns, "ended_by", full)
    goal = _turns(goal, 2 * LOST_WORKERS_MAX)
    assert (goal.state, goal.lost_workers, goal.lease_owner) == (GoalState.PLANNING, 0, "")
    monkeypatch.undo()
    cycle.work(goal.pk)
    assert Goal.objects.get(pk=goal.pk).lost_workers == 0
    assert not TurnFailure.objects.exists()


def test_a_goal_that_met_a_full_disk_is_not_claimed_at_once(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = make_goal(owner)
    monkeypatch.setattr(planning, "plan_goal", _no_room)
    cycle.work(goal.pk)
    assert claim(goal.pk) is None
    Goal.objects.filter(pk=goal.pk).update(lease_until=timezone.now())
    assert claim(goal.pk) is not None


def test_others_are_planned_while_one_goal_raises(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    poison, other = make_goal(owner, "Poison"), make_goal(owner, "Reconcile the ledger")
    plan = planning.plan_goal

    def poisoned(lease: Lease, adopted: planning.Adopted | None = None) -> bool:
        return _raises() if lease.goal_id == poison.pk else plan(lease, adopted)

    monkeypatch.setattr(planning, "plan_goal", poisoned)
    cycle.work(poison.pk)
    other.refresh_from_db()
    assert other.reason.startswith("no_relevant_rule: ")


def test_a_turn_that_goes_well_begins_the_count_anew(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = make_goal(owner, "Reconcile the ledger")
    with monkeypatch.context() as patch:
        patch.setattr(planning, "plan_goal", _raises)
        _turns(goal, LOST_WORKERS_MAX - 1)
    goal = _turns(goal, 1)
    assert goal.reason.startswith("no_relevant_rule: ")
    planning.plan_again(goal, by=owner)
    with monkeypatch.context() as patch:
        patch.setattr(planning, "plan_goal", _raises)
        goal = _turns(goal, LOST_WORKERS_MAX - 1)
    assert goal.state == GoalState.PLANNING, "two more are no third"


def test_a_goal_whose_moves_are_always_refused_ends_with_a_person(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = make_goal(owner)

    def refuses(*_: object) -> NoReturn:
        raise MoveRefused("goal 1 cannot go from here to there")

    monkeypatch.setattr(planning, "plan_goal", refuses)
    goal = _turns(goal, 1)
    assert goal.state == GoalState.MANUAL
    assert TurnFailure.objects.get().error.startswith("MoveRefused")


def test_running_that_always_raises_keeps_the_plan_for_whoever_tries_again(
    approved: Callable[..., IntentPlan], owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("one")])
    with monkeypatch.context() as patch:
        patch.setattr(attempts, "run_step", _raises)
        goal = _turns(plan, LOST_WORKERS_MAX + 1)
    plan.refresh_from_db()
    assert (goal.state, plan.state) == (GoalState.MANUAL, PlanState.EXECUTING)
    assert goal.reason.startswith("internal_error: Running the plan failed")
    assert set(Attempt.objects.values_list("outcome", flat=True)) == {"interrupted"}, "no worker died"
    with pytest.raises(NotPossibleNow, match="Try again"):
        goals.supply_plan(goal, by=owner, steps=[write("two")])
    planning.plan_again(goal, by=owner)
    assert _turns(plan, 1).state == GoalState.ACHIEVED


def test_a_plan_that_cannot_be_begun_ends_with_a_person(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("one")])
    monkeypatch.setattr(beginning, "begin", _raises)
    goal = _turns(plan, LOST_WORKERS_MAX)
    assert goal.state == GoalState.MANUAL
    assert goal.reason.startswith("internal_error: Running the plan failed")


def test_recovering_that_always_raises_ends_with_a_person(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([{"tool": "simple_coder", "command": "run", "params": {"command_line": "false"}}])
    monkeypatch.setattr(recovering, "recover", _raises)
    goal = _turns(plan, LOST_WORKERS_MAX + 1)
    assert (goal.state, TurnFailure.objects.count()) == (GoalState.MANUAL, LOST_WORKERS_MAX)


def test_what_cannot_be_remembered_stays_as_it_ended(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("one")])
    monkeypatch.setattr(learning, "_remember", _raises)
    goal = _turns(plan, LOST_WORKERS_MAX + 1)
    assert (goal.state, goal.learned_at is not None) == (GoalState.ACHIEVED, True)
    assert TurnFailure.objects.filter(gave_up=True, stage="learn").count() == 1


def test_a_person_can_cancel_what_failed_inside_mindx(
    approved: Callable[..., IntentPlan], owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("one")])
    with monkeypatch.context() as patch:
        patch.setattr(attempts, "run_step", _raises)
        goal = _turns(plan, LOST_WORKERS_MAX + 1)
    goals.cancel(goal, by=owner)
    plan.refresh_from_db()
    goal.refresh_from_db()
    assert (goal.state, plan.state) == (GoalState.DROPPED, PlanState.CANCELLED)


def test_a_goal_that_did_not_fail_inside_mindx_is_not_tried_again(owner: User, make_goal: Callable[..., Goal]) -> None:
    with pytest.raises(NotPossibleNow, match="did not fail"):
        internal_errors.try_again(make_goal(owner), by=owner)
