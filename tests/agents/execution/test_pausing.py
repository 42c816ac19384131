"""A paused agent, and a standstill of everything: what runs is finished, nothing new begins, and then it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.actors import pauses
from agents.cycle import cycle
from agents.execution import shadow
from agents.models import Agent, Attempt, Goal, HandCommand, IntentPlan, ShadowRun, Standstill
from agents.plans import reporting, shadowing
from agents.record import wake_ups
from agents.record.lease import claim
from agents.states import GoalState, HandState, IntentState
from people.models import User
from review.models import AuditEntry
from tests.agents.execution.conftest import write
from tests.cast import person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def keeper(transactional_db: None) -> User:
    """May stop everything."""
    return person("kim", "submitter", "operator")


def _while_the_first_step_runs(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    advance, left = reporting.advance, [change]

    def then(*args: Any, **also: Any) -> Any:
        if left:
            left.pop()()
        return advance(*args, **also)

    monkeypatch.setattr(reporting, "advance", then)


def test_open_pages_of_goals_that_would_go_on_are_told_of_a_pause(
    approved: Callable[..., IntentPlan], owner: User, make_goal: Callable[..., Goal], keeper: User, monkeypatch: Any
) -> None:
    """An approved plan that has not begun is among them; a goal that waits for a person is not."""
    waits, approved_one = make_goal(owner), approved([write("a.txt")]).goal_id
    Goal.objects.filter(pk=waits.pk).update(state=GoalState.MANUAL)
    assert Goal.objects.get(pk=approved_one).state == GoalState.AWAITING_REVIEW
    told: list[int] = []
    monkeypatch.setattr(wake_ups, "goal_changed", told.append)
    pauses.pause(Agent.objects.get(goals=approved_one), by=keeper)
    assert told == [approved_one]


@pytest.mark.parametrize("all_of_it", [False, True])
def test_a_step_that_runs_is_finished_and_the_next_waits(
    approved: Callable[..., IntentPlan], keeper: User, monkeypatch: pytest.MonkeyPatch, all_of_it: bool
) -> None:
    plan = approved([write("a.txt"), write("b.txt")])
    agent = Agent.objects.get(goals=plan.goal_id)
    stop = (
        (lambda: pauses.stop_all(by=keeper, reason="a look")) if all_of_it else (lambda: pauses.pause(agent, by=keeper))
    )
    _while_the_first_step_runs(monkeypatch, stop)
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert [each.state for each in plan.intents.all()] == [IntentState.SUCCEEDED, IntentState.PENDING]
    assert (goal.state, goal.lease_owner, Attempt.objects.count()) == (GoalState.EXECUTING, "", 1)
    holds = "everything is resumed" if all_of_it else f"the agent {agent.name} is resumed"
    said = goal.log_lines.order_by("-number").values_list("text", flat=True).first()
    assert said == f"paused: step 2 starts when {holds}"
    assert claim(plan.goal_id) is None
    if all_of_it:
        pauses.go_on(by=keeper)
    else:
        pauses.resume(agent, by=keeper)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert Attempt.objects.count() == 2


def test_a_worker_that_had_claimed_already_begins_nothing(
    approved: Callable[..., IntentPlan], keeper: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("a.txt")])
    lease = claim(plan.goal_id)
    assert lease is not None
    pauses.stop_all(by=keeper, reason="a look")
    cycle.turn(lease)
    assert not Attempt.objects.exists()
    pauses.go_on(by=keeper)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED


def test_nothing_of_any_kind_begins(
    approved: Callable[..., IntentPlan],
    type_in: Callable[..., HandCommand],
    keeper: User,
    owner: User,
    make_goal: Callable[..., Goal],
) -> None:
    pauses.stop_all(by=keeper, reason="a look")
    waiting = make_goal(owner, "anything")
    command = type_in("mkdir notes")
    cycle.work()
    shadow.one()
    assert Goal.objects.get(pk=waiting.pk).state == GoalState.PENDING
    assert command.state == HandState.WAITING
    assert shadowing.claim() is None
    assert not ShadowRun.objects.exclude(state="waiting").exists()


def test_both_switches_are_in_the_journal_and_pressing_twice_is_once(keeper: User) -> None:
    for _ in range(2):
        pauses.stop_all(by=keeper, reason="a look")
    for _ in range(2):
        pauses.go_on(by=keeper)
    assert AuditEntry.objects.filter(event="standstill", by=keeper).count() == 2
    assert not Standstill.objects.exists()


def test_every_page_says_it_and_why(client: Client, owner: User, keeper: User) -> None:
    client.force_login(owner, backend="people.backends.SealedPeople")
    assert b"stopped everything" not in client.get("/goals/").content
    pauses.stop_all(by=keeper, reason="moving <b>house</b>")
    for page in ("/", "/goals/", "/review/", "/rules/"):
        text = client.get(page, follow=True).content.decode()
        assert "stopped everything on" in text, page
        assert "moving &lt;b&gt;house&lt;/b&gt;" in text
    assert "Resume" not in text, "not for those who may not"
