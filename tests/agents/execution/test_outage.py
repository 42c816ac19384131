"""A database that goes away under a worker which lives: what has run is reported, and nobody is counted as lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from agents.cycle import cycle
from agents.execution import attempts, database_outage, executor
from agents.models import Attempt, Goal, IntentPlan, Transition
from agents.plans import ending, reporting
from agents.record.lease import claim
from agents.states import GoalState, IntentState
from sandbox.jail import probe
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)

START = {"tool": "simple_coder", "command": "start", "params": {"name": "idle", "command_line": "sleep 600"}}


def _cut() -> None:
    """As it is found when Postgres has started again."""
    connection.connection.close()


def _tries(plan: IntentPlan) -> list[tuple[int, int, str]]:
    found = Attempt.objects.filter(intent__intent_plan=plan).order_by("intent__position", "number")
    return list(found.values_list("intent__position", "number", "outcome"))


def _reply_is_lost() -> None:
    _cut()
    raise OperationalError("server closed the connection unexpectedly")


def _after(module: Any, name: str, monkeypatch: pytest.MonkeyPatch, *, times: int = 1, cut: Any = _cut) -> list[int]:
    """The connection is cut after the named function has done its work, `times` times; counts them."""
    real, cuts = getattr(module, name), list[int]()

    def cut_after(*args: Any, **kwargs: Any) -> Any:
        answer = real(*args, **kwargs)
        if len(cuts) < times:
            cuts.append(1)
            cut()
        return answer

    monkeypatch.setattr(module, name, cut_after)
    return cuts


def _runs_each_step_once(plan: IntentPlan) -> None:
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert _tries(plan) == [(1, 1, "succeeded"), (2, 1, "succeeded")]
    numbers = list(plan.goal.log_lines.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_step_under_which_the_database_went_away_is_reported_and_does_not_run_again(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("a.txt"), write("b.txt")])
    cuts = _after(attempts, "run_step", monkeypatch, times=2)
    cycle.work(plan.goal_id)
    assert len(cuts) == 2
    _runs_each_step_once(plan)


def test_a_step_that_runs_once_is_no_question_for_people_when_its_worker_lives(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([START])
    cuts = _after(attempts, "run_step", monkeypatch)
    cycle.work(plan.goal_id)
    assert cuts
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED


def test_a_report_whose_reply_is_lost_is_made_again_and_counts_once(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("a.txt"), write("b.txt")])
    real, lost = reporting.advance, list[int]()

    def replies_late(*args: Any, **kwargs: Any) -> Any:
        answer = real(*args, **kwargs)
        if not connection.in_atomic_block:
            lost.append(1)
            if len(lost) == 1:
                _reply_is_lost()
        return answer

    monkeypatch.setattr(reporting, "advance", replies_late)
    cycle.work(plan.goal_id)
    assert len(lost) == 2
    _runs_each_step_once(plan)


@pytest.mark.parametrize("when", ["before the commit", "after it"])
def test_the_end_of_a_plan_counts_once_on_whichever_side_of_its_commit_the_database_goes(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    plan = approved([write("a.txt"), write("b.txt")])
    real, ends = ending.complete, list[int]()

    def cut(*args: Any) -> None:
        ends.append(1)
        if len(ends) == 1 and when == "before the commit":
            _reply_is_lost()
        real(*args)
        if len(ends) == 1:
            _reply_is_lost()

    monkeypatch.setattr(ending, "complete", cut)
    cycle.work(plan.goal_id)
    assert len(ends) == 2
    _runs_each_step_once(plan)
    assert Transition.objects.filter(intent_plan=plan, new="complete").count() == 1


def test_a_turn_that_loses_the_database_gives_its_goal_back_and_counts_no_worker_as_lost(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("a.txt")])
    lease = claim(plan.goal_id)
    assert lease is not None
    with monkeypatch.context() as patch:
        _after(executor, "remove_stale_checkouts", patch, cut=_reply_is_lost)
        probe.level()  # known beforehand, so the first try begins with the plan and before that
        cycle.turn(lease)
    assert _tries(plan) == [(1, 1, "interrupted")]
    goal = Goal.objects.get(pk=plan.goal_id)
    assert (goal.lease_until, goal.lease_owner) == (None, "")
    again = claim(plan.goal_id)
    assert again is not None
    assert again.lost == 0
    cycle.turn(again)
    assert _tries(plan) == [(1, 1, "interrupted"), (1, 2, "succeeded")]


def test_a_step_that_runs_once_stays_a_question_when_nobody_knows_whether_it_ran(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([START])
    with monkeypatch.context() as patch:
        _after(executor, "remove_stale_checkouts", patch, cut=_reply_is_lost)
        probe.level()  # known beforehand, so the first try begins with the plan and before that
        lease = claim(plan.goal_id)
        assert lease is not None
        cycle.turn(lease)
    cycle.work(plan.goal_id)
    assert plan.intents.get(position=1).state == IntentState.OUTCOME_UNKNOWN


def test_a_statement_that_a_sound_database_refuses_is_no_outage() -> None:
    with pytest.raises(OperationalError) as refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'busy' USING ERRCODE = '40P01'; END $$")
    assert not database_outage.is_outage(refused.value)
