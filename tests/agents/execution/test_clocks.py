"""A worker whose clock is wrong: what is compared with the database's clock is taken from that clock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from agents.cycle import cycle
from agents.execution import attempts
from agents.models import Attempt, Goal, IntentPlan
from agents.plans import reporting
from agents.record.lease import claim
from agents.states import GoalState
from sandbox.contract import SandboxUnavailable
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)


@pytest.fixture(params=[HOUR, -HOUR], ids=["ahead", "behind"])
def _wrong(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process's clock is an hour off."""
    monkeypatch.setattr(timezone, "now", lambda: datetime.now(UTC) + request.param)


def _waits_s(plan: IntentPlan) -> float:
    """How long the goal still waits, by the database's clock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM wake_at - clock_timestamp())::float8 FROM agents_goal WHERE id = %s",
            [plan.goal_id],
        )
        return float(cursor.fetchone()[0])


@pytest.mark.usefixtures("_wrong")
def test_a_plan_has_run_as_long_as_it_has_and_its_next_try_is_due_in_seconds(
    approved: Callable[..., IntentPlan],
) -> None:
    plan = approved([write("a.txt"), run("python -c 'raise SystemExit(3)'")])
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.RECOVERING
    assert abs(reporting.seconds_run(plan)) < HOUR.total_seconds() / 2
    assert abs(_waits_s(plan)) < HOUR.total_seconds() / 2


@pytest.mark.usefixtures("_wrong")
def test_a_sandbox_that_is_away_is_tried_again_in_seconds(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("a.txt")])

    def away(*_: object, **__: object) -> None:
        raise SandboxUnavailable("no jail here")

    monkeypatch.setattr(attempts, "run_step", away)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.RECOVERING
    assert abs(_waits_s(plan)) < HOUR.total_seconds() / 2
    assert abs(reporting.seconds_run(plan)) < HOUR.total_seconds() / 2


def test_a_try_that_a_worker_with_a_right_clock_closes_took_no_hour(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("a.txt")])
    lease = claim(plan.goal_id)
    assert lease is not None

    def dies(*_: object, **__: object) -> None:
        raise SystemExit  # as far as the tables can tell

    with monkeypatch.context() as patch:
        patch.setattr(timezone, "now", lambda: datetime.now(UTC) - HOUR)
        patch.setattr(attempts, "run_step", dies)
        with pytest.raises(SystemExit):
            cycle.turn(lease)
    assert Attempt.objects.get(intent__intent_plan=plan).finished is None
    Goal.objects.filter(pk=plan.goal_id).update(lease_until=None)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert abs(reporting.seconds_run(plan)) < HOUR.total_seconds() / 2
