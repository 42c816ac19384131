"""Goals of one agent take turns, also with one worker; and nothing that waits is passed over for ever."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.bdi.intentions.deliberation import OLDEST_EVERY
from agents.cycle import cycle
from agents.execution.watching import Watch
from agents.models import Attempt, Goal, IntentPlan
from agents.record import lease
from agents.states import GoalState
from people.models import User
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)

Approve = Callable[..., IntentPlan]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The monotonic clock that a watch reads; a test moves it by hand."""
    now = [0.0]
    monkeypatch.setattr("agents.execution.watching.time.monotonic", lambda: now[0])
    return now


def test_a_goal_of_a_higher_priority_that_still_waits_goes_first(approved: Approve, clock: list[float]) -> None:
    running, urgent = approved([write("a"), write("b")]), approved([write("c")], priority=1)
    watch = Watch(running.goal_id, running.pk)
    assert watch.is_cancelled() is False
    assert watch.first() is None, "an idle worker takes it first"
    clock[0] = 2.0
    watch.is_cancelled()
    watch.is_cancelled()
    first = watch.first()
    assert first is not None
    assert first.goal == urgent.goal_id
    cycle.one(urgent.goal_id)
    watch.is_cancelled(), watch.is_cancelled()
    assert watch.first() is None, "it does not wait any more"


def test_what_cannot_go_on_or_is_another_agents_lets_nobody_wait(
    approved: Approve, clock: list[float], make_goal: Callable[..., Goal], owner: User
) -> None:
    from agents.models import Agent

    running = approved([write("a"), write("b")])
    other = approved([write("c")], priority=1)
    Goal.objects.filter(pk=other.goal_id).update(agent=Agent.objects.create(name="another"))
    make_goal(owner, "waits", priority=1, depends_on=[Goal.objects.get(pk=running.goal_id)])
    watch = Watch(running.goal_id, running.pk)
    for clock[0] in (0.0, 2.0, 400.0, 800.0):
        watch.is_cancelled()
    assert watch.first() is None


def test_between_two_steps_the_other_goal_runs_and_then_the_first_goes_on(
    approved: Approve, monkeypatch: pytest.MonkeyPatch, file_of: Callable[[IntentPlan, str], bytes]
) -> None:
    long, urgent = approved([write("a"), write("b"), write("c")]), approved([write("d")], priority=1)
    real = Watch.first

    def first(watch: Watch) -> object:
        for _ in range(4):
            watch.is_cancelled()  # as the companion does once a second
        return real(watch)

    monkeypatch.setattr(Watch, "first", first)
    cycle.work(long.goal_id)
    assert {Goal.objects.get(pk=plan.goal_id).state for plan in (long, urgent)} == {GoalState.ACHIEVED}
    order = list(Attempt.objects.order_by("started").values_list("intent__intent_plan_id", flat=True))
    assert order == [long.pk, urgent.pk, long.pk, long.pk]
    # Each step ran once, on the files of the one before.
    assert [file_of(long, name) for name in "abc"] == [b"x"] * 3
    said = Goal.objects.get(pk=long.goal_id).log_lines.filter(text__startswith="paused:").get()
    assert f"goal {urgent.goal_id} has priority 1, this one 3" in said.text
    assert said.data["then"] == urgent.goal_id


def test_watching_costs_one_statement_and_no_step_asks(approved: Approve) -> None:
    plan = approved([write("a"), write("b")])
    watch = Watch(plan.goal_id, plan.pk)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        watch.is_cancelled()
    assert len(asked) == 1
    with CaptureQueriesContext(connection) as asked:
        watch.first(), watch.news()
    assert len(asked) == 0


def test_every_eighth_claim_takes_the_goal_that_has_waited_longest(
    approved: Approve, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = approved([write("a")], priority=5)
    urgent = [approved([write("b")], priority=1) for _ in range(2)]
    monkeypatch.setattr(lease, "_claims", itertools.count(OLDEST_EVERY - 2))
    first, second, third = lease.claim(), lease.claim(), lease.claim()
    assert first is not None
    assert second is not None
    assert third is not None
    assert [each.goal_id for each in (first, second, third)] == [urgent[0].goal_id, old.goal_id, urgent[1].goal_id]
    assert [each.oldest for each in (first, second, third)] == [False, True, False]


def test_of_the_same_priority_the_nearer_deadline_is_claimed_first(make_goal: Callable[..., Goal], owner: User) -> None:
    from datetime import timedelta

    from django.utils import timezone

    now = timezone.now()
    make_goal(owner, "any time")
    late = make_goal(owner, "later", deadline=now + timedelta(days=2))
    soon = make_goal(owner, "soon", deadline=now + timedelta(days=1))
    assert lease.claimable(3)[:2] == [soon.pk, late.pk]
