"""A step that asks on the bus: it holds no worker, goes on with the answer, and asks for nothing that was not shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.bdi.bus.routing import Strategy
from agents.bdi.forecast import shadow
from agents.bdi.plans import document as documents
from agents.bus import answering, providers, requests, settling
from agents.cycle import cycle
from agents.goals import goals
from agents.models import Attempt, BusRequest, Deed, Goal, Intent, IntentPlan
from agents.plans import ending
from agents.record.errors import AskedInVain
from agents.states import GoalState, IntentState, PlanState, RequestState
from agents.system import asking_others
from agents.toolkit.registry import REGISTRY
from agents.toolkit.tools.system_agent import BUS_STRATEGIES, NAME, REQUEST_AGENT
from agents.workspaces import workspaces
from people.models import User
from review.deciding import decisions
from tests.agents.bus.conftest import _looked_at_anew as _looked_at_anew
from tests.agents.bus.conftest import connect as connect
from tests.agents.execution.conftest import approved as approved
from tests.agents.system.test_system_agent import under_way
from tests.forging import forge

pytestmark = pytest.mark.django_db(transaction=True)

Approved = Callable[..., IntentPlan]
READS = {"capability": "simple_coder.read", "content": '{"path": "a.txt"}', "why": "to know what is in it"}


def step(**params: Any) -> dict[str, Any]:
    return {"tool": NAME, "command": REQUEST_AGENT, "params": params}


def asked_by(plan: IntentPlan) -> BusRequest:
    return BusRequest.objects.select_related("goal").get(parent=plan.goal_id)


def first(plan: IntentPlan) -> Intent:
    return Intent.objects.get(intent_plan__goal=plan.goal_id, position=1)


def goal_of(plan: IntentPlan) -> Goal:
    return Goal.objects.get(pk=plan.goal_id)


def delegated(plan: IntentPlan) -> IntentPlan:
    """The plan of the goal that answers the request of the plan's first step; it awaits review."""
    cycle.work(plan.goal_id)
    asked = asked_by(plan)
    answering.work(asked.pk)
    return IntentPlan.objects.get(goal__bus_request=asked)


def test_a_plan_delegates_waits_without_a_worker_and_goes_on_with_the_answer(
    approved: Approved, owner: User, reviewer: User
) -> None:
    content = json.dumps({"path": "b.txt", "content": "moon"})
    plan = approved(
        [
            step(capability="simple_coder.write", content=content, why="others do it"),
            {
                "tool": "simple_coder",
                "command": "write",
                "params": {"path": "copy.txt", "content": "{{intents.1.result.request}}"},
            },
        ]
    )
    asks = delegated(plan)
    goal = goal_of(plan)
    asked = asked_by(plan)
    assert (goal.state, goal.lease_owner) == (GoalState.RECOVERING, "")
    assert goal.reason.startswith("waits_for_answer: request")
    assert (asked.by, asked.state, asked.parent_id) == (owner, RequestState.WITH_GOAL, plan.goal_id)
    assert (asks.state, asks.goal.submitted_by, asks.goal.parent_id) == (
        PlanState.AWAITING_REVIEW,
        owner,
        plan.goal_id,
    )
    # Nothing to do meanwhile: whoever looks at it finds it asleep.
    cycle.work(plan.goal_id)
    assert Attempt.objects.filter(intent__intent_plan=plan).count() == 1
    decisions.approve(asks, by=reviewer, digest=asks.digest, via="api")
    cycle.work(asks.goal_id)
    assert goal_of(plan).wake_at is None
    cycle.work(plan.goal_id)
    assert goal_of(plan).state == GoalState.ACHIEVED
    done = first(plan)
    assert (done.state, (done.result or {})["goal"]) == (IntentState.SUCCEEDED, str(asks.goal_id))
    assert (done.result or {})["state"] == "answered"
    tries = list(Attempt.objects.filter(intent=done).order_by("number").values_list("outcome", flat=True))
    assert tries == ["waiting", "succeeded"]
    assert BusRequest.objects.filter(parent=plan.goal_id).count() == 1
    assert Deed.objects.filter(goal=plan.goal_id, command=REQUEST_AGENT).count() == 1


def test_a_step_does_not_go_on_with_an_answer_that_nobody_gave(approved: Approved) -> None:
    plan = approved([step(**READS)])
    delegated(plan)
    forge(
        "UPDATE agents_busrequest SET state = 'answered', answer = %s, ended_at = now() WHERE id = %s",
        '{"text": "sun"}',
        asked_by(plan).pk,
    )
    Goal.objects.filter(pk=plan.goal_id).update(wake_at=None)
    cycle.work(plan.goal_id)
    failed = Attempt.objects.get(intent=first(plan), outcome="failed")
    assert "not as mindX stored it" in failed.reason
    assert first(plan).state != IntentState.SUCCEEDED


def test_what_people_reject_fails_the_step_and_is_not_asked_again_by_itself(approved: Approved, reviewer: User) -> None:
    plan = approved([step(**READS)])
    asks = delegated(plan)
    decisions.reject(asks, by=reviewer, digest=asks.digest, reason="not this file", via="api")
    settling.sweep()
    cycle.work(plan.goal_id)
    failed = Attempt.objects.get(intent=first(plan), outcome="failed")
    assert failed.failure_class == "PERMISSION_ERROR"
    assert "rejected: not this file" in failed.reason
    for _ in range(3):
        Goal.objects.filter(pk=plan.goal_id, state=GoalState.RECOVERING).update(wake_at=None)
        cycle.work(plan.goal_id)
    assert BusRequest.objects.filter(parent=plan.goal_id).count() == 1


def test_a_deadline_that_passes_fails_the_step(approved: Approved) -> None:
    plan = approved([step(**READS, minutes=5)])
    cycle.work(plan.goal_id)
    asked = asked_by(plan)
    assert asked.deadline is not None
    assert timedelta(minutes=4) < asked.deadline - timezone.now() <= timedelta(minutes=5)
    BusRequest.objects.filter(pk=asked.pk).update(deadline=timezone.now() - timedelta(seconds=1))
    settling.sweep()
    assert goal_of(plan).wake_at is None
    cycle.work(plan.goal_id)
    failed = Attempt.objects.get(intent=first(plan), outcome="failed")
    assert failed.failure_class == "TOOL_UNAVAILABLE"
    assert "deadline" in failed.reason


def test_cancelling_the_goal_cancels_the_request_and_the_goal_that_answers_it(approved: Approved, owner: User) -> None:
    plan = approved([step(**READS)])
    asks = delegated(plan)
    goals.cancel(goal_of(plan), by=owner)
    cycle.work(plan.goal_id)
    settling.sweep()
    assert goal_of(plan).state == GoalState.DROPPED
    assert asked_by(plan).state == RequestState.CANCELLED
    assert Goal.objects.get(pk=asks.goal_id).state == GoalState.DROPPED


def test_cancelling_the_goal_cancels_a_request_that_nobody_has_begun(approved: Approved, owner: User) -> None:
    plan = approved([step(**READS)])
    cycle.work(plan.goal_id)
    goals.cancel(goal_of(plan), by=owner)
    cycle.work(plan.goal_id)
    settling.sweep()
    assert asked_by(plan).state == RequestState.CANCELLED
    answering.work(asked_by(plan).pk)
    assert not Goal.objects.filter(bus_request=asked_by(plan)).exists()


def test_an_answer_that_comes_while_the_step_begins_to_wait_is_not_missed(
    approved: Approved, connect: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The race: the request ends when the step has looked and the goal does not wait yet."""
    connect("quick", "say")
    plan = approved([step(capability="say", content='{"a": 1}')])
    waits, answered = ending.wait_for_answer, []

    def late(plan: IntentPlan, *more: Any) -> None:
        answering.work(asked_by(plan).pk)
        answered.append(asked_by(plan).state)
        waits(plan, *more)

    monkeypatch.setattr(ending, "wait_for_answer", late)
    monkeypatch.setattr("agents.system.asking_others._is_answered_here", lambda asked: False)
    monkeypatch.setattr("agents.bus.steps_waiting.sweep", lambda: None)
    cycle.work(plan.goal_id)
    assert answered == [RequestState.ANSWERED]
    assert goal_of(plan).wake_at is None
    cycle.work(plan.goal_id)
    assert goal_of(plan).state == GoalState.ACHIEVED


def test_a_wake_up_that_was_lost_is_made_up_for(approved: Approved, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = approved([step(**READS)])
    cycle.work(plan.goal_id)
    BusRequest.objects.filter(parent=plan.goal_id).update(state="failed", ended_at=timezone.now(), reason="x")
    assert goal_of(plan).wake_at is not None
    settling.sweep()
    assert goal_of(plan).wake_at is None


def test_a_try_that_failed_asks_anew(approved: Approved, connect: Callable[..., Any]) -> None:
    script = connect("weak", "say")
    said = [providers.Answer.refused("not today"), providers.Answer({"text": "moon"})]
    script.does = lambda request: said[len(script.asked) - 1]
    plan = approved([step(capability="say", content='{"a": 1}')])
    cycle.work(plan.goal_id)
    failed = Attempt.objects.get(intent=first(plan), outcome="failed")
    assert (failed.failure_class, "not today" in failed.reason) == ("TOOL_EXECUTION_ERROR", True)
    Goal.objects.filter(pk=plan.goal_id, state=GoalState.RECOVERING).update(wake_at=None)
    cycle.work(plan.goal_id)
    asked = BusRequest.objects.filter(parent=plan.goal_id).order_by("pk")
    assert [one.state for one in asked] == ["failed", "answered"]
    assert (first(plan).result or {})["text"] == "moon"


def test_a_worker_that_dies_before_the_failure_is_recorded_asks_for_nothing_new(
    approved: Approved, connect: Callable[..., Any]
) -> None:
    connect("weak", "say").does = lambda request: providers.Answer.refused("not today")
    plan = approved([step(capability="say", content='{"a": 1}')])
    means, params = under_way(plan), documents.read(bytes(plan.document)).at(1).params
    for _ in range(2):
        with pytest.raises(AskedInVain, match="not today"):
            asking_others.request_agent(params, {}, means)
    assert BusRequest.objects.filter(parent=plan.goal_id).count() == 1


def test_what_may_have_happened_once_is_not_asked_for_again(approved: Approved, connect: Callable[..., Any]) -> None:
    def dies(request: Any) -> Any:
        raise RuntimeError("gone")

    script = connect("once", "say", effect="once")
    script.does = dies
    plan = approved([step(capability="say", content='{"a": 1}')])
    for _ in range(4):
        cycle.work(plan.goal_id)
        Goal.objects.filter(pk=plan.goal_id, state=GoalState.RECOVERING).update(wake_at=None)
    assert len(script.asked) == 1
    assert BusRequest.objects.filter(parent=plan.goal_id).count() == 1


@pytest.mark.parametrize(
    ("params", "failure_class"),
    [
        ({"capability": "nobody.offers.this"}, "TOOL_UNAVAILABLE"),
        ({"capability": "simple_coder.read", "content": '{"nonsense": 1}'}, "INVALID_PARAMETERS"),
        ({"capability": "simple_coder.read", "content": "[1]"}, "INVALID_PARAMETERS"),
        ({**READS, "workspace": "nowhere"}, "INVALID_PARAMETERS"),
    ],
)
def test_what_cannot_be_asked_fails_with_its_class(
    params: dict[str, Any], failure_class: str, approved: Approved
) -> None:
    plan = approved([step(**params)])
    cycle.work(plan.goal_id)
    assert Attempt.objects.get(intent=first(plan), outcome="failed").failure_class == failure_class
    assert not BusRequest.objects.filter(parent=plan.goal_id).exists()


def test_its_own_files_are_refused_for_its_plan_holds_them(approved: Approved, owner: User) -> None:
    plan = approved([step(**READS, workspace="mine")], workspace=workspaces.create(by=owner, name="mine"))
    cycle.work(plan.goal_id)
    failed = Attempt.objects.get(intent=first(plan), outcome="failed")
    assert "holds its own files" in failed.reason
    assert not BusRequest.objects.filter(parent=plan.goal_id).exists()


def test_depth_holds_for_plans_that_delegate(approved: Approved, connect: Callable[..., Any]) -> None:
    """A goal that answers a request asks for the same again within itself: refused, and nothing is asked for."""
    plan = approved([step(**READS)])
    asks = delegated(plan)
    outer = asked_by(plan)
    inner = approved([step(**READS)])
    Goal.objects.filter(pk=inner.goal_id).update(parent=asks.goal_id)
    cycle.work(inner.goal_id)
    failed = Attempt.objects.get(intent=first(inner), outcome="failed")
    assert failed.failure_class == "PERMISSION_ERROR"
    assert list(BusRequest.objects.filter(root=outer)) == []


def test_a_plan_that_nobody_approved_asks_nobody(propose_plan: Callable[..., IntentPlan], owner: User) -> None:
    plan = propose_plan(owner)
    cycle.work(plan.goal_id)
    assert not BusRequest.objects.filter(parent=plan.goal_id).exists()


def test_the_shadow_run_says_what_will_happen_and_asks_nobody(approved: Approved) -> None:
    plan = approved([step(**READS)])
    document = documents.read(bytes(plan.document))
    assert "people review" in shadow.untried(document)[1]
    assert not BusRequest.objects.filter(parent=plan.goal_id).exists()


def test_the_plan_shows_whom_and_what_until_when() -> None:
    command = REGISTRY.command(NAME, REQUEST_AGENT)
    assert set(command.properties) >= {"capability", "task", "content", "workspace", "strategy", "minutes"}
    assert set(BUS_STRATEGIES) == set(Strategy)
    assert command.defaults()["minutes"] == 1_440


def test_a_request_that_waits_is_cancelled_by_its_owner_and_the_step_fails(approved: Approved, owner: User) -> None:
    plan = approved([step(**READS)])
    cycle.work(plan.goal_id)
    requests.cancel(asked_by(plan), by=owner)
    assert goal_of(plan).wake_at is None
    cycle.work(plan.goal_id)
    assert Attempt.objects.get(intent=first(plan), outcome="failed").failure_class == "PERMISSION_ERROR"


def test_the_page_of_the_goal_says_for_what_it_waits(approved: Approved, owner: User, client: Client) -> None:
    plan = approved([step(**READS)])
    cycle.work(plan.goal_id)
    client.force_login(owner)
    page = client.get(goal_of(plan).get_absolute_url()).content.decode()
    assert f"Waiting for an answer on the bus: request {asked_by(plan).pk} asks for simple_coder.read" in page
