"""A full disk under a worker is no fault of the step: the goal waits and goes on when there is room."""

from __future__ import annotations

import errno
from collections.abc import Callable

import pytest

from agents.execution.desk import Desk
from agents.models import Attempt, Goal, IntentPlan
from agents.services import cycle
from agents.states import GoalState
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)


def _full(desk: Desk) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_the_goal_waits_and_no_try_counts(approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch) -> None:
    plan = approved([write("a.txt")])
    with monkeypatch.context() as patch:
        patch.setattr(Desk, "keep", _full)
        for _ in range(4):  # more often than a step may cost workers
            Goal.objects.filter(pk=plan.goal_id).update(wake_at=None)
            cycle.work(plan.goal_id)
            goal = Goal.objects.get(pk=plan.goal_id)
            assert goal.state == GoalState.RECOVERING
            assert "disk of this worker is full" in goal.reason
    assert set(Attempt.objects.values_list("outcome", flat=True)) == {"unavailable"}
    Goal.objects.filter(pk=plan.goal_id).update(wake_at=None)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED


def test_a_step_that_runs_once_is_not_run_again_because_its_files_did_not_fit(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("a.txt")])
    plan.intents.update(effect="once")
    real = Desk.keep
    monkeypatch.setattr(Desk, "keep", _full)
    monkeypatch.setattr("agents.bdi.document.IntentSpec.__getattribute__", _once, raising=False)
    cycle.work(plan.goal_id)
    monkeypatch.setattr(Desk, "keep", real)
    Goal.objects.filter(pk=plan.goal_id).update(lease_until=None, wake_at=None)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.MANUAL
    assert Attempt.objects.count() == 1


def _once(spec: object, name: str) -> object:
    return "once" if name == "effect" else object.__getattribute__(spec, name)
