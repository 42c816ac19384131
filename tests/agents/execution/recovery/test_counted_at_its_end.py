"""A retry that was set up is no success: it counts when the step it was for has ended, and as that ended.

The real executor, jail and statistics; only what the step asks for is well or not as a test wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.utils import timezone

from agents.cycle import cycle
from agents.goals import goals
from agents.models import FailureRecord, Goal, IntentPlan, RecoveryAttempt, RecoveryStatistic
from agents.recovery import recovery_learning
from people.models import User
from tests.agents.execution.conftest import write
from tests.agents.toolkit.answering import Answering, answering, ok, status

pytestmark = pytest.mark.django_db(transaction=True)
Approved = Callable[..., IntentPlan]


@pytest.fixture(autouse=True)
def _long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests end each wait themselves."""
    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 3600.0)


@pytest.fixture
def service() -> Iterator[Answering]:
    """A server that is not well."""
    with answering() as server:
        server.answers["/report"] = status("500 Internal Server Error", b"no")
        yield server


@pytest.fixture
def waiting(approved: Approved, service: Answering) -> IntentPlan:
    """A plan whose first step failed, was recovered by a retry, and waits for it."""
    asks = {"tool": "http_request", "command": "get", "params": {"url": f"{service.address}/report"}}
    plan = approved([asks, write("after.txt")])
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == "recovering"
    return plan


def counted() -> list[tuple[str, int, int]]:
    """What every cell of the statistics holds: strategy, cases, successes."""
    recovery_learning.settle()
    rows = RecoveryStatistic.objects.filter(cases__gt=0).order_by("strategy")
    return list(rows.values_list("strategy", "cases", "successes"))


def go_on(plan: IntentPlan) -> str:
    """Let its wait be over and turn the cycle; the state of its goal then."""
    Goal.objects.filter(pk=plan.goal_id).update(wake_at=timezone.now())
    cycle.work(plan.goal_id)
    return Goal.objects.get(pk=plan.goal_id).state


def outcomes(plan: IntentPlan) -> list[tuple[str, bool | None]]:
    """Each recovery in the order in which it was set up, and what is known to have come of it."""
    found = RecoveryAttempt.objects.filter(attempt__intent__intent_plan__goal=plan.goal_id).order_by("pk")
    kept = FailureRecord.objects.filter(goal=plan.goal_id).order_by("pk")
    assert [one.succeeded for one in found] == [one.succeeded for one in kept]
    return [(one.strategy, one.succeeded) for one in found]


def test_a_retry_that_waits_counts_as_nothing_until_its_step_has_succeeded(
    waiting: IntentPlan, service: Answering
) -> None:
    assert outcomes(waiting) == [("retry_with_delay", None)]
    assert counted() == [], "it was set up, and no more"
    assert FailureRecord.objects.get(goal=waiting.goal_id).settled_at is None
    service.answers["/report"] = ok(b"well")
    assert go_on(waiting) == "achieved"
    assert counted() == [("retry_with_delay", 1, 1)]
    assert outcomes(waiting) == [("retry_with_delay", True)]


def test_a_retry_that_failed_again_is_a_case_without_success(waiting: IntentPlan) -> None:
    assert counted() == []
    while go_on(waiting) == "recovering":
        known = [succeeded for _, succeeded in outcomes(waiting)]
        assert None in known, "the try that waits now has not ended"
        assert True not in known
    (cases, successes), *_ = [(cases, successes) for way, cases, successes in counted() if way == "retry_with_delay"]
    assert cases >= 1
    assert successes == 0


def test_a_retry_that_nobody_waited_for_is_no_success(waiting: IntentPlan, owner: User) -> None:
    goals.cancel(Goal.objects.get(pk=waiting.goal_id), by=owner)
    cycle.work(waiting.goal_id)
    assert Goal.objects.get(pk=waiting.goal_id).state == "dropped"
    assert counted() == [("retry_with_delay", 1, 0)]
