"""Calls of frameworks written with the application's role alone: no goal is made of any, and a person is asked."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from agents.frameworks import runs
from agents.models import FrameworkCall, FrameworkRun, Goal, IntentPlan
from agents.record.causes import Forged
from agents.states import GoalState
from people.models import User
from review.deciding import decisions
from tests.agents.frameworks.conftest import answer, call, open_call, work
from tests.forging import forge
from tests.models.server import Provider

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]
Given = Callable[..., Goal]
_CALL = (
    "INSERT INTO agents_frameworkcall (run_id, position, turn, call_id, name, params, why, refused, at)"
    " VALUES (%s, 2, %s, 'x', %s, %s, '', '', now())"
)


def waits(given: Given, provider: Provider) -> Goal:
    """A goal whose agent waits for a call that a person decides."""
    provider.will_say(call("write", path="a.txt", content="moon"), answer("done"))
    return work(given())


def gone_on(goal: Goal, plan: IntentPlan, reviewer: User) -> Goal:
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    work(plan.goal)
    return work(goal)


def test_a_call_that_nobody_made_becomes_no_goal(given: Given, provider: Provider, reviewer: User) -> None:
    goal = waits(given, provider)
    run = goal.framework_run
    made, plan = FrameworkCall.objects.get(), open_call(goal)
    assert forge(_CALL, run.pk, run.turn, made.name, '{"path": "b.txt", "content": "forged"}') == 1
    with pytest.raises(CommandError, match="framework call"):
        call_command("audit", "verify", stdout=StringIO())
    goal = gone_on(goal, plan, reviewer)
    assert (goal.state, goal.children.count()) == (GoalState.MANUAL, 1)
    assert "not as mindX stored it" in goal.reason


@pytest.mark.parametrize(
    ("column", "value"), [("checkpoint", '{"messages": []}'), ("turn", 7), ("framework", "beeai"), ("answer", "all")]
)
def test_a_run_that_was_changed_does_not_go_on(
    column: str, value: object, given: Given, provider: Provider, reviewer: User
) -> None:
    goal = waits(given, provider)
    asked = len(provider.asked)
    forge(f"UPDATE agents_frameworkrun SET {column} = %s WHERE goal_id = %s", value, goal.pk)
    goal = gone_on(goal, open_call(goal), reviewer)
    assert (goal.state, len(provider.asked)) == (GoalState.MANUAL, asked)
    assert "not as mindX stored it" in goal.reason


def test_a_call_is_made_for_the_goal_of_its_run_only(
    given: Given, provider: Provider, make_goal: Callable[..., Goal], reviewer: User
) -> None:
    """The run, with the call that waits in it, is given to a goal of somebody else."""
    goal = waits(given, provider)
    FrameworkCall.objects.update(goal=None)
    theirs = make_goal(reviewer)
    forge("UPDATE agents_frameworkrun SET goal_id = %s WHERE goal_id = %s", theirs.pk, goal.pk)
    run = FrameworkRun.objects.get()
    with pytest.raises(Forged):
        runs._propose(theirs, run, run.calls.get())
    assert not theirs.children.exists()
