"""A goal whose plan ran and missed what was asked for teaches nothing as if it had succeeded."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone

from agents.models import FailureRecord, Goal, IntentPlan
from agents.recovery import recovery_learning
from agents.understanding import earlier_runs
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
OUTCOMES = [("achieved", True), ("not_checked", True), ("", True), ("nothing_changed", False), ("check_failed", False)]


@pytest.mark.parametrize(("outcome", "counts"), OUTCOMES)
def test_a_recovery_that_is_judged_by_its_goal_failed_with_a_missed_one(
    owner: User, make_goal: Callable[..., Goal], outcome: str, counts: bool
) -> None:
    goal = make_goal(owner)
    row = FailureRecord.objects.create(
        goal=goal, stage="planning", tool="simple_coder", command="run", reason="it broke",
        classified_as="PLANNING_ERROR", failure_class="PLANNING_ERROR", strategy="alternative_tool",
    )  # fmt: skip
    Goal.objects.filter(pk=goal.pk).update(state="achieved", outcome=outcome, ended_at=timezone.now())
    recovery_learning.settle()
    row.refresh_from_db()
    assert row.succeeded is counts


@pytest.mark.parametrize(("outcome", "counts"), OUTCOMES)
def test_values_of_a_missed_goal_settle_nothing_for_the_next(
    owner: User,
    make_goal: Callable[..., Goal],
    propose_plan: Callable[..., IntentPlan],
    outcome: str,
    counts: bool,
) -> None:
    step = {"tool": "simple_coder", "command": "grep", "params": {"text": "out why"}}
    plan = propose_plan(owner, [step])
    plan.intents.update(state="succeeded")
    Goal.objects.filter(pk=plan.goal_id).update(state="achieved", outcome=outcome, ended_at=timezone.now())
    found = earlier_runs.values_of(make_goal(owner), "simple_coder", "grep", "text")
    assert [one.value for one in found] == (["out why"] if counts else [])
