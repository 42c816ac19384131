"""Typing commands by the API: who may, what comes back, and that nothing is carried out twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.models import Goal, HandCommand
from agents.record.moves import move_hand_command
from agents.states import HandState
from people.models import User
from tests.cast import person

pytestmark = pytest.mark.django_db


@pytest.fixture
def typist(db: None) -> User:
    return person("tyra", "submitter", "operator")


@pytest.fixture
def goal(typist: User, make_goal: Callable[..., Goal]) -> Goal:
    return make_goal(typist)


def _end(command: HandCommand) -> None:
    move_hand_command(command, HandState.CANCELLED, reason="a test")


def test_a_command_is_taken_and_told_as_it_stands(api_of: Any, typist: User, goal: Goal) -> None:
    api = api_of(typist)
    answer = api.post(f"goals/{goal.pk}/commands", {"text": " mkdir notes ", "autonomous": True})
    assert answer.status_code == 202
    row = answer.json()
    assert answer.headers["Location"] == f"/api/v1/goals/{goal.pk}/commands/{row['id']}"
    assert (row["state"], row["text"], row["by"], row["autonomous"]) == ("waiting", "mkdir notes", "tyra", True)
    assert (row["command"], row["params"], row["result"]) == ("mkdir", {"path": "notes"}, None)
    assert api.get(f"goals/{goal.pk}/commands/{row['id']}").json() == row


def test_hosts_and_time_are_taken_in_their_one_spelling(api_of: Any, typist: User, goal: Goal) -> None:
    body = {"text": "run pip install httpx", "hosts": ["Packages", "A.example:8080"], "timeout_s": 60}
    row = api_of(typist).post(f"goals/{goal.pk}/commands", body).json()
    assert row["text"] == "run hosts=a.example:8080,packages timeout_s=60 pip install httpx"
    assert row["hosts"] == ["a.example:8080", "packages"]
    assert row["params"]["timeout_s"] == 60


def test_the_same_key_types_once(api_of: Any, typist: User, goal: Goal) -> None:
    api = api_of(typist)
    first, second = (
        api.post(f"goals/{goal.pk}/commands", {"text": "ls"}, Idempotency_Key="one of mine") for _ in range(2)
    )
    assert first.json() == second.json()
    assert HandCommand.objects.count() == 1


def test_the_list_is_newest_first_and_goes_on_after_the_last(api_of: Any, typist: User, goal: Goal) -> None:
    api = api_of(typist)
    for number in range(3):
        api.post(f"goals/{goal.pk}/commands", {"text": f"mkdir n{number}"})
        _end(HandCommand.objects.get(state="waiting"))
    page = api.get(f"goals/{goal.pk}/commands?limit=2").json()
    assert [row["text"] for row in page["items"]] == ["mkdir n2", "mkdir n1"]
    rest = api.get(f"goals/{goal.pk}/commands?limit=2&after={page['next']}").json()
    assert [row["text"] for row in rest["items"]] == ["mkdir n0"]
    assert rest["next"] is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"text": "frobnicate"}, "no command 'frobnicate'"),
        ({"text": ""}, "Type a command"),
        ({"text": "start x python"}, "its own sandbox"),
        ({"text": "ls", "sudo": True}, "does not know"),
        ({"text": "run x", "hosts": ["http://a.example"]}, "without a scheme"),
        ({"text": "run x", "timeout_s": 100_000}, "time limit is a whole number"),
        ({"text": "ls", "hosts": ["a.example"]}, "only to the command run"),
        ({}, "Field required"),
    ],
)
def test_what_cannot_be_carried_out_is_refused_with_its_reason(
    api_of: Any, typist: User, goal: Goal, body: dict[str, Any], said: str
) -> None:
    answer = api_of(typist).post(f"goals/{goal.pk}/commands", body)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
    assert not HandCommand.objects.exists()


def test_who_may_not_is_told_who_may_and_who_may_not_even_see_is_told_nothing(
    api_of: Any, goal: Goal, reviewer: User, operator: User, outsider: User
) -> None:
    for user in (reviewer, operator):
        # The scope of typing cannot be given to a reviewer at all.
        expected = "insufficient_scope" if user is reviewer else "forbidden"
        answer = api_of(user).post(f"goals/{goal.pk}/commands", {"text": "ls"})
        assert (answer.status_code, answer.json()["type"]) == (403, f"urn:mindx:problem:{expected}")
    assert api_of(reviewer).get(f"goals/{goal.pk}/commands").status_code == 200
    assert api_of(outsider).get(f"goals/{goal.pk}/commands").status_code == 404
    assert not HandCommand.objects.exists()


def test_a_second_command_waits_for_its_turn_outside(api_of: Any, typist: User, goal: Goal) -> None:
    api = api_of(typist)
    api.post(f"goals/{goal.pk}/commands", {"text": "ls"})
    answer = api.post(f"goals/{goal.pk}/commands", {"text": "ls"})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:mindx:problem:not_possible_now")


def test_cancel_ends_a_waiting_command_once(api_of: Any, typist: User, goal: Goal, make_goal: Any) -> None:
    api = api_of(typist)
    number = api.post(f"goals/{goal.pk}/commands", {"text": "ls"}).json()["id"]
    other = make_goal(typist)
    assert api.post(f"goals/{other.pk}/commands/{number}/cancel").status_code == 404
    answer = api.post(f"goals/{goal.pk}/commands/{number}/cancel")
    assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
    assert answer.json()["reason"] == "cancelled by tyra"
    assert api.post(f"goals/{goal.pk}/commands/{number}/cancel").status_code == 409
    assert api.post(f"goals/{goal.pk}/commands/x/cancel").status_code == 404
