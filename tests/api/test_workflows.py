"""`workflows`: written, read and processed by programs."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import Goal
from tests.agents.bdi.workflows.workflow_texts import GREET
from tests.library.vectors import install

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def test_a_workflow_is_written_and_processed_into_a_plan(api_of: Any, reviewer: Any, owner: Any) -> None:
    made = api_of(reviewer).post("workflows", {"body": GREET})
    assert made.status_code == 201
    written = made.json()
    assert (written["name"], written["status"], written["faults"]) == ("Greet", "candidate", [])
    assert written["params"] == [{"name": "name", "default": "world", "required": False}]
    answer = api_of(owner).post(f"workflows/{written['id']}/process", {"params": {"name": "moon"}}, Idempotency_Key="a")
    plan = answer.json()
    assert (answer.status_code, plan["state"]) == (201, "awaiting_review")
    assert plan["intents"][0]["params"]["content"] == "Hello moon"
    assert answer.headers["Location"] == f"/api/v1/intent-plans/{plan['id']}"
    api_of(owner).post(f"workflows/{written['id']}/process", {"params": {"name": "moon"}}, Idempotency_Key="a")
    assert Goal.objects.count() == 1
    assert [one["name"] for one in api_of(owner, "library:read").get("workflows").json()["items"]] == ["Greet"]


def test_steps_may_be_json_and_the_same_name_is_the_next_version(api_of: Any, reviewer: Any) -> None:
    step = {"type": "EXECUTE", "item_type": "TOOL", "name": "simple_coder.mkdir", "input": {"path": "{{params.p}}"}}
    first = api_of(reviewer).post("workflows", {"name": "Folders", "steps": [step]})
    assert first.json()["params"] == [{"name": "p", "default": None, "required": True}]
    again = api_of(reviewer).post("workflows", {"name": "Folders", "steps": [step], "params": {"p": "a"}})
    assert (again.status_code, again.json()["id"]) == (201, first.json()["id"])
    assert again.json()["version"] != first.json()["version"]


def test_branches_may_be_json_and_the_plan_says_which_step_stands_in_which(api_of: Any, reviewer: Any) -> None:
    folders = [
        {"type": "EXECUTE", "item_type": "TOOL", "name": "simple_coder.mkdir", "input": {"path": path}, "retries": 1}
        for path in ("a", "b")
    ]
    steps = [{"type": "PARALLEL", "branches": [[folders[0]], [folders[1]]]}]
    made = api_of(reviewer).post("workflows", {"name": "Folders", "steps": steps})
    assert (made.status_code, made.json()["faults"]) == (201, [])
    plan = api_of(reviewer).post(f"workflows/{made.json()['id']}/process", {}).json()
    assert [(one.get("branch"), one.get("retries")) for one in plan["intents"]] == [("1a", 1), ("1b", 1)]


def test_a_body_without_a_name_gets_the_one_beside_it_and_two_names_are_refused(api_of: Any, reviewer: Any) -> None:
    nameless = GREET.partition("\n")[2]
    assert api_of(reviewer).post("workflows", {"name": "Hail", "body": nameless}).json()["name"] == "Hail"
    refused = api_of(reviewer).post("workflows", {"name": "Hail", "body": GREET})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "name")


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        ({"body": GREET.replace("simple_coder.read", "simple_coder.raed")}, "line 11"),
        ({"body": "a: &a [x]\nb: *a\n"}, "line 2"),
        ({"body": GREET, "steps": []}, "body"),
        ({}, "body"),
        ({"body": GREET, "colour": 1}, "colour"),
    ],
)
def test_what_is_wrong_stands_at_its_line(api_of: Any, reviewer: Any, payload: Any, field: str) -> None:
    answer = api_of(reviewer).post("workflows", payload)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)


def test_who_may_not_write_is_refused_and_files_of_others_stay_theirs(
    api_of: Any, reviewer: Any, owner: Any, outsider: Any, make_workspace: Any
) -> None:
    assert api_of(owner).post("workflows", {"body": GREET}).status_code == 403
    made = api_of(reviewer).post("workflows", {"body": GREET}).json()
    theirs = make_workspace(outsider)
    refused = api_of(owner).post(f"workflows/{made['id']}/process", {"workspace": theirs.name})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "workspace")
    wrong = api_of(owner).post(f"workflows/{made['id']}/process", {"params": {"nam": "x"}})
    assert wrong.status_code == 422
    assert "Perhaps you mean" in wrong.json()["errors"][0]["message"]
    assert api_of(owner).post(f"workflows/{made['id']}/process", {"version": "9.9.9"}).status_code == 404
    assert api_of(owner).post("workflows/999/process", {}).status_code == 404
    assert not Goal.objects.exists()
