"""Bad input of workflows at the front doors: programs and forms get an answer that says what is wrong, never a 500."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from agents.models import Goal
from library.models import Component
from people.models import User
from tests.agents.bdi.workflows.workflow_texts import GREET, execute, text
from tests.library.vectors import install

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
USES = text(
    execute("simple_coder.mkdir", "input: {path: a}", 'condition: "{{params.n}} == 1"') + execute("simple_coder.ls"),
    name="Uses",
)


@pytest.fixture(autouse=True)
def _vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def raw(api: Any, address: str, body: bytes) -> Any:
    """What a program sends that makes its JSON itself."""
    return api.send("POST", address, body)


@pytest.mark.parametrize(
    "body",
    [
        "scenario_name: \xe4".encode("latin-1"),
        b'{"body": "scenario_name: \xff\xfe"}',
        b'{"body": "\\ud800"}',
        b'{"body": "\\u0000"}',
        b'{"name": "a\\u0000b", "steps": [{"type": "EXECUTE", "item_type": "TOOL", "name": "simple_coder.ls"}]}',
        b'{"name": "a\\u202eb", "steps": [{"type": "EXECUTE", "item_type": "TOOL", "name": "simple_coder.ls"}]}',
        b'{"name": "x", "params": {"n": NaN}, "steps": [{"type": "EXECUTE", "item_type": "ROBOT", "name": "y"}]}',
        b'{"name": "x", "steps": [' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"]}",
        b'{"name": "x", "steps": [' + b'{"a":' * 90_000 + b"1" + b"}" * 90_000 + b"]}",
        json.dumps({"body": "x: " + "y" * 10_000_000}).encode(),
        json.dumps({"body": "l: &l [a]\nm: [*l, *l]\n"}).encode(),
        json.dumps({"body": "scenario_name: !!python/object/apply:os.system [ls]\nsteps: []\n"}).encode(),
    ],
    ids=lambda body: repr(body[:40]),
)
def test_what_is_no_workflow_is_refused_and_nothing_is_kept(api_of: Any, reviewer: User, body: bytes) -> None:
    answer = raw(api_of(reviewer), "workflows", body)
    assert answer.status_code in (400, 413, 422), answer.content[:300]
    assert not Component.objects.filter(kind="workflow").exists()


@pytest.mark.parametrize(
    "params",
    [
        b'{"n": NaN}',
        b'{"n": Infinity}',
        b'{"n": 1e999}',
        b'{"n": "a\\u0000b"}',
        b'{"n": "\\ud800"}',
        b'{"n": ["\\u0000"]}',
        b'{"n": {"\\u0000": 1}}',
        b'{"n": "{{params.n}}"}',
        b'{"n": ' + b"9" * 5_000 + b"}",
        b'{"n": ' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"n": 1, "m\\u0000": 1}',
        b'{"n": 1, "unknown": 1}',
    ],
)
def test_a_parameter_that_cannot_be_is_refused_and_no_goal_is_made(
    api_of: Any, reviewer: User, owner: User, params: bytes
) -> None:
    made = api_of(reviewer).post("workflows", {"body": USES}).json()
    answer = raw(api_of(owner), f"workflows/{made['id']}/process", b'{"params": ' + params + b"}")
    assert answer.status_code in (400, 422), answer.content[:300]
    assert not Goal.objects.exists()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"body=scenario_name%3A+%FF%FE", 422),
        (b"body=%00", 422),
        (b"body=" + b"y" * 3_000_000, 422),
        (b"body=" + b"y" * 10_000_000, 400),
        (b"body=" + b"%07%0A" * 100_000, 422),
    ],
    ids=["not utf-8", "nul", "3 MB", "10 MB", "control characters"],
)
def test_the_form_refuses_the_same_with_a_short_answer(
    client_of: ClientOf, reviewer: User, body: bytes, status: int
) -> None:
    form = "application/x-www-form-urlencoded"
    answer = client_of(reviewer).post(reverse("workflow-new"), body, content_type=form)
    assert answer.status_code in (status, 413)
    assert not Component.objects.filter(kind="workflow").exists()
    checked = client_of(reviewer).post(reverse("workflow-check"), body, content_type=form)
    assert checked.status_code in (200, status, 413)
    assert len(checked.content) < 100_000


def test_a_name_beside_steps_cannot_write_steps_of_its_own(api_of: Any, reviewer: User) -> None:
    name = "x\nsteps:\n- {type: EXECUTE, item_type: TOOL, name: simple_coder.rm, input: {path: a}}\n#"
    answer = api_of(reviewer).post("workflows", {"name": name, "steps": [{"type": "EXECUTE", "item_type": "TOOL",
                                                                        "name": "simple_coder.ls"}]})  # fmt: skip
    assert answer.status_code in (201, 422)
    for component in Component.objects.filter(kind="workflow"):
        assert "simple_coder.rm" not in [line.strip() for line in component.versions.get().body.splitlines()]
    beside = api_of(reviewer).post("workflows", {"name": "a: b\nsteps: []", "body": GREET.partition("\n")[2]})
    assert beside.status_code in (201, 422)
