"""A full disk, or a shared store that is away, is no fault of the step: the goal waits and goes on afterwards."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Any, NoReturn

import pytest
from django.db import OperationalError
from psycopg.errors import DiskFull

from agents.cycle import cycle
from agents.execution.workplace import Desk
from agents.models import Attempt, Goal, IntentPlan
from agents.plans import ending
from agents.record.lease import LOST_WORKERS_MAX
from agents.states import GoalState
from sandbox.store.objects import StoreUnavailable
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)


def _full(desk: Desk, **_: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def _away(desk: Desk, **_: Any) -> None:
    raise StoreUnavailable("the shared snapshot store does not answer")


FAULTS = [(_full, "disk of this worker is full"), (_away, "shared snapshot store does not answer")]


@pytest.mark.parametrize(("fault", "said"), FAULTS)
def test_the_goal_waits_and_no_try_counts(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch, fault: Callable[[Desk], None], said: str
) -> None:
    plan = approved([write("a.txt")])
    with monkeypatch.context() as patch:
        patch.setattr(Desk, "keep", fault)
        for _ in range(4):  # more often than a step may cost workers
            Goal.objects.filter(pk=plan.goal_id).update(wake_at=None)
            cycle.work(plan.goal_id)
            goal = Goal.objects.get(pk=plan.goal_id)
            assert goal.state == GoalState.RECOVERING
            assert said in goal.reason
    assert set(Attempt.objects.values_list("outcome", flat=True)) == {"unavailable"}
    Goal.objects.filter(pk=plan.goal_id).update(wake_at=None)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED


def test_where_the_database_has_no_room_either_no_try_counts_as_a_death(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the step came to cannot even be written down; its next turns find it as if its worker had died."""
    plan = approved([write("a.txt")])
    with monkeypatch.context() as patch:
        patch.setattr(Desk, "keep", _full)
        patch.setattr(ending, "wait_for_sandbox", _database_full)
        for _ in range(LOST_WORKERS_MAX + 1):
            Goal.objects.filter(pk=plan.goal_id).update(lease_until=None)
            cycle.work(plan.goal_id)
    assert set(Attempt.objects.values_list("outcome", flat=True)) == {"interrupted"}
    Goal.objects.filter(pk=plan.goal_id).update(lease_until=None)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED


def _database_full(*_: object, **__: object) -> NoReturn:
    raise OperationalError("could not extend file") from DiskFull()


@pytest.mark.parametrize("fault", [fault for fault, _ in FAULTS])
def test_a_step_that_runs_once_is_not_run_again_because_its_files_were_not_stored(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch, fault: Callable[[Desk], None]
) -> None:
    plan = approved([write("a.txt")])
    plan.intents.update(effect="once")
    real = Desk.keep
    monkeypatch.setattr(Desk, "keep", fault)
    monkeypatch.setattr("agents.bdi.plans.document.IntentSpec.__getattribute__", _once, raising=False)
    cycle.work(plan.goal_id)
    monkeypatch.setattr(Desk, "keep", real)
    Goal.objects.filter(pk=plan.goal_id).update(lease_until=None, wake_at=None)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.MANUAL
    assert Attempt.objects.count() == 1


def _once(spec: object, name: str) -> object:
    return "once" if name == "effect" else object.__getattribute__(spec, name)
