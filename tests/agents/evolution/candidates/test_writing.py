"""A model writes a candidate: from the probe half only, no further than its strategy, and nothing is activated."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.bdi.language_models.candidate_writing import STRATEGIES
from agents.evolution.candidates import asking, searching, writing
from agents.evolution.replays import gate
from agents.models import DEFAULT_AGENT, Agent, Goal, Replay
from agents.record.errors import NotPossibleNow
from agents.rules import grammar
from library.components import services as library
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion, ModelCall
from people.models import User
from tests.agents.evolution.conftest import RULE, rule
from tests.models.conftest import MODEL
from tests.models.conftest import provider as provider
from tests.models.server import Provider

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _agent(transactional_db: None) -> None:
    Agent.objects.get_or_create(name=DEFAULT_AGENT)


def said(text: str) -> str:
    return json.dumps({"rule": text})


def test_no_sealed_goal_is_in_any_request_and_a_probe_one_is(
    provider: Provider,
    owner: User,
    operator: User,
    strict: ComponentVersion,
    make_goal: Callable[..., Goal],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    goals = [make_goal(owner, f"total the list secretly-named-{number}.txt") for number in range(20)]
    twin = next(goal for goal in goals if gate.is_sealed("total a list", goal.pk))
    shown = next(goal for goal in goals if not gate.is_sealed("total a list", goal.pk))
    same = make_goal(owner, twin.text)
    while gate.is_sealed("total a list", same.pk):
        same = make_goal(owner, twin.text)
    found = [_found(goal) for goal in (*goals, same)]
    monkeypatch.setattr("agents.evolution.replays.cases.of", lambda component: found)
    monkeypatch.setattr(writing, "_error_of", lambda one: f"trace of {one.goal.text}")
    provider.will_say("no JSON", said(rule("lenient")))
    writing.write(strict.component, by=operator, why="blank lines", strategy="standard")
    sent = json.dumps(provider.asked)
    assert len(provider.asked) == 2
    for goal in goals:
        assert (goal.text in sent) is not gate.is_sealed("total a list", goal.pk)
    assert f"trace of {shown.text}" in sent


def _found(goal: Goal) -> Any:
    from agents.evolution.replays.cases import Found

    # None where nothing planned it; its error is given by `_error_of`, which the tests replace.
    plan: Any = goal.plans.first()
    return Found(goal, plan, "", succeeded=False)


def test_goals_that_the_asker_may_not_see_are_not_sent(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.cast import person

    goals = [make_goal(owner, f"goal {number}") for number in range(2)]
    # By chance, one run in a few hundred would have them all sealed.
    monkeypatch.setattr(gate, "is_sealed", lambda name, goal: goal == goals[0].pk)
    monkeypatch.setattr("agents.evolution.replays.cases.of", lambda component: [_found(goal) for goal in goals])
    assert writing.probe_cases(Component(name="total a list"), person("stranger", "developer")) == []
    assert writing.probe_cases(Component(name="total a list"), owner)


def test_it_is_a_waiting_candidate_of_a_model_with_its_replay_and_its_calls(
    provider: Provider,
    operator: User,
    strict: ComponentVersion,
    api_of: Any,
) -> None:
    provider.will_say(said(rule("lenient")))
    body = {"why": "blank lines", "strategy": "standard"}
    api = api_of(operator)
    answer = api.post(f"components/{strict.component_id}/evolve", body)
    assert (answer.status_code, answer.json()["state"], provider.asked) == (202, "waiting", [])
    searching.work()
    found = api.get(answer.headers["Location"].removeprefix("/api/v1/")).json()
    assert (found["state"], found["asked"], found["most_texts"]) == ("done", 1, 1)
    version = ComponentVersion.objects.get(pk=found["candidate"])
    assert (version.origin, version.status, version.created_by) == ("model", "candidate", operator)
    assert Replay.objects.get(version=version).strategy == "standard"
    (call,) = ModelCall.objects.all()
    assert f"written by {call.answered_by}, standard: blank lines" in version.changes
    assert (call.purpose, call.model) == (asking.PURPOSE, MODEL)
    strict.refresh_from_db()
    assert strict.status == "active"


@pytest.mark.parametrize(
    ("strategy", "changed", "told"),
    [
        ("standard", rule("lenient").replace("total the list", "sum the list"), "keeps every wording"),
        ("standard", rule("a") + "".join(f"  # More.\n  run python b{n}.py {{file}}\n" for n in range(4)), "at most 3"),
        ("conservative", rule("lenient"), "changes no step"),
        ("conservative", rule("strict").replace("THEN:", "CONSIDERING it is Monday\nTHEN:"), "adds no condition"),
        ("domain_adaptation", rule("lenient"), "at least one condition"),
    ],
)
def test_a_strategy_that_goes_too_far_is_told(strategy: str, changed: str, told: str) -> None:
    (parent,), (new,) = grammar.parse(rule("strict")), grammar.parse(changed)
    assert told in " ".join(STRATEGIES[strategy].problems(parent, new))
    assert list(STRATEGIES["aggressive"].problems(parent, new)) == []


def test_what_a_strategy_allows_passes() -> None:
    (parent,) = grammar.parse(rule("strict"))
    allowed = {
        "standard": rule("lenient"),
        "conservative": rule("strict").replace("THEN:", "OR your task is to add up the list {file}\nTHEN:"),
        "domain_adaptation": rule("lenient").replace("THEN:", "CONSIDERING it is Monday\nTHEN:"),
    }
    for strategy, text in allowed.items():
        (new,) = grammar.parse(text)
        assert list(STRATEGIES[strategy].problems(parent, new)) == [], strategy


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("", "could not be taken"),
        (said("RULE total a list\nIF nothing"), "could not be taken"),
        (said(RULE.replace("total a list", "another name", 1)), "Keep the name"),
        (said(rule("lenient").replace("IF", "PRIORITY 100\nIF", 1)), "Keep the priority 0"),
        (said(rule("strict")), "Nothing differs"),
        (json.dumps({"cannot": "<b>no idea</b>"}), "wrote no candidate: <b>no idea"),
    ],
)
def test_an_answer_that_is_no_candidate_leaves_nothing(
    reply: str,
    told: str,
    provider: Provider,
    operator: User,
    strict: ComponentVersion,
) -> None:
    provider.will_say(reply)
    with pytest.raises(NotPossibleNow, match=told) if reply else pytest.raises(NotPossibleNow):
        writing.write(strict.component, by=operator, why="x", strategy="aggressive")
    assert ComponentVersion.objects.count() == 1


def test_a_secret_of_a_goal_does_not_get_into_the_library(
    provider: Provider,
    operator: User,
    strict: ComponentVersion,
) -> None:
    token = "ghp_" + "a1B2" * 9

    def reply(asked: Any) -> None:
        text = asked.server.asked[0]["messages"][1]["content"]
        mark = text[text.index("MASKED_SECRET_") :][:22]
        asked.stream(said(rule("lenient").replace("The program", mark)))

    provider.will_say(reply)
    with pytest.raises(NotPossibleNow, match="secret of a goal"):
        writing.write(strict.component, by=operator, why=f"failed with {token}", strategy="standard")
    assert token not in json.dumps(provider.asked)


def test_without_a_model_or_rights_it_says_so(
    owner: User,
    operator: User,
    strict: ComponentVersion,
    api_of: Any,
    settings: Any,
) -> None:
    settings.MODEL, settings.MODEL_FALLBACKS = "", []
    answer = api_of(operator).post(f"components/{strict.component_id}/evolve", {"why": "x"})
    assert (answer.status_code, "No language model" in answer.json()["detail"]) == (409, True)
    with pytest.raises(LibraryRefused):
        writing.write(strict.component, by=owner, why="x", strategy="standard")
    with pytest.raises(LibraryRefused, match="candidate or active"):
        library.publish("rule", "total a list", RULE, by=operator, status="active", origin="model")


def test_the_page_shows_the_budget_first_and_asks(
    provider: Provider,
    operator: User,
    owner: User,
    strict: ComponentVersion,
    client_of: Callable[[User], Client],
) -> None:
    at = f"/rules/{strict.component_id}/"
    page = client_of(operator).get(at).content.decode()
    assert f"{MODEL} is asked at most" in page
    assert "Ask a model for a candidate" not in client_of(owner).get(at).content.decode()
    provider.will_say(said(rule("lenient")))
    answer = client_of(operator).post(f"{at}evolve/", {"why": "<b>blank</b> lines", "strategy": "standard"})
    assert (answer.status_code, answer["Location"]) == (302, f"{at}#writer")
    waiting = client_of(operator).get(at, headers={"HX-Target": "writer"}).content.decode()
    assert ("waiting" in waiting, "<b>blank" in waiting) == (True, False)
    searching.work()
    assert "Version 1.1.0 of total a list</a> is a candidate" in client_of(operator).get(at).content.decode()
    client_of(owner).post(f"{at}evolve/", {"why": "blank lines", "strategy": "standard"})
    client_of(operator).post(f"{at}evolve/", {"why": "", "strategy": "standard"})
    assert ComponentVersion.objects.filter(component=strict.component).count() == 2
