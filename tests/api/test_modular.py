"""Modular agents by the API: start, open a state, change it and go on as a branch."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import ModularRun
from agents.modular import stepping

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = {"prompter": "plain", "generator": "person", "discriminator": "first", "actor": "plain", "toolkit": "notes"}
MODULES = {kind: {"name": name} for kind, name in NAMES.items()}


def test_a_run_is_started_answered_opened_changed_and_stepped(api_of: Any, owner: Any, outsider: Any) -> None:
    api = api_of(owner)
    made = api.post("modular-runs", {"task": "Say moon", "modules": MODULES})
    assert made.status_code == 201, made.content
    run = made.json()
    stepping.work(int(run["id"]))
    assert api.get(f"modular-runs/{run['id']}").json()["state"] == "waiting"
    call = {"name": "submit", "arguments": {"answer": "moon"}}
    assert api.post(f"modular-runs/{run['id']}/answer", {"content": "done", "function_call": call}).status_code == 200
    stepping.work(int(run["id"]))
    ended = api.get(f"modular-runs/{run['id']}").json()
    assert ended["state"] == "ended"
    state = api.get(f"states/{run['newest_state']}").json()
    assert state["document"]["state"]["nodes"][0]["message"]["content"] == "Say moon"
    edit = {"message": {"node": 1, "content": "Say sun"}, "paused": True}
    branch = api.send("PATCH", f"states/{run['newest_state']}", edit).json()
    assert branch["branched_from"] == run["newest_state"]
    stepped = api.post(f"states/{branch['newest_state']}/step", {})
    assert stepped.status_code == 200, stepped.content
    stepping.work(int(branch["id"]))
    assert api.get(f"modular-runs/{branch['id']}").json()["state"] == "paused"
    again = api.post("modular-runs", {"state": state["document"]})
    assert again.status_code == 201, again.content
    other = api_of(outsider)
    assert other.get(f"states/{run['newest_state']}").status_code == 404
    assert other.get(f"modular-runs/{run['id']}").status_code == 404
    assert other.get("modular-runs").json()["items"] == []


def test_what_does_not_fit_is_refused_with_its_pair(api_of: Any, owner: Any) -> None:
    modules = {**MODULES, "discriminator": {"name": "compare"}}
    refused = api_of(owner).post("modular-runs", {"task": "x", "modules": modules})
    assert (refused.status_code, ModularRun.objects.count()) == (422, 0)
    assert "does not fit the generator" in refused.content.decode()
