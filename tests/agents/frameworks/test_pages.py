"""Frameworks where people choose and see them: settings of agents, pages of agents, goals and plans, the API."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.test import Client

from agents.actors import lifecycle
from agents.components import agent_versions
from agents.frameworks import factory
from agents.models import Agent, Goal
from agents.record.errors import GoalRefused
from people.models import User
from tests.agents.frameworks.conftest import answer, approve, call, open_call, work
from tests.agents.frameworks.double import Double
from tests.cast import ApiCaller
from tests.models.server import Provider

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def guest(monkeypatch: pytest.MonkeyPatch, valkey: object) -> Agent:
    monkeypatch.setattr(factory, "FACTORY", factory.AgentFactory({Double.name: Double.create}))
    return Agent.objects.create(name="guest", framework=Double.name)


def test_a_goals_page_shows_the_calls_in_order_with_their_states_and_the_answer_as_a_text(
    guest: Agent, provider: Provider, owner: User, reviewer: User, client_of: Callable[[User], Client],
    make_goal: Callable[..., Goal], api_of: Callable[..., ApiCaller],
) -> None:  # fmt: skip
    provider.will_say(
        call("read", path="../out"), call("write", "A place <b>for</b> it.", path="a.txt", content="1"),
        answer("<script>alert(1)</script> done"),
    )  # fmt: skip
    goal = work(make_goal(owner, agent=guest))
    page = client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    part = open_call(goal).goal
    assert "Its agent waits: call 2 is goal" in page
    first, second = page.index("simple_coder.read"), page.index("simple_coder.write")
    assert first < second
    assert f'href="/goals/{part.pk}/"' in page
    assert "A place &lt;b&gt;for&lt;/b&gt; it." in page
    assert "2 of 40" in page
    review = client_of(reviewer).get(f"/review/{open_call(goal).pk}/").content.decode()
    assert "LangGraph agent guest calls this tool" in review
    goal = approve(goal, reviewer)
    page = client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; done" in page
    assert "A language model wrote this, and nothing has checked it." in page
    read = json.loads(api_of(owner).get(f"goals/{goal.pk}").content)
    assert (read["answer"], read["outcome"]) == ("<script>alert(1)</script> done", "not_checked")


def test_an_agents_page_and_the_api_say_which_framework_and_what_is_missing(
    guest: Agent, owner: User, client_of: Callable[[User], Client], api_of: Callable[..., ApiCaller],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setitem(factory._IS_THERE, "langgraph", lambda: False)
    page = client_of(owner).get(f"/agents/{guest.pk}/").content.decode()
    assert "LangGraph is not installed here. Run `make extras`" in page
    assert "LangGraph" in client_of(owner).get("/agents/").content.decode()
    assert json.loads(api_of(owner).get(f"agents/{guest.pk}").content)["framework"] == "langgraph"
    monkeypatch.setitem(factory._IS_THERE, "langgraph", lambda: True)
    assert "not installed" not in client_of(owner).get(f"/agents/{guest.pk}/").content.decode()


@pytest.mark.parametrize(
    ("said", "stored"),
    [("langgraph", "langgraph"), ("OpenAI Agents SDK", "openai_agents"), ("Pydantic-AI", "pydantic_ai")],
)
def test_operators_choose_a_framework_where_agents_are_made(said: str, stored: str, operator: User) -> None:
    config = lifecycle.read_config(json.dumps({"framework": said}))
    assert lifecycle.create("guest", config, by=operator).framework == stored


@pytest.mark.parametrize(
    ("said", "way_out"), [("langraph", "Did you mean langgraph?"), ("crewai!", "There are mindx, langgraph")]
)
def test_an_unknown_framework_is_refused(said: str, way_out: str) -> None:
    with pytest.raises(GoalRefused, match="mindX knows no framework") as refused:
        lifecycle.read_config(f"framework={said}")
    assert way_out in str(refused.value)


def test_a_version_from_before_there_were_frameworks_means_mindx(operator: User) -> None:
    agent = lifecycle.create("guest", lifecycle.read_config("tools=git_tool"), by=operator)
    version = agent_versions.first(agent, by=operator, changes="")
    values = {name: one for name, one in agent_versions.values_of(version).items() if name != "framework"}
    type(version).objects.filter(pk=version.pk).update(body=agent_versions.body_of(values))
    assert agent_versions.in_force(agent, by=operator) == version
    changed, base = agent_versions.candidate(agent, lifecycle.read_config("framework=beeai"), by=operator, changes="")
    assert (base, agent_versions.values_of(changed)["framework"]) == (version, "beeai")


def test_a_framework_that_nobody_knows_is_nothing_to_make() -> None:
    assert factory.missing("crewai") == "mindX knows no framework “crewai”."
