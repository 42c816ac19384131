"""A plan's first try begins in the statement that takes the plan up, and only where it may."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import transaction

from agents.cycle import cycle
from agents.execution import beginning, executor, taking_up
from agents.execution.beginning import Begun
from agents.models import Agent, Attempt, Goal, IntentPlan, LogLine, Standstill, StepReport, Transition
from agents.plans import report_filing
from agents.plans.reporting import Said
from agents.record import draining, gate
from agents.record.lease import Lease, claim
from agents.record.logs import NewLine
from agents.states import GoalState, IntentState, PlanState
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
Approved = Callable[..., IntentPlan]
LS = {"tool": "simple_coder", "command": "ls", "params": {"path": "."}}


@pytest.fixture(autouse=True)
def a_jail_is_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beginning, "is_at_hand", lambda *_: True)


def _claimed(plan: IntentPlan) -> Lease:
    lease = claim(plan.goal_id)
    assert lease is not None
    return lease


def _begun(lease: Lease) -> Begun:
    begun = beginning.begin(lease)
    assert begun is not None
    return begun


def _tries(plan: IntentPlan) -> list[tuple[int, str]]:
    found = Attempt.objects.filter(intent__intent_plan=plan).order_by("pk")
    return list(found.values_list("number", "outcome"))


def test_it_is_reported_with_the_taking_up_and_filed_as_the_others_are(approved: Approved) -> None:
    plan = approved([LS, LS])
    before = LogLine.objects.filter(goal=plan.goal_id).count()
    begun = _begun(_claimed(plan))
    assert begun.running is not None
    assert (begun.running.number, begun.running.position, begun.running.told, begun.is_reported) == (1, 1, True, True)
    assert begun.running.stamp == gate.stamp(plan.pk) == begun.granted.stamp
    report = StepReport.objects.get()
    assert (report.position, report.attempt, report.following) == (0, 0, begun.running.attempt_id)
    assert (_tries(plan), LogLine.objects.filter(goal=plan.goal_id).count()) == ([], before)
    report_filing.file(plan.pk, plan.goal_id)
    attempt = Attempt.objects.get(pk=begun.running.attempt_id)
    assert (attempt.intent.position, attempt.started, attempt.finished) == (1, report.at, None)
    assert attempt.snapshot_before == begun.running.before == plan.workspace.head
    claimed = Transition.objects.filter(goal=plan.goal_id, new="executing").values_list("at", flat=True)
    assert len(set(claimed)) == 1, "plan and goal moved at one moment"
    assert max(claimed) < attempt.started, "people read them in that order"
    assert list(plan.intents.values_list("state", flat=True)) == [IntentState.RUNNING, IntentState.PENDING]
    said = LogLine.objects.filter(goal=plan.goal_id).order_by("number")[before:]
    assert [line.source for line in said] == ["worker", "tool.SimpleCoder"]
    assert "claimed revision" in said[0].text
    assert said[1].text.startswith("./ $ ")


def test_a_worker_that_dies_before_that_is_filed_has_begun_a_try_that_is_lost(approved: Approved) -> None:
    plan = approved([LS])
    _begun(_claimed(plan))
    Goal.objects.filter(pk=plan.goal_id).update(lease_until=None)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert _tries(plan) == [(1, "lost"), (2, "succeeded")]


def test_a_plan_that_the_gate_refuses_has_no_try(approved: Approved) -> None:
    plan = approved([LS])
    User.objects.update(is_active=False)
    assert beginning.begin(_claimed(plan)) is None
    plan.refresh_from_db()
    assert (plan.state, _tries(plan)) == (PlanState.FAILED, [])
    assert not StepReport.objects.exists()


@pytest.mark.parametrize("stopped", ["agent", "everything", "step"])
def test_nothing_begins_while_it_may_not(approved: Approved, stopped: str) -> None:
    plan = approved([LS])
    lease = _claimed(plan)
    if stopped == "agent":
        Agent.objects.update(paused=True)
    elif stopped == "everything":
        Standstill.objects.create(by=plan.goal.submitted_by)
    else:
        plan.intents.update(state=IntentState.SKIPPED.value)
    begun = _begun(lease)
    assert (begun.running, begun.is_reported) == (None, True)
    report_filing.file(plan.pk, plan.goal_id)
    assert _tries(plan) == []
    assert LogLine.objects.filter(goal=plan.goal_id, text__contains="claimed revision").count() == 1, "it was"


def test_that_it_begins_is_not_said_when_the_gate_must_be_asked_again(approved: Approved) -> None:
    plan = approved([LS])
    lease = _claimed(plan)
    said = Said([], [NewLine("tool.SimpleCoder", "execute", "it begins")], "another stamp")
    with transaction.atomic():
        found = taking_up.find(lease)
        assert found is not None
        taken = taking_up.begin(lease, found, said)
    assert taken is not None
    assert taken.running is not None
    assert (taken.running.told, taken.running.stamp) == (False, gate.stamp(plan.pk))
    report_filing.file(plan.pk, plan.goal_id)
    assert _tries(plan) == [(1, "")]
    assert not LogLine.objects.filter(goal=plan.goal_id, text="it begins").exists()


@pytest.mark.parametrize("lease_state", [GoalState.RECOVERING, GoalState.MANUAL])
def test_a_plan_that_lay_still_is_looked_at_before_a_try_of_it_begins(approved: Approved, lease_state: str) -> None:
    plan = approved([LS])
    lease = _claimed(plan)
    begun = _begun(replace(lease, state=lease_state))
    assert (begun.running, begun.is_reported) == (None, False)
    assert not StepReport.objects.exists()
    assert executor.execute(lease, begun), "the executor begins it"
    assert _tries(plan) == [(1, "succeeded")]


def test_a_plan_that_goes_on_in_its_middle_has_no_first_try(approved: Approved) -> None:
    plan = approved([LS, LS])
    lease = _claimed(plan)
    IntentPlan.objects.filter(pk=plan.pk).update(position=2)
    plan.intents.filter(position=1).update(state=IntentState.SUCCEEDED.value)
    begun = _begun(lease)
    assert (begun.running, begun.is_reported) == (None, False)


def test_a_worker_that_was_told_to_stop_begins_none(approved: Approved, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = approved([LS])
    lease = _claimed(plan)
    monkeypatch.setattr(draining, "is_asked", lambda: True)
    assert _begun(lease).running is None


def test_where_no_jail_is_known_to_be_had_the_executor_begins_it(
    approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beginning, "is_at_hand", lambda *_: False)
    begun = _begun(_claimed(approved([LS])))
    assert (begun.running, begun.is_reported) == (None, False)


def test_a_goal_that_cost_a_worker_begins_when_that_was_counted(approved: Approved) -> None:
    plan = approved([LS])
    lease = _claimed(plan)
    lost = replace(lease, lost=1)
    assert _begun(lost).running is None


def test_a_plan_that_was_cancelled_is_not_begun(approved: Approved) -> None:
    plan = approved([LS])
    lease = _claimed(plan)
    IntentPlan.objects.filter(pk=plan.pk).update(cancel_requested=True)
    assert beginning.begin(lease) is None
    plan.refresh_from_db()
    assert (plan.state, StepReport.objects.count(), _tries(plan)) == (PlanState.CANCELLED, 0, [])
