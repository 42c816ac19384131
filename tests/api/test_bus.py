"""`bus`: asked by programs, with the rights of their person and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agents.bus import answering, in_step, vectors
from agents.models import Agent, BusEntry, BusRequest, IntentPlan
from people.models import User
from tests.agents.bus.conftest import connect  # noqa: F401  # a fixture
from tests.library.vectors import install

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install(monkeypatch)
    in_step.forget()
    yield
    in_step.forget()


def test_a_request_is_taken_and_its_answer_is_read(api_of: Any, owner: User, connect: Callable[..., Any]) -> None:  # noqa: F811
    connect()
    body = {"capability": "say", "content": {"text": "moon"}, "why": "to see", "strategy": "least_busy"}
    answer = api_of(owner).post("bus/requests", body, Idempotency_Key="a")
    taken = answer.json()
    assert (answer.status_code, taken["state"], taken["answer"]) == (202, "waiting", None)
    assert answer.headers["Location"] == f"/api/v1/bus/requests/{taken['id']}"
    assert api_of(owner).post("bus/requests", body, Idempotency_Key="a").json()["id"] == taken["id"]
    answering.work(int(taken["id"]))
    read = api_of(owner, "goals:read").get(f"bus/requests/{taken['id']}").json()
    assert (read["state"], read["answer"], read["member"]) == ("answered", {"echo": {"text": "moon"}}, "echo")
    refused = api_of(owner).post(f"bus/requests/{taken['id']}/cancel", {})
    assert refused.status_code == 409
    again = api_of(owner).post(f"bus/requests/{taken['id']}/replay", {})
    assert (again.status_code, again.json()["replay_of"]) == (202, taken["id"])


def test_members_are_listed_with_what_they_take_and_whether_they_can_be_asked(api_of: Any, owner: User) -> None:
    listed = api_of(owner, "goals:read").get("bus/agents?capability=simple_coder.write").json()["items"]
    assert [(one["name"], one["kind"], one["is_usable"], one["breaker"]) for one in listed] == [
        ("simple_coder", "tool", True, "closed")
    ]
    wrote = next(one for one in listed[0]["capabilities"] if one["name"] == "simple_coder.write")
    assert set(wrote["takes"]["required"]) == {"path", "content"}
    assert (wrote["confidence"], wrote["earned"]) == (0.95, 0.95)
    agents = api_of(owner, "goals:read").get("bus/agents?kind=agent").json()["items"]
    assert [one["name"] for one in agents] == ["mindx"]
    assert api_of(owner, "goals:read").get("bus/agents?kind=ghost").status_code == 422


def test_a_task_in_words_finds_members_and_components_with_both_scores(api_of: Any, owner: User) -> None:
    in_step.refresh()
    vectors.embed_missing()
    found = api_of(owner, "goals:read").get("bus/search?task=write a file").json()["items"]
    assert found
    tool = next(one for one in found if one["name"] == "simple_coder")
    assert (tool["is_usable"], tool["member"] is not None) == (True, True)
    assert isinstance(tool["task"], float)
    assert isinstance(tool["content"], float)
    assert BusEntry.objects.filter(event="searched", by=owner, why="write a file").count() == 1


def test_nobody_reads_cancels_or_replays_the_request_of_another(
    api_of: Any,
    owner: User,
    outsider: User,
    reviewer: User,
    connect: Callable[..., Any],  # noqa: F811
) -> None:
    connect()
    pk = api_of(owner).post("bus/requests", {"capability": "say"}).json()["id"]
    for method, path in (("GET", ""), ("POST", "/cancel"), ("POST", "/replay")):
        assert api_of(outsider).send(method, f"bus/requests/{pk}{path}", b"").status_code == 404
    assert api_of(reviewer).get(f"bus/requests/{pk}").status_code == 200
    assert api_of(reviewer).post(f"bus/requests/{pk}/cancel", {}).status_code == 403
    assert BusRequest.objects.get(pk=pk).state == "waiting"


def test_a_request_never_works_in_the_files_of_another(
    api_of: Any, owner: User, outsider: User, make_goal: Any
) -> None:
    theirs = make_goal(owner)
    body = {"capability": "simple_coder.read", "content": {"path": "a.txt"}}
    for more in ({"workspace": theirs.workspace.name}, {"parent": str(theirs.pk)}):
        refused = api_of(outsider).post("bus/requests", {**body, **more})
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["field"] == next(iter(more))
    assert not BusRequest.objects.exists()


@pytest.mark.parametrize("body", [{}, {"capability": "no_such"}, {"task": "x", "min_confidence": 2}, {"tusk": "x"}])
def test_what_cannot_be_asked_is_refused_by_field(api_of: Any, owner: User, body: dict[str, Any]) -> None:
    assert api_of(owner).post("bus/requests", body).status_code == 422


def test_a_tool_that_is_asked_waits_for_review(api_of: Any, owner: User) -> None:
    body = {"capability": "simple_coder.write", "content": {"path": "a", "content": "x"}}
    pk = api_of(owner).post("bus/requests", body).json()["id"]
    answering.work(int(pk))
    read = api_of(owner).get(f"bus/requests/{pk}").json()
    assert read["state"] == "with_goal"
    assert IntentPlan.objects.get(goal=read["goal"]).state == "awaiting_review"
    cancelled = api_of(owner).post(f"bus/requests/{pk}/cancel", {}).json()
    assert cancelled["state"] == "cancelled"
    assert IntentPlan.objects.get(goal=read["goal"]).state == "cancelled"


def test_who_is_paused_says_so_and_gets_nothing(api_of: Any, owner: User) -> None:
    in_step.refresh()
    Agent.objects.update(paused=True)
    listed = api_of(owner, "goals:read").get("bus/agents?kind=agent").json()["items"]
    assert (listed[0]["is_usable"], listed[0]["why_not"]) == (False, "its agent is paused")
    pk = api_of(owner).post("bus/requests", {"capability": "achieve_goal", "content": {"text": "x"}}).json()["id"]
    answering.work(int(pk))
    read = api_of(owner).get(f"bus/requests/{pk}").json()
    assert (read["state"], read["goal"], read["attempts"]) == ("waiting", None, 0)
