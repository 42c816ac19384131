"""The laws of the mind on Postgres where steps fail, workers die, plans are edited and rows are changed by others."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule, run_state_machine_as_test

from agents.cycle import cycle
from agents.goals import goals
from agents.models import Attempt, Goal, IntentPlan
from agents.planning import planning
from agents.plans import reporting
from agents.record.errors import StaleDigest
from agents.record.lease import LOST_WORKERS_MAX, Lease, claim
from agents.states import PLAN_ENDED, GoalState, PlanState
from library.components import services as components
from people.models import User
from review.deciding import decisions, editing
from review.errors import DecisionRefused
from tests.agents.cycle.laws import Laws, failed_tries
from tests.agents.execution.taking import take_up
from tests.cast import person
from tests.library.vectors import install

Guard = Callable[[str, str], AbstractContextManager[None]]
# Its last step fails each time; nobody is asked about another way to do it.
RULE = """RULE count
IF your task is to count the tides
THEN: create the folder out, run false
ON FAILURE: remove the folder out
"""


class UnderFailures(Laws):
    """A goal fails, is tried again, loses its workers, is changed under somebody's eyes or behind everybody's back."""

    without_guard: Guard

    @initialize()
    def begin(self) -> None:
        """One that waits meanwhile."""
        self.take_in("Count the tides")

    def _approved(self, tries: int) -> IntentPlan:
        plan = self._in_review()
        return decisions.approve(plan, by=self.cast["reviewer"], digest=plan.digest, via="api", tries=tries)

    def _in_review(self) -> IntentPlan:
        goal = self.take_in("Count the tides", priority=1)
        cycle.one(goal.pk)
        return IntentPlan.objects.get(goal=goal, state=PlanState.AWAITING_REVIEW.value)

    @rule(tries=st.integers(1, 3))
    def fail_and_fail_again(self, tries: int) -> None:
        """A step that always fails is tried as often as was granted at most; then it is over, or a person's turn."""
        plan = self._approved(tries)
        for _ in range(tries + 2):
            cycle.one(plan.goal_id)
            Goal.objects.filter(pk=plan.goal_id, wake_at__gt=timezone.now()).update(wake_at=timezone.now())
        assert 0 < failed_tries(plan, 2) <= tries
        assert Goal.objects.get(pk=plan.goal_id).state not in (GoalState.EXECUTING, GoalState.RECOVERING)

    @rule(is_cancelled=st.booleans())
    def workers_die(self, is_cancelled: bool) -> None:
        """One after another in the middle of the same step; then it is not begun once more."""
        plan = self._approved(tries=3)
        for _ in range(LOST_WORKERS_MAX):
            lease = _lost(plan.goal_id)
            taken = take_up(lease)
            assert taken is not None
            reporting.begin(taken, lease, taken.position)
            if is_cancelled:
                goals.cancel(Goal.objects.get(pk=plan.goal_id), by=self.cast["owner"])
                return
        _go_on(plan.goal_id)
        assert Attempt.objects.filter(intent__intent_plan=plan, intent__position=1).count() == LOST_WORKERS_MAX
        assert Goal.objects.get(pk=plan.goal_id).state == GoalState.FAILED

    @rule(times=st.integers(1, LOST_WORKERS_MAX))
    def planners_die(self, times: int) -> None:
        """Then the next one plans the goal, and the last one asks a person to."""
        goal = self.take_in("Count the tides", priority=1)
        for _ in range(times):
            planning.adopt(_lost(goal.pk))
        _go_on(goal.pk)
        goal.refresh_from_db()
        assert goal.state == (GoalState.MANUAL if times == LOST_WORKERS_MAX else GoalState.AWAITING_REVIEW)

    @rule(runs=st.booleans())
    def edit(self, runs: bool) -> None:
        """What was read before stands for nothing any more."""
        plan, by = self._in_review(), self.cast["reviewer"]
        now = editing.edit(plan, by=by, digest=plan.digest, position=1, params={"path": "other"}, via="api")
        for stale, digest in ((plan, plan.digest), (now, plan.digest), (plan, now.digest)):
            with pytest.raises(StaleDigest):
                decisions.approve(stale, by=by, digest=digest, via="api")
        _go_on(plan.goal_id)
        if runs:
            decisions.approve(now, by=by, digest=now.digest, via="api", tries=1)
            _go_on(plan.goal_id)
            assert failed_tries(now, 2) == 1
        assert not Attempt.objects.filter(intent__intent_plan=plan).exists()

    @rule(before=st.booleans())
    def change_behind_their_backs(self, before: bool) -> None:
        """Whoever owns the database puts other bytes where those stand that are read, or were approved."""
        plan = self._in_review() if before else self._approved(tries=1)
        with self.without_guard("agents_intentplan", "intent_plan_immutable"):
            other = bytes(plan.document).replace(b"out", b"etc")
            IntentPlan.objects.filter(pk=plan.pk).update(document=other)
        if before:
            with pytest.raises(DecisionRefused):
                decisions.approve(plan, by=self.cast["reviewer"], digest=plan.digest, via="api")
            return
        _go_on(plan.goal_id)
        assert not Attempt.objects.filter(intent__intent_plan=plan).exists()
        assert IntentPlan.objects.get(pk=plan.pk).state in PLAN_ENDED

    @rule()
    def work(self) -> None:
        """On whatever is most urgent."""
        cycle.one()


def _lost(goal_id: int) -> Lease:
    """The lease of a worker that will not come back."""
    lease = claim(goal_id)
    assert lease is not None
    Goal.objects.filter(pk=goal_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    return lease


def _go_on(goal_id: int) -> None:
    """Turns of this goal, as long as one can be taken."""
    for _ in range(8):
        if cycle.one(goal_id) is None:
            return
    raise AssertionError(f"goal {goal_id} comes round and round")


@pytest.mark.django_db(transaction=True)
def test_no_failure_breaks_a_law_on_postgres(
    owner: User, reviewer: User, monkeypatch: pytest.MonkeyPatch, without_guard: Guard
) -> None:
    install(monkeypatch)
    chief = person("oskar", "operator", "developer")
    components.publish("rule", "count", RULE, by=chief, status="active")
    UnderFailures.cast = {"owner": owner, "reviewer": reviewer, "chief": chief}
    UnderFailures.without_guard = staticmethod(without_guard)
    bounded = settings(max_examples=5, stateful_step_count=8, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(UnderFailures, settings=bounded)
    assert Attempt.objects.filter(outcome="failed").exists(), "something failed, or nothing was tried"
