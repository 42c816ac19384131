"""`components/{id}/evolve` and `candidates`: writing a candidate, reading its replay, deciding on it."""

from __future__ import annotations

from typing import Any

import pytest

from agents.evolution.replays import replays
from agents.models import Replay, ReplayCase
from agents.states import ReplayState
from library.components import services
from library.models import ComponentVersion
from tests.cast import person
from tests.forging import sealed
from tests.library.vectors import install

pytestmark = pytest.mark.django_db

RULE = "RULE greet\nIF your task is to greet {name}\nTHEN:\n  # A folder lasts.\n  create the folder {name}\n"


@pytest.fixture(autouse=True)
def _vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture
def greet(operator: Any) -> ComponentVersion:
    return services.publish("rule", "greet", RULE, by=operator, status="active")


def with_cases(candidate: str, *flips: tuple[bool, bool], owner: Any, make_goal: Any) -> Replay:
    """The replay of a candidate as a worker would leave it, with these ends of parent and candidate."""
    replay = Replay.objects.get(version=int(candidate))
    replay.cases.all().delete()
    for number, (parent, new) in enumerate(flips, start=1):
        goal = make_goal(owner, f"greet {number}")
        sealed(ReplayCase.objects.create(
            replay=replay, number=number, goal=goal, text=goal.text, half="probe", succeeded_then=parent, base="",
            is_done=True, parent_passes=parent, candidate_passes=new, differs=True,
        ))  # fmt: skip
    Replay.objects.filter(pk=replay.pk).update(state=ReplayState.DONE.value)
    return replay


def test_a_candidate_is_written_replayed_read_and_activated(
    api_of: Any, reviewer: Any, operator: Any, owner: Any, make_goal: Any, greet: ComponentVersion, monkeypatch: Any
) -> None:
    monkeypatch.setattr("agents.evolution.replays.cases.has_any", lambda name: True)
    body = {"why": "folders with spaces", "strategy": "conservative", "body": RULE.replace("lasts", "stays")}
    answer = api_of(reviewer).post(f"components/{greet.component_id}/evolve", body)
    made = answer.json()
    assert answer.status_code == 202, made
    assert (made["version"], made["parent"], made["state"]) == ("1.1.0", "1.0.0", "candidate")
    assert (made["replay"]["state"], made["replay"]["strategy"]) == ("waiting", "conservative")
    assert made["why_not"] == "Its replay is in progress."
    at = f"candidates/{made['id']}"
    with_cases(made["id"], *[(False, True)] * 4, owner=owner, make_goal=make_goal)
    found = api_of(operator).get(at).json()["replay"]
    assert (found["verdict"], found["fixed"], found["broken"], found["p"]) == ("too_few", 4, 0, 1 / 16)
    refused = api_of(operator).post(f"{at}/activate", {"reason": "I am sure of it"})
    assert (refused.status_code, "Only an admin" in refused.json()["detail"]) == (422, True)
    with_cases(made["id"], *[(False, True)] * 5, (True, True), owner=owner, make_goal=make_goal)
    assert api_of(reviewer).post(f"{at}/activate", {}).status_code == 403, "a reviewer writes, and activates nothing"
    active = api_of(operator).post(f"{at}/activate", {}).json()
    assert (active["state"], active["replay"]["verdict"], active["why_not"]) == ("active", "admitted", "")


def test_words_of_goals_stay_from_who_may_not_read_them_and_sealed_ones_from_the_writer(
    api_of: Any,
    reviewer: Any,
    owner: Any,
    outsider: Any,
    make_goal: Any,
    greet: ComponentVersion,
) -> None:
    version = services.publish("rule", "greet", RULE.replace("lasts", "stays"), by=reviewer)
    replays.ask(version, by=reviewer)
    replay = with_cases(str(version.pk), (False, True), (True, True), owner=owner, make_goal=make_goal)
    replay.cases.filter(number=2).update(half="sealed")

    def texts(user: Any) -> list[str | None]:
        return [case["text"] for case in api_of(user).get(f"candidates/{version.pk}").json()["replay"]["cases"]]

    assert texts(outsider) == [None, None]
    other = person("rea", "reviewer")
    assert texts(other) == ["greet 1", "greet 2"]
    services.publish("rule", "greet", RULE.replace("lasts", "goes on"), by=other)
    assert texts(other) == ["greet 1", None], "an author of another version writes the next one, too"
    assert texts(owner) == ["greet 1", "greet 2"]
    assert texts(reviewer) == ["greet 1", None]


def test_a_candidate_is_rejected_with_its_reason(
    api_of: Any, reviewer: Any, operator: Any, greet: ComponentVersion
) -> None:
    version = services.publish("rule", "greet", RULE.replace("lasts", "stays"), by=reviewer)
    assert api_of(reviewer).post(f"candidates/{version.pk}/reject", {"reason": "no"}).status_code == 403
    answer = api_of(operator).post(f"candidates/{version.pk}/reject", {"reason": "it says nothing new"})
    assert answer.json()["state"] == "retired"
    version.refresh_from_db()
    assert version.changes.endswith(f"rejected by {operator.username}: it says nothing new")


def test_what_cannot_be_is_refused_with_the_field(api_of: Any, reviewer: Any, owner: Any, greet: Any) -> None:
    at = f"components/{greet.component_id}/evolve"
    caller = api_of(reviewer)
    broken = caller.post(at, {"why": "x", "body": "RULE greet\nIF nothing"})
    assert (broken.status_code, broken.json()["errors"][0]["field"]) == (422, "body")
    assert caller.post(at, {"why": "x", "body": RULE}).status_code == 422, "nothing differs"
    assert caller.post(at, {"why": "x", "strategy": "wild", "body": RULE}).status_code == 422
    assert caller.post("components/999999/evolve", {"why": "x", "body": RULE}).status_code == 404
    assert caller.get("candidates/999999").status_code == 404
    other = services.publish("firmware", "general", "Be kind.", by=reviewer)
    answer = caller.post(f"components/{other.component_id}/evolve", {"why": "x", "body": "Be kinder."})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:mindx:problem:not_possible")
    assert ComponentVersion.objects.filter(component=greet.component).count() == 1
    assert api_of(owner, "library:read").post(at, {"why": "x", "body": RULE}).status_code == 403


def test_a_candidate_is_made_a_canary_for_a_share_of_new_goals(
    api_of: Any, reviewer: Any, operator: Any, greet: ComponentVersion
) -> None:
    made = services.publish("rule", "greet", RULE.replace("lasts", "stays"), by=reviewer)
    at = f"candidates/{made.pk}/canary"
    assert api_of(reviewer).post(at, {"percent": 10}).status_code == 403
    assert api_of(operator).post(at, {"percent": 51}).status_code == 422
    answer = api_of(operator).post(at, {"percent": 10})
    assert answer.status_code == 200, answer.json()
    found = answer.json()
    assert (found["state"], found["rollout"]["state"], found["rollout"]["percent"]) == ("canary", "watched", 10)
    assert api_of(operator).post(at, {"percent": 10}).status_code == 403
