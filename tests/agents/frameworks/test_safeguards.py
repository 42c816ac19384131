"""What holds for everything that asks a model holds here: policies, firmware, secrets, rights."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from agents.actors import firmware
from agents.frameworks import factory
from agents.models import Agent, Goal, ShadowRun
from agents.states import GoalState, PlanState
from library.language import masking
from people.models import User
from review.deciding import decisions
from review.errors import DecisionRefused
from review.policy.verdict import Action
from tests.agents.frameworks.conftest import answer, call, calls, open_call, work
from tests.agents.frameworks.double import Double
from tests.models.server import Provider
from tests.review.conftest import cases, keeper, submitter  # fixtures  # noqa: F401
from tests.review.some_policies import in_force, tried

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]
Make = Callable[..., Goal]


@pytest.fixture
def guest(monkeypatch: pytest.MonkeyPatch) -> Agent:
    monkeypatch.setattr(factory, "FACTORY", factory.AgentFactory({Double.name: Double.create}))
    return Agent.objects.create(name="guest", framework=Double.name)


@pytest.mark.usefixtures("cases")
def test_no_policy_approves_what_an_agent_calls(
    guest: Agent, provider: Provider, owner: User, make_goal: Make, keeper: User  # noqa: F811
) -> None:  # fmt: skip
    in_force(Action.AUTO_APPROVE, keeper, "notes pass", commands=["write", "mkdir"], risk_at_most="low")
    provider.will_say(call("mkdir", path="notes"))
    plan = tried(open_call(work(make_goal(owner, agent=guest))))
    assert ShadowRun.objects.get(intent_plan=plan).state == "done"
    assert plan.state == PlanState.AWAITING_REVIEW


def test_who_gave_the_goal_decides_none_of_its_calls(
    guest: Agent, provider: Provider, reviewer: User, make_goal: Make, settings: object
) -> None:
    settings.FOUR_EYES = True  # type: ignore[attr-defined]
    provider.will_say(call("write", path="a.txt", content="1"))
    plan = open_call(work(make_goal(reviewer, agent=guest)))
    with pytest.raises(DecisionRefused):
        decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")


def test_a_call_against_the_firmware_is_never_proposed(
    guest: Agent, provider: Provider, owner: User, operator: User, make_goal: Make
) -> None:
    text = "Be brief.\nCHECKS:\nno-keys: forbid path *.pem"
    firmware.activate(firmware.save("general", text, by=operator), by=operator)
    provider.will_say(call("read", path="key.pem"), answer("I may not."))
    goal = work(make_goal(owner, agent=guest))
    assert (goal.state, goal.children.count()) == (GoalState.ACHIEVED, 0)
    assert "no-keys" in calls(goal)[0].refused
    assert "Be brief." in provider.asked[0]["messages"][0]["content"]
    assert "no-keys" in provider.asked[1]["messages"][-1]["content"], "the agent reads why"


def test_last_words_against_the_firmware_go_back(
    guest: Agent, provider: Provider, owner: User, operator: User, make_goal: Make
) -> None:
    text = "Be honest.\nCHECKS:\nno-promises: forbid words guaranteed return"
    firmware.activate(firmware.save("general", text, by=operator), by=operator)
    provider.will_say(answer("It has a guaranteed return."), answer("It may lose."))
    goal = work(make_goal(owner, agent=guest))
    assert goal.framework_run.answer == "It may lose."
    assert "no-promises" in provider.asked[1]["messages"][-1]["content"]


def test_a_tool_that_the_agent_may_not_use_is_not_offered_and_not_called(
    guest: Agent, provider: Provider, owner: User, make_goal: Make
) -> None:
    Agent.objects.filter(pk=guest.pk).update(tools=["git_tool"])
    guest.refresh_from_db()
    provider.will_say(call("read", path="a.txt"), answer("I cannot."))
    goal = work(make_goal(owner, agent=guest))
    assert "simple_coder" not in provider.asked[0]["messages"][0]["content"].partition("Tools:")[2]
    assert (goal.state, calls(goal)) == (GoalState.ACHIEVED, [])


def test_a_secret_of_the_goal_is_neither_sent_nor_lost(
    guest: Agent, provider: Provider, owner: User, make_goal: Make
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    def uses_the_mark(asked: object) -> None:
        (mark,) = masking.marks_in(provider.asked[-1]["messages"][1]["content"])
        asked.stream(call("write", path="t.txt", content=mark))  # type: ignore[attr-defined]

    provider.will_say(uses_the_mark, answer("done"))
    goal = work(make_goal(owner, f"Write the token {secret} to t.txt", agent=guest))
    assert secret not in json.dumps(provider.asked)
    assert open_call(goal).plan.steps[0]["params"]["content"]["value"] == secret


def test_a_mark_that_stands_for_no_secret_of_the_goal_is_no_value(
    guest: Agent, provider: Provider, owner: User, make_goal: Make
) -> None:
    provider.will_say(call("write", path="t.txt", content=f"{masking.MARK}0123abcd"), answer("I cannot know it."))
    goal = work(make_goal(owner, agent=guest))
    assert (goal.state, calls(goal)) == (GoalState.ACHIEVED, [])
    assert "stands for a secret that this task does not say" in provider.asked[1]["messages"][-1]["content"]


def test_a_person_who_may_submit_no_more_goals_has_no_more_calls(
    guest: Agent, provider: Provider, owner: User, make_goal: Make
) -> None:
    provider.will_say(call("read", path="a.txt"), answer("I may not."))
    goal = make_goal(owner, agent=guest)
    User.objects.filter(pk=owner.pk).update(roles=[])
    goal = work(goal)
    assert goal.children.count() == 0
    assert "You may not submit goals" in calls(goal)[0].refused


def test_a_pace_of_goals_that_is_used_up_delays_a_call(
    guest: Agent, provider: Provider, owner: User, make_goal: Make, settings: object
) -> None:
    settings.GOALS_PER_MINUTE = 1  # type: ignore[attr-defined]
    provider.will_say(call("read", path="a.txt"))
    goal = work(make_goal(owner, agent=guest))
    assert (goal.state, goal.reason.partition(":")[0], goal.children.count()) == (GoalState.PENDING, "paced", 0)
    settings.GOALS_PER_MINUTE = 0  # type: ignore[attr-defined]
    Goal.objects.filter(pk=goal.pk).update(wake_at=None)
    assert work(goal).children.count() == 1
    assert len(provider.asked) == 1
