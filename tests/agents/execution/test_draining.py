"""A worker that is told to stop finishes its step and hands the plan on; insisted upon, it leaves a clean retry."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from agents.bdi.plans import document as documents
from agents.cycle import cycle, worker
from agents.execution import attempts, shadow
from agents.execution.steps import run_step
from agents.models import Attempt, Goal, Intent, IntentPlan
from agents.plans import reporting
from agents.record import draining
from agents.record.lease import claim
from agents.states import GoalState, IntentState
from mindx_web.operations import stopping
from tests.agents.execution.conftest import run, write
from tests.agents.execution.taking import take_up

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    draining.forget()
    yield
    draining.forget()


def _in_thread(work: Callable[[], object]) -> threading.Thread:
    def closing() -> None:
        work()
        connection.close()

    thread = threading.Thread(target=closing)
    thread.start()
    return thread


def test_the_step_is_finished_and_another_worker_goes_on_at_once(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("a.txt"), write("b.txt")])
    woken: list[bool] = []
    monkeypatch.setattr("agents.record.wake_ups.wake_worker", lambda: woken.append(True))

    def told_meanwhile(*args: Any, **named: Any) -> Any:
        draining.finish()
        return run_step(*args, **named)

    monkeypatch.setattr(attempts, "run_step", told_meanwhile)
    worker.work(plan.goal_id)
    assert [each.state for each in plan.intents.all()] == [IntentState.SUCCEEDED, IntentState.PENDING]
    goal = Goal.objects.get(pk=plan.goal_id)
    assert (goal.state, goal.lease_until, goal.lease_owner) == (GoalState.EXECUTING, None, "")
    assert woken
    worker.work(plan.goal_id)
    assert Attempt.objects.count() == 1, "a worker that was told to stop takes nothing up"
    draining.forget()
    monkeypatch.setattr(attempts, "run_step", run_step)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert list(Attempt.objects.order_by("pk").values_list("outcome", flat=True)) == ["succeeded"] * 2


@pytest.mark.parametrize(("effect", "closed"), [("workspace", "interrupted"), ("once", "lost")])
def test_a_step_that_is_ended_leaves_a_clean_retry_or_a_question(
    approved: Callable[..., IntentPlan],
    until: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    effect: str,
    closed: str,
) -> None:
    plan = approved([run("sleep 60")])
    Intent.objects.filter(intent_plan=plan).update(effect=effect)
    # SimpleCoder has no command that must run once: the document is read as if it said so.
    document = documents.read(bytes(plan.document))
    changed = replace(document, intents=tuple(replace(spec, effect=effect) for spec in document.intents))
    monkeypatch.setattr(documents, "read", lambda _: changed)
    worker = _in_thread(lambda: cycle.work(plan.goal_id))
    until(lambda: Attempt.objects.filter(finished=None).exists(), what="the step running")
    draining.end()
    worker.join(timeout=45)
    assert not worker.is_alive()
    attempt = Attempt.objects.get()
    assert attempt.outcome == closed
    draining.forget()
    lease = claim(plan.goal_id)
    assert lease is not None, "the lease was given back"
    if effect == "once":
        cycle.turn(lease)
        assert Goal.objects.get(pk=plan.goal_id).state == GoalState.MANUAL
        assert Attempt.objects.count() == 1
    else:
        taken = take_up(lease)
        assert taken is not None
        assert reporting.begin(taken, lease, 1).number == 2


def test_a_shadow_run_goes_on_with_another_worker(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    draining.finish()
    monkeypatch.setattr("agents.plans.shadowing.claim", lambda *_: pytest.fail("it claims a run"))
    shadow.one()


def test_the_second_signal_insists_and_so_does_time(settings: Any, until: Callable[..., None]) -> None:
    settings.DRAIN_S = 3600.0
    stopping.stop()
    assert (draining.is_asked(), draining.is_urgent()) == (True, False)
    stopping.stop()
    assert draining.is_urgent()
    stopping.start()
    assert not draining.is_asked()
    settings.DRAIN_S = 0.0
    stopping.stop()
    until(draining.is_urgent, what="the time being over")


def test_a_forked_process_hears_it() -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # only what is safe between a fork and an end: other threads may have held any lock
        os.read(reading, 1)
        os._exit(7 if draining.is_asked() else 0)
    draining.finish()
    os.write(writing, b"x")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    os.close(reading)
    os.close(writing)
