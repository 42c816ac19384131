"""The audit behind `make bench-durable`: what a plan of ours must have left, looked for in the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.durable import audit, ours
from benchmarks.durable.goals import make_people
from benchmarks.durable.protocol import STEPS, Place

if TYPE_CHECKING:
    from pytest_django.fixtures import Settings

    from agents.models import IntentPlan

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> IntentPlan:
    """A plan that a lane of ours has run."""
    from agents.models import IntentPlan
    from sandbox.sessions.ground import Ground

    monkeypatch.setattr(Ground, "_new_cell", Ground._new_cell)  # the lane's own change ends with the test
    monkeypatch.setattr("logging.disable", lambda level: None)
    monkeypatch.setattr(
        "mindx_web.operations.garbage.settle", lambda: None
    )  # for good, and for what this process works on
    make_people()
    lane = ours.Lane(Place("", "", "tested"))
    lane.prepare(1)
    lane.run()
    return IntentPlan.objects.get()


def test_a_plan_that_ran_leaves_everything(ran: IntentPlan) -> None:
    found = audit.audit()
    assert found.faults == ()
    assert (found.plans, found.digests, found.approvals) == (1, 1, 1)
    assert (found.attempts, found.snapshots) == (STEPS, STEPS)
    assert found.log_lines == ran.goal.log_counter.last


def test_a_missing_attempt_is_told(ran: IntentPlan) -> None:
    from agents.models import Attempt

    Attempt.objects.filter(intent__position=3).delete()
    assert audit.audit().faults == (f"plan {ran.pk} has {STEPS - 1} succeeded attempts",)


def test_an_attempt_of_another_fence_is_told(ran: IntentPlan) -> None:
    from agents.models import Attempt

    Attempt.objects.filter(intent__position=3).update(fence=ran.fence + 1)
    assert audit.audit().faults == ("1 attempts have another fence than their plan",)


def test_a_gap_in_a_log_is_told(ran: IntentPlan) -> None:
    from agents.models import LogLine

    LogLine.objects.filter(number=2).delete()
    assert audit.audit().faults == ("1 logs have gaps",)


def test_steps_without_log_lines_are_told(ran: IntentPlan) -> None:
    from agents.models import LogLine

    LogLine.objects.filter(source__startswith="tool.").update(source="worker")
    assert audit.audit().faults == (f"goal {ran.goal_id} has 0 log lines of its tool",)


def test_a_seal_and_a_chain_made_with_another_key_are_told(ran: IntentPlan, settings: Settings) -> None:
    settings.APPROVAL_KEY = "a key that sealed nothing"
    sealed, chained = audit.audit().faults
    assert sealed.startswith(f"plan {ran.pk}: the seal of the approval is not valid")
    assert chained.startswith("Decision ")


def test_a_plan_that_has_not_ended_is_told(ran: IntentPlan) -> None:
    lane = ours.Lane(Place("", "", "waits"))
    lane.prepare(1)
    faults = audit.audit().faults
    assert len(faults) == 3
    assert faults[0].endswith("is approved, its goal awaiting_review")
