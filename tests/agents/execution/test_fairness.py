"""Fairness as it runs: one worker's own code, several goals of one agent, and how long each got nothing done.

Time is the test's: each step is said to have taken `STEP_S`, by making everything that is stored that much older and
moving the clock of the watch. Nothing sleeps.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from agents.bdi.intentions.deliberation import LEVEL_S, TURN_S
from agents.cycle import cycle
from agents.execution import attempts
from agents.execution.watching import Watch
from agents.models import Attempt, Goal, IntentPlan
from agents.plans import reporting
from agents.states import GoalState
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)

Approve = Callable[..., IntentPlan]
STEP_S = 8.0
# `work` ends a slice when real time is up and leaves a hint; here nobody hears hints, so it is called again.
_SLICES = 40
# Goals first: whoever files what steps reported, as goes on beside them, locks the goal before its tries.
_AGE = """
UPDATE agents_goal SET changed_at = changed_at - make_interval(secs => %(s)s);
UPDATE agents_attempt SET finished = finished - make_interval(secs => %(s)s);
"""


class Run:
    """What one worker did: whose step each was, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps: list[int] = []
        self.now = 0.0
        real = attempts.Attempts.attempt

        def tried(of: attempts.Attempts, desk: Any, running: reporting.Running) -> Any:
            outcome = real(of, desk, running)
            self.steps.append(of._lease.goal_id)
            self._pass(STEP_S)
            # As the companion does once a second; what it finds must be there twice.
            for _ in range(4):
                of._companion._is_cancelled()
            return outcome

        monkeypatch.setattr(attempts.Attempts, "attempt", tried)
        monkeypatch.setattr("agents.execution.watching.time", SimpleNamespace(monotonic=lambda: self.now))

    def _pass(self, seconds: float) -> None:
        self.now += seconds
        with connection.cursor() as cursor:
            cursor.execute(_AGE, {"s": seconds})

    def all_of(self, plans: Mapping[str, IntentPlan]) -> None:
        """Work until every goal has ended."""
        ids = [plan.goal_id for plan in plans.values()]
        for _ in range(_SLICES):
            cycle.work()
            if not Goal.objects.filter(pk__in=ids).exclude(state=GoalState.ACHIEVED.value).exists():
                return
        raise AssertionError(list(Goal.objects.values_list("pk", "state", "reason")))

    def waited(self, goal: int) -> int:
        """The most steps of others between two of its own, or before its first."""
        longest = now = 0
        for one in self.steps[: len(self.steps) - self.steps[::-1].index(goal)]:
            now = 0 if one == goal else now + 1
            longest = max(longest, now)
        return longest


def _most(plans: Mapping[str, IntentPlan], name: str) -> float:
    """What docs/mind.md promises, in steps: its patience with the most urgent of the others, a turn of each of them,
    and the step that each of these is in when its turn is over.
    """
    others = [plan for other, plan in plans.items() if other != name]
    levels = max(0, plans[name].goal.priority - min(plan.goal.priority for plan in others))
    patience_s = max(TURN_S, LEVEL_S * levels)
    return (patience_s + len(others) * (TURN_S + STEP_S)) / STEP_S


def test_of_goals_with_unequal_priorities_and_lengths_none_starves_with_one_worker(
    approved: Approve, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(monkeypatch)
    # The two urgent ones take more time than the patience of all the others: by the claims alone these came last.
    plans = {
        "urgent": approved([write(f"a{n}") for n in range(20)], priority=1),
        "as urgent": approved([write(f"b{n}") for n in range(20)], priority=1),
        "usual": approved([write(f"c{n}") for n in range(2)], priority=3),
        "last": approved([write("d")], priority=5),
    }
    run.all_of(plans)
    steps: dict[int, int] = defaultdict(int)
    for goal in run.steps:
        steps[goal] += 1
    assert [steps[plan.goal_id] for plan in plans.values()] == [20, 20, 2, 1], "each step once"
    waits = {name: run.waited(plan.goal_id) for name, plan in plans.items()}
    for name in plans:
        assert waits[name] <= _most(plans, name), (name, waits)
    # Those of the same priority take turns of one or two steps, and what is urgent goes on at once after the others.
    assert max(waits["urgent"], waits["as urgent"]) <= 6, waits
    # It was no matter of coming last: the urgent ones were still at work.
    assert run.steps.index(plans["last"].goal_id) < len(run.steps) - 1
    assert Attempt.objects.filter(outcome="succeeded").count() == 43


def test_between_steps_the_nearer_deadline_goes_first_and_the_other_is_not_put_off_for_ever(
    approved: Approve, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(monkeypatch)
    soon, later = timezone.now() + timedelta(days=1), timezone.now() + timedelta(days=2)
    plans = {
        "running": approved([write(f"a{n}") for n in range(8)]),
        "none": approved([write(f"b{n}") for n in range(3)]),
        "later": approved([write(f"c{n}") for n in range(3)], deadline=later),
        "soon": approved([write(f"d{n}") for n in range(3)], deadline=soon),
    }
    # They came at one moment, however long it took to make them; and one was begun before the others.
    Goal.objects.update(changed_at=timezone.now())
    Goal.objects.filter(pk=plans["running"].goal_id).update(priority=1)
    cycle_of_one = plans["running"].goal_id
    monkeypatch.setattr(Watch, "first", _first_once_same(cycle_of_one))
    run.all_of(plans)
    begins = sorted(("none", "later", "soon"), key=lambda name: run.steps.index(plans[name].goal_id))
    assert begins == ["soon", "later", "none"]
    for name in plans:
        assert run.waited(plans[name].goal_id) <= _most(plans, name), (name, run.steps)


def _first_once_same(goal: int) -> Callable[[Watch], object]:
    """Once the first step is done, the running goal is as urgent as the others."""
    real = Watch.first

    def first(watch: Watch) -> object:
        Goal.objects.filter(pk=goal).update(priority=3)
        return real(watch)

    return first
