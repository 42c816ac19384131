"""The steps of a plan have a time in all, beside each step's own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from agents.cycle import cycle
from agents.execution.workplace import open_desk
from agents.models import Attempt, Goal, IntentPlan
from agents.recovery import recovery_learning
from agents.states import GoalState, IntentState
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_step_is_stopped_when_the_plans_time_is_over_and_the_clean_up_runs(
    approved: Callable[..., IntentPlan], file_of: Callable[..., bytes], settings: Any
) -> None:
    settings.PLAN_S = 1.0
    plan = approved([run("sleep 60"), write("never.txt")], [write("cleaned.txt", "tidy")])
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert goal.state == GoalState.FAILED
    assert "the time limit for all steps of the plan was reached" in goal.reason
    attempt = Attempt.objects.get(intent__position=1)
    assert (attempt.outcome, attempt.failure_class) == ("failed", "TOOL_EXECUTION_ERROR")
    assert (attempt.result or {})["limit"] == "plan_time"
    states = [intent.state for intent in plan.intents.all()]
    assert states == [IntentState.FAILED, IntentState.SKIPPED, IntentState.SUCCEEDED]
    assert file_of(plan, "cleaned.txt") == b"tidy"


def test_what_earlier_claims_took_counts(
    approved: Callable[..., IntentPlan], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:

    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 0.0)
    settings.PLAN_S = 3600.0
    # In other words each time: what fails twice in the same words is not tried a third time.
    plan = approved([run("python -c 'import os, sys; sys.exit(os.urandom(8).hex())'")])

    def after_an_hour(*args: Any, **also: Any) -> Any:
        Attempt.objects.exclude(finished=None).update(started=F("started") - timedelta(hours=1))
        return open_desk(*args, **also)

    monkeypatch.setattr("agents.execution.executor.open_desk", after_an_hour)
    cycle.work(plan.goal_id)
    outcomes = list(Attempt.objects.order_by("pk").values_list("result__limit", flat=True))
    assert outcomes == [None, None, "plan_time"], "the second try was not late when it began"
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.FAILED
