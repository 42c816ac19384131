"""Trials on the failures of the past: the way that is taken now and with what is proposed, told as it then happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.bdi.recovery.recovery import Standing
from agents.bdi.recovery.strategies import ALTERNATIVE, MANUAL, RETRY, SIMPLER
from agents.cycle import cycle
from agents.models import FailureRecord, Goal, IntentPlan
from agents.recovery import recovery_learning
from agents.tuning import trying, versions
from agents.tuning.kinds import Kind
from agents.tuning.trials import Trial
from people.models import User
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)
FAILS = run("python -c 'raise SystemExit(3)'")


def kind(name: str) -> Kind:
    found = versions.kind_named(name)
    assert found is not None
    return found


def tried(of: str, values: dict[str, Any], by: User) -> Trial:
    return trying.try_out(kind(of), versions.cleaned(kind(of), values).values, by=by)


def test_a_trial_of_a_policy_tells_what_then_really_happens(
    approved: Callable[..., IntentPlan], operator: User
) -> None:
    plan = approved([write("a.txt"), FAILS])
    cycle.work(plan.goal_id)
    policy = {"failure_class": "TOOL_EXECUTION_ERROR", "pinned": str(MANUAL)}
    trial = tried("recovery_policy", policy, operator)
    assert (trial.found, trial.changed, trial.untold) == (1, 1, 0)
    (case,) = trial.cases
    assert case.then == "TOOL_EXECUTION_ERROR: manual fallback"
    first = FailureRecord.objects.get()
    assert trial.drifted == 0, "now is as it was"
    assert {one.words: (one.now, one.then) for one in trial.totals}["manual fallback"] == (0.0, 1.0)
    versions.save(kind("recovery_policy"), policy, by=operator)
    cycle.work(approved([write("a.txt"), FAILS]).goal_id)
    again = FailureRecord.objects.exclude(pk=first.pk).get()
    assert again.cell_strategy == str(MANUAL)
    assert tried("recovery_policy", {**policy, "pinned": ""}, operator).cases[0].now == case.then


def test_a_trial_of_a_rule_for_failures_shows_the_class_and_what_follows(
    approved: Callable[..., IntentPlan], operator: User
) -> None:
    cycle.work(approved([FAILS]).goal_id)
    rule = {"name": "three", "exit_code": 3, "failure_class": "PERMISSION_ERROR", "enabled": True}
    (case,) = tried("failure_rule", rule, operator).cases
    assert case.then == "PERMISSION_ERROR: escalate to AGInt"
    versions.save(kind("failure_rule"), rule, by=operator)
    cycle.work(approved([FAILS]).goal_id)
    again = FailureRecord.objects.order_by("-pk")[0]
    assert again.failure_class == "PERMISSION_ERROR"
    assert tried("failure_rule", {**rule, "enabled": False}, operator).changed == 1, "the one that it classed"


def _failed(goal: Goal, standing: Standing | None, **also: Any) -> FailureRecord:
    said = {"stage": "execution", "tool": "simple_coder", "command": "run", "facts": {}, "reason": "x"}
    weighed = {} if standing is None else {"standing": standing.to_json()}
    values = {"classified_as": "NETWORK_ERROR", "failure_class": "NETWORK_ERROR", "strategy": str(RETRY), **also}
    return FailureRecord.objects.create(goal=goal, weighed=weighed, **said, **values)


def test_a_trial_of_waiting_shows_the_seconds_and_what_was_not_kept_is_not_guessed(
    make_goal: Callable[..., Goal], owner: User, operator: User
) -> None:
    goal = make_goal(owner)
    _failed(goal, Standing({SIMPLER: "the plan cannot be simplified further"}, tries=2))
    _failed(goal, None)
    versions.save(kind("recovery_setting"), {"name": "jitter", "value": 0}, by=operator)
    trial = tried("recovery_setting", {"name": "retry_delay_seconds", "value": 7}, operator)
    assert (trial.tried, trial.untold, trial.changed) == (2, 1, 1)
    assert trial.cases[0].now == "NETWORK_ERROR: retry with delay after 10 s"
    assert trial.cases[0].then == "NETWORK_ERROR: retry with delay after 14 s"


def test_a_way_that_was_shut_by_a_limit_is_not_said_to_be_open_by_another(
    make_goal: Callable[..., Goal], owner: User, operator: User
) -> None:
    goal = make_goal(owner)
    limited = "this goal was planned anew 2 times already"
    for _ in range(2):
        _failed(
            goal,
            Standing({RETRY: "x", ALTERNATIVE: "x"}),
            strategy="simplified_approach",
            failure_class="INVALID_PARAMETERS",
        )
    _failed(goal, Standing({SIMPLER: limited, ALTERNATIVE: "x"}), failure_class="INVALID_PARAMETERS")
    more = tried("recovery_setting", {"name": "most_replans", "value": 5}, operator)
    assert (more.tried, more.untold) == (3, 1), "nobody looked for a simpler plan then"
    fewer = tried("recovery_setting", {"name": "most_replans", "value": 0}, operator)
    assert (fewer.untold, fewer.changed) == (0, 2)
    assert all("simplified" not in case.then for case in fewer.cases)


def test_chances_are_told_where_what_was_learned_decides(
    make_goal: Callable[..., Goal], owner: User, operator: User
) -> None:
    goal = make_goal(owner)
    for number in range(12):
        _failed(goal, Standing({SIMPLER: "x"}), succeeded=number % 2 == 0, settled_at=goal.created_at)
    recovery_learning.rebuild({("NETWORK_ERROR", "simple_coder", str(RETRY))})
    trial = tried("recovery_setting", {"name": "cost_retry", "value": 1.0}, operator)
    by_words = {one.words: (one.now, one.then) for one in trial.totals}
    assert sum(now for now, _ in by_words.values()) == pytest.approx(12)
    assert sum(then for _, then in by_words.values()) == pytest.approx(12)
    assert by_words["retry with delay"][0] > by_words.get("retry with delay", (0, 0))[1]


def test_a_failure_of_planning_is_tried_as_it_was_decided(
    make_goal: Callable[..., Goal], owner: User, operator: User
) -> None:
    """With another draw, or without what was shut for it, now would differ from what was done."""
    goal = make_goal(owner, "Reconcile the ledger")
    cycle.work(goal.pk)
    assert FailureRecord.objects.filter(goal=goal, stage="planning").exists()
    trial = tried("recovery_setting", {"name": "cost_manual", "value": 0.9}, operator)
    assert (trial.tried, trial.untold, trial.drifted) == (trial.found, 0, 0)
