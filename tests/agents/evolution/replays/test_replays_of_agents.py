"""A version of what an agent is set to is replayed on the agent's own goals, planned anew and run in copies."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from agents.components import agent_versions
from agents.cycle import cycle
from agents.evolution import replaying
from agents.evolution.ab_trials import version_trials
from agents.evolution.ab_trials.trial_plans import Asked
from agents.evolution.ab_trials.version_trials import Wanted
from agents.evolution.activation import deciding
from agents.evolution.replays import agent_sides, replays
from agents.models import DEFAULT_AGENT, Agent, Goal, Replay
from agents.record.errors import NotPossibleNow
from library.components import services as library
from library.errors import LibraryRefused
from library.models import ComponentVersion, ModelCall
from people.models import User
from review.deciding import decisions
from tests.agents.evolution.conftest import Totalled
from tests.models.conftest import provider as provider
from tests.models.server import Provider
from tests.models.test_planning import GOOD, planned

pytestmark = pytest.mark.django_db(transaction=True)
GOOD_TEXT = json.dumps(GOOD)
OTHER_MODEL = "openai/other-model"
MISSING = {"tool": "simple_coder", "command": "read", "params": {"path": "no/such.txt"}, "why": "x"}
BAD_TEXT = json.dumps({"steps": [MISSING]})


@pytest.fixture
def ran(provider: Provider, owner: User, reviewer: User, valkey: object) -> Goal:
    """A goal that a model planned, that people approved, and that was achieved."""
    call_command("load_starters", verbosity=0)
    Agent.objects.get_or_create(name=DEFAULT_AGENT)
    provider.will_say(GOOD_TEXT)
    goal = planned(owner)
    plan = goal.intent_plans.get()
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(goal.pk)
    return goal


def changed(by: User, **values: Any) -> ComponentVersion:
    agent = Agent.objects.get(name=DEFAULT_AGENT)
    before = agent_versions.in_force(agent, by=by)
    body = agent_versions.body_of({**agent_versions.values_of(before), **values})
    return library.publish(agent_versions.KIND, agent.name, body, by=by, changes="tried")


def done(version: ComponentVersion, by: User) -> tuple[Replay, Any]:
    replay = replays.ask(version, by=by)
    replaying.work(replay.pk)
    replay.refresh_from_db()
    return replay, replays.judgement(replay)


def by_model(provider: Provider, usual: str, other: str) -> None:
    def reply(asked: Any) -> None:
        asked.stream(other if asked.server.asked[-1]["model"] == "other-model" else usual)

    provider.will_say(*[reply] * 20)


def test_another_model_that_plans_worse_is_seen_to_break(ran: Goal, provider: Provider, operator: User) -> None:
    version = changed(operator, model=OTHER_MODEL)
    cost = agent_sides.cost(version)
    assert (cost.cases, cost.calls, cost.models) == (1, 2, ("openai/test-model", OTHER_MODEL))
    by_model(provider, GOOD_TEXT, BAD_TEXT)
    asked = len(provider.asked)
    replay, judged = done(version, operator)
    case = replay.cases.get()
    assert (judged.verdict, judged.broken) == ("broke", 1), (case.parent_said, case.candidate_said)
    assert case.parent_said == "the plan that people approved and that worked"
    assert len(provider.asked) - asked == cost.calls
    first = ModelCall.objects.get(replay_of=None)
    made = ModelCall.objects.filter(replay_of=first)
    assert {case.parent_call, case.candidate_call} == set(made.values_list("pk", flat=True))
    assert sum(one.tokens for one in made) <= cost.tokens
    assert ran.intent_plans.count() == 1, "nothing was proposed"
    assert Agent.objects.get(name=DEFAULT_AGENT).model == "", "nobody set it"


def test_the_same_plans_are_inert_and_one_fix_is_too_few(ran: Goal, provider: Provider, operator: User) -> None:
    by_model(provider, GOOD_TEXT, f"Here it is: {GOOD_TEXT}")
    assert done(changed(operator, model=OTHER_MODEL), operator)[1].verdict == "inert"
    by_model(provider, BAD_TEXT, GOOD_TEXT)
    version = changed(operator, model=OTHER_MODEL, max_repair_attempts=0)
    assert done(version, operator)[1].verdict == "too_few"


def test_without_its_model_or_the_tool_that_it_needs_it_breaks(ran: Goal, provider: Provider, operator: User) -> None:
    provider.will_say(*[GOOD_TEXT] * 10)
    replay, judged = done(changed(operator, uses_model=False), operator)
    assert (judged.verdict, "no model may be asked" in replay.cases.get().candidate_said) == ("broke", True)
    replay, judged = done(changed(operator, tools=["summarization"]), operator)
    assert (judged.verdict, judged.broken) == ("broke", 1)
    asked = json.dumps(provider.asked[-1]["messages"])
    assert ("summarization" in asked, "simple_coder" in asked) == (True, False), "its tools alone are offered"


def test_goals_of_a_framework_are_not_planned_anew(ran: Goal, provider: Provider, operator: User) -> None:
    provider.will_say(*[GOOD_TEXT] * 4)
    replay, judged = done(changed(operator, framework="langchain"), operator)
    assert (judged.verdict, judged.unproven) == ("no_cases", 1)
    assert replay.cases.get().candidate_said == agent_sides.OF_A_FRAMEWORK


def test_what_rules_plan_is_planned_alike_and_no_model_is_asked(
    totalled: Totalled, provider: Provider, operator: User
) -> None:
    totalled("1\n2\n")
    version = changed(operator, model=OTHER_MODEL)
    assert agent_sides.cost(version).calls == 0
    _, judged = done(version, operator)
    assert (judged.verdict, judged.unchanged, provider.asked) == ("inert", 1, [])


def test_who_may_and_how_it_is_shown(
    ran: Goal, provider: Provider, operator: User, reviewer: User, client_of: Callable[[User], Client], api_of: Any
) -> None:
    version = changed(operator, model=OTHER_MODEL)
    with pytest.raises(LibraryRefused, match="Only an operator"):
        replays.ask(version, by=reviewer)
    with pytest.raises(NotPossibleNow, match="first version"):
        replays.ask(agent_versions.in_force(Agent.objects.get(name=DEFAULT_AGENT), by=operator), by=operator)
    page = f"/library/{version.component_id}/?version={version.pk}"
    shown = client_of(operator).get(page).content.decode()
    assert "1 earlier goal, planned anew with both versions" in shown
    assert OTHER_MODEL in shown
    by_model(provider, GOOD_TEXT, BAD_TEXT)
    client_of(operator).post(f"/library/{version.component_id}/versions/{version.pk}/replay/", {})
    replaying.work()
    assert "broken" in client_of(operator).get(page, headers={"HX-Target": "replay"}).content.decode()
    found = api_of(operator).get(f"candidates/{version.pk}").json()
    assert (found["replay"]["verdict"], found["why_not"], found["replay_cost"]["models"]) == (
        "broke", "", ["openai/test-model", OTHER_MODEL],
    )  # fmt: skip
    refused = api_of(operator).post(f"candidates/{version.pk}/activate", {})
    assert (refused.status_code, "plan that people approve" in refused.json()["detail"]) == (409, True)
    assert deciding.reject(version, by=operator, reason="it plans worse").status == "retired"
    assert f"?version={version.pk}#replay" not in client_of(operator).get(f"/agents/{ran.agent_id}/").content.decode()


def test_a_trial_of_two_versions_of_an_agent_ends_with_the_case_that_decides(
    ran: Goal, provider: Provider, operator: User, repeated: Callable[[int], None]
) -> None:
    repeated(7)
    b = changed(operator, model=OTHER_MODEL, max_repair_attempts=0)
    a = b.component.versions.get(status="active")
    by_model(provider, GOOD_TEXT, BAD_TEXT)
    asked = len(provider.asked)
    trial = version_trials.begin(Wanted(a, b, "replayed", Asked(60, 100, 10)), by=operator)
    replaying.work()
    trial.refresh_from_db()
    assert (trial.verdict, trial.reason) == ("a_better", "after 6 cases: B did better in 0, A in 6")
    assert len(provider.asked) - asked == 2, "the same goal is asked about once for each"
    assert Agent.objects.get(name=DEFAULT_AGENT).model == "", "nobody set it"
