"""`mastermind` and `backlog`: lines by the API, the scopes they take, and the backlog's own addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from agents.coordinator import backlog_taking
from agents.mastermind.commands import COMMANDS
from agents.models import Agent, BacklogItem, GivenCommand, Goal
from mindx_web.api.agents.mastermind import SCOPES
from people.models import User
from people.scopes import Scope

pytestmark = pytest.mark.django_db
ApiOf = Callable[..., Any]


@pytest.fixture(autouse=True)
def first_agent(db: None) -> Agent:
    return Agent.objects.get_or_create(name="mindx")[0]


def test_a_line_is_answered_with_what_was_understood_and_what_it_made(owner: User, api_of: ApiOf) -> None:
    answer = api_of(owner).post("mastermind", {"command": "evolve the summarisation tool"})
    assert answer.status_code == 200
    told = answer.json()
    assert (told["outcome"], told["command"], told["understood"]) == ("done", "evolve", "evolve summarization")
    assert told["goals"] == [str(Goal.objects.get().pk)]
    assert GivenCommand.objects.get().via == "api"


def test_what_is_not_understood_is_422_with_suggestions(owner: User, api_of: ApiOf) -> None:
    answer = api_of(owner).post("mastermind", {"command": "evolve the sumarization tool"})
    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:mindx:problem:not_understood"
    assert {"field": "suggestion", "message": "evolve summarization"} in answer.json()["errors"]
    assert not Goal.objects.exists()


def test_a_refusal_has_the_status_of_the_api(owner: User, operator: User, api_of: ApiOf) -> None:
    assert api_of(owner).post("mastermind", {"command": "coord_approve 1 x"}).status_code == 422
    operator_api = api_of(operator)
    assert operator_api.post("mastermind", {"command": "agent_delete mindx"}).status_code == 409
    reviewer_only = api_of(owner, "mastermind:write", "goals:write").post(
        "mastermind", {"command": "coord_process_backlog"}
    )
    assert reviewer_only.status_code == 403


def test_the_same_key_is_answered_again_and_nothing_happens_twice(owner: User, api_of: ApiOf) -> None:
    caller = api_of(owner)
    first, second = (caller.post("mastermind", {"command": "deploy a page"}, Idempotency_Key="k") for _ in range(2))
    assert first.content == second.content
    assert Goal.objects.count() == 1


def test_every_command_takes_the_scope_of_what_it_does(owner: User, api_of: ApiOf) -> None:
    assert set(SCOPES) == {command.name for command in COMMANDS}
    bare = api_of(owner, "mastermind:write")
    for line in ("deploy a page", "status", "coord_query logs", "coord_improve git_tool Add tags", "coord_backlog"):
        answer = bare.post("mastermind", {"command": line})
        assert answer.status_code == 403, line
        assert answer.json()["type"] == "urn:mindx:problem:insufficient_scope"
    assert bare.post("mastermind", {"command": "agent_list"}).status_code == 200
    assert api_of(owner, "goals:write").post("mastermind", {"command": "deploy a page"}).status_code == 403
    assert not Goal.objects.exists()
    assert not GivenCommand.objects.exclude(command="agent_list").exists()


def test_unknown_fields_and_other_types_are_refused(owner: User, api_of: ApiOf) -> None:
    for body in ({}, {"command": 3}, {"command": "status", "shell": True}, {"command": "x" * 2_001}):
        assert api_of(owner).post("mastermind", body).status_code == 422


def test_a_wish_is_added_once_and_decided_by_those_who_may(
    owner: User, outsider: User, reviewer: User, operator: User, api_of: ApiOf
) -> None:
    mine = api_of(owner)
    body = {"component": "the summarization tool", "suggestion": "Add better error handling"}
    added = mine.post("backlog", body)
    assert (added.status_code, added.json()["component"]) == (201, "tool:summarization")
    number = added.json()["id"]
    assert added.headers["Location"] == f"/api/v1/backlog/{number}"
    again = mine.post("backlog", {**body, "component": "tool:summarization"})
    assert (again.status_code, again.json()["id"], again.json()["count"]) == (200, number, 2)
    assert api_of(outsider).get(f"backlog/{number}").status_code == 404
    assert mine.post(f"backlog/{number}/approve").status_code == 403
    assert api_of(reviewer).post(f"backlog/{number}/reject", {"reason": ""}).status_code == 422
    assert api_of(reviewer).post(f"backlog/{number}/approve", {"reason": "yes"}).json()["state"] == "approved"
    assert api_of(reviewer).post(f"backlog/{number}/approve").status_code == 409
    assert api_of(reviewer).post("backlog/process").status_code == 403
    assert api_of(operator, "backlog:write").post("backlog/process").status_code == 403


def test_taking_up_listing_and_reading_what_came_of_it(reviewer: User, admin: User, api_of: ApiOf) -> None:
    caller = api_of(admin)
    number = caller.post("backlog", {"component": "git_tool", "suggestion": "Show tags"}).json()["id"]
    other = caller.post("backlog", {"component": "git_tool", "suggestion": "Tell the branch"}).json()["id"]
    caller.post(f"backlog/{number}/approve")
    taken = caller.post("backlog/process", {"number": 5}).json()
    assert (taken["begun"][0]["item"], taken["stopped"]) == (number, None)
    Goal.objects.update(state="failed", reason="no", ended_at=timezone.now())
    backlog_taking.settle()
    whole = caller.get(f"backlog/{number}").json()
    assert (whole["state"], whole["failures"], whole["attempts"][0]["outcome"]) == ("approved", 1, "not_achieved")
    listed = caller.get("backlog?state=open&component=tool:git_tool&limit=1").json()
    assert [item["id"] for item in listed["items"]] == [number]
    assert [item["id"] for item in caller.get(f"backlog?after={listed['next']}").json()["items"]] == [other]
    assert [item["id"] for item in caller.get("backlog?q=branch").json()["items"]] == [other]
    for query in ("state=sleeping", "after=x", "source=dreams"):
        assert caller.get(f"backlog?{query}").status_code == 422


def test_merging_splitting_and_reopening(admin: User, owner: User, api_of: ApiOf) -> None:
    caller = api_of(admin)
    one, two = (
        caller.post("backlog", {"component": "git_tool", "suggestion": text}).json()["id"]
        for text in ("Show progress", "Tell how far it is")
    )
    assert caller.post(f"backlog/{two}/merge", {"into": one}).json()["count"] == 2
    assert [item["id"] for item in caller.get(f"backlog/{one}").json()["merged"]] == [two]
    assert caller.post(f"backlog/{two}/split").json()["state"] == "pending"
    assert caller.post(f"backlog/{two}/split").status_code == 409
    caller.post(f"backlog/{two}/reject", {"reason": "no"})
    assert caller.post(f"backlog/{two}/reopen").json()["state"] == "pending"
    assert caller.post(f"backlog/{two}/merge", {"into": "999999"}).status_code == 404


def test_the_rules_are_read_by_all_and_set_by_operators(owner: User, operator: User, api_of: ApiOf) -> None:
    body = {"failures_of_one": 2, "without_success": 5, "per_day": 7, "near_enough": 0.9}
    assert api_of(owner).post("backlog/rules", body).status_code == 403
    assert api_of(operator).post("backlog/rules", {**body, "failures_of_one": 0}).status_code == 409
    assert api_of(operator).post("backlog/rules", body).json()["per_day"] == 7
    assert api_of(owner).get("backlog/rules").json()["failures_of_one"] == 2
    assert api_of(operator).post("backlog/lift", {"reason": "go on"}).status_code == 409


def test_a_component_that_there_is_not_is_422_with_the_nearest(owner: User, api_of: ApiOf) -> None:
    answer = api_of(owner).post("backlog", {"component": "sumarization tool", "suggestion": "x y"})
    assert answer.status_code == 422
    assert "did you mean summarization" in answer.json()["detail"]
    assert not BacklogItem.objects.exists()


def test_the_scopes_are_given_to_everybody_whose_rights_then_decide(owner: User) -> None:
    from people.scopes import grantable_to

    assert {Scope.MASTERMIND, Scope.BACKLOG_READ, Scope.BACKLOG_WRITE} <= set(grantable_to(owner))
