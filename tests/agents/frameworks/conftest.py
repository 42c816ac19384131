"""Agents of frameworks with goals: our double, and each real one that is installed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.models.conftest import provider as provider

if TYPE_CHECKING:
    from agents.models import FrameworkCall, Goal, IntentPlan
    from people.models import User

DOUBLE = "double"
REAL = ("langgraph", "pydantic_ai", "beeai", "openai_agents")


@pytest.fixture(params=[DOUBLE, *(pytest.param(name, marks=pytest.mark.extras) for name in REAL)])
def framework(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a framework: of one that is not installed the tests are left out, and say what is missing."""
    from agents.frameworks import factory
    from tests.agents.frameworks.double import Double

    if request.param == DOUBLE:
        monkeypatch.setattr(factory, "FACTORY", factory.AgentFactory({Double.name: Double.create}))
        return Double.name
    if why := factory.missing(request.param):
        pytest.skip(why)
    return str(request.param)


@pytest.fixture
def given(owner: User, framework: str, make_goal: Callable[..., Goal]) -> Callable[..., Goal]:
    """`given("text")`: a goal for an agent of the framework, which nobody has looked at."""
    from agents.models import Agent

    def made(text: str = "Copy a.txt to b.txt", **also: Any) -> Goal:
        agent, _ = Agent.objects.get_or_create(name="guest", defaults={"framework": framework})
        return make_goal(owner, text, agent=agent, **also)

    return made


def call(command: str, why: str = "It is needed.", **params: Any) -> str:
    """A model's answer that calls a command of SimpleCoder."""
    return json.dumps({"call": {"tool": f"simple_coder__{command}", "params": params}, "why": why})


def answer(text: str) -> str:
    """A model's last words."""
    return json.dumps({"answer": text})


def work(goal: Goal) -> Goal:
    """Take turns of this goal and of no other, until it waits or has ended."""
    from agents.cycle import cycle
    from agents.models import Goal as Goals

    while cycle.one(goal.pk) == goal.pk:
        """Each turn is a step nearer to where nothing can be claimed."""
    return Goals.objects.get(pk=goal.pk)


def open_call(goal: Goal) -> IntentPlan:
    """The plan of the call that the goal waits for."""
    return calls(goal)[-1].goal.intent_plans.get()  # type: ignore[union-attr]


def calls(goal: Goal) -> list[FrameworkCall]:
    """What the goal's agent called, in order."""
    return list(goal.framework_run.calls.select_related("goal"))


def approve(goal: Goal, reviewer: User) -> Goal:
    """Approve the call that the goal waits for, have it run, and go on."""
    from review.deciding import decisions

    plan = open_call(goal)
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    work(plan.goal)
    return work(goal)
