"""Cool-down: what failed on a tool and its hosts is left alone by every goal, until it is over or works again."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from agents.bdi.recovery.failures import Facts
from agents.cycle import cycle
from agents.models import FailureRecord, Goal, IntentPlan
from agents.recovery import cooldown
from agents.states import GoalState
from people.models import User
from tests.agents.toolkit.answering import answering, ok, status

pytestmark = pytest.mark.django_db(transaction=True)
Failed = Callable[..., FailureRecord]


def facts(*hosts: str, tool: str = "http_request") -> Facts:
    return Facts(tool=tool, command="get", approved=hosts)


@pytest.fixture
def failed(owner: User, make_goal: Callable[..., Goal]) -> Failed:
    """`failed(facts, wakes=seconds)`: a goal of its own that failed with these facts and waits so long."""

    def made(of: Facts, wakes: float = 5.0, state: GoalState = GoalState.RECOVERING) -> FailureRecord:
        goal = make_goal(owner)
        wake_at = timezone.now() + timedelta(seconds=wakes)
        Goal.objects.filter(pk=goal.pk).update(state=state.value, wake_at=wake_at)
        return FailureRecord.objects.create(
            goal=goal, stage="execution", tool=of.tool, command=of.command, facts=of.to_json(),
            classified_as="RATE_LIMIT_ERROR", failure_class="RATE_LIMIT_ERROR", reason="429",
            strategy="retry_with_delay",
        )  # fmt: skip

    return made


def wakes(row: FailureRecord) -> datetime | None:
    return Goal.objects.get(pk=row.goal_id).wake_at


def left_s(of: Facts) -> float:
    return cooldown.left_s(cooldown.of(of))


def test_the_same_tool_on_the_same_hosts_waits_and_nothing_else(failed: Failed) -> None:
    cooled = failed(facts("a.example"))
    cooldown.cool(cooled, facts("a.example"), 100.0)
    assert 95 < left_s(facts("a.example", "b.example")) <= 100
    assert left_s(facts("b.example")) == 0
    assert left_s(facts()) == 0
    assert left_s(facts("a.example", tool="simple_coder")) == 0
    assert left_s(replace(facts("a.example", "b.example"), reached=("b.example",))) == 0, "it talked to the other"
    FailureRecord.objects.update(cools_until=timezone.now() - timedelta(seconds=1))
    assert left_s(facts("a.example")) == 0, "it is over"


def test_a_step_without_hosts_holds_nobody_back(failed: Failed) -> None:
    alone, other = failed(facts(tool="simple_coder")), failed(facts(tool="simple_coder"))
    before = wakes(other)
    cooldown.cool(alone, facts(tool="simple_coder"), 100.0)
    assert wakes(other) == before
    assert left_s(facts(tool="simple_coder")) == 0
    alone.refresh_from_db()
    assert alone.cools_until is None


def test_goals_that_wait_for_the_same_wait_as_long_and_say_why_without_naming_the_other_goal(failed: Failed) -> None:
    same, other, later = failed(facts("a.example")), failed(facts("b.example")), failed(facts("a.example"), 500.0)
    ended, cooled = failed(facts("a.example"), state=GoalState.EXECUTING), failed(facts("a.example"))
    before = {row.pk: wakes(row) for row in (other, later, ended, cooled)}
    cooldown.cool(cooled, facts("a.example"), 100.0)
    cooled.refresh_from_db()
    assert wakes(same) == cooled.cools_until
    assert before == {row.pk: wakes(row) for row in (other, later, ended, cooled)}
    told = {
        row.goal_id for row in (same, other, later) if row.goal.log_lines.filter(text__contains="slow down").exists()
    }
    assert told == {same.goal_id}
    (line,) = same.goal.log_lines.filter(text__contains="a.example asked to slow down: the next try is not before")
    assert "goal" not in line.text, "whoever reads it may not see that one"


def test_a_step_that_waits_for_a_cool_down_says_how_long_and_why(
    failed: Failed, approved: Callable[..., IntentPlan]
) -> None:
    with answering() as server:
        server.answers["/a"] = status("503 Service Unavailable", b"no")
        cooldown.cool(failed(facts(server.entry)), facts(server.entry), 300.0)
        plan = approved([{"tool": "http_request", "command": "get", "params": {"url": f"{server.address}/a"}}])
        cycle.work(plan.goal_id)
    kept = FailureRecord.objects.get(goal=plan.goal_id)
    assert re.search(rf"; but it waits 29\d(\.\d)? s, as {re.escape(server.entry)} asked to slow down$", kept.why)


def test_a_cool_down_ends_when_the_tool_has_worked_on_those_hosts_since(
    failed: Failed, approved: Callable[..., IntentPlan]
) -> None:
    with answering() as server, answering() as elsewhere:
        server.answers["/a"] = elsewhere.answers["/a"] = ok(b"well")
        cooled, waiting = failed(facts(server.entry)), failed(facts(server.entry))
        cooldown.cool(cooled, facts(server.entry), 100.0)
        get = {"tool": "http_request", "command": "get"}
        plan = approved([{**get, "params": {"url": f"{elsewhere.address}/a"}}])
        cycle.work(plan.goal_id)
        assert cooldown.passed("http_request") == [], "it worked elsewhere"
        plan = approved([{**get, "params": {"url": f"{server.address}/a"}}])
        cycle.work(plan.goal_id)
    assert cooldown.passed("http_request") == [cooled]
    assert cooldown.passed("simple_coder") == []
    assert cooldown.close(cooldown.passed("http_request")) == 2, "who found it waits no longer either"
    assert (wakes(waiting), wakes(cooled)) == (None, None)
    assert left_s(facts(server.entry)) == 0
    assert cooldown.close([cooled]) == 0, "once"
