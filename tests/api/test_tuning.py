"""Tuning by API: read, try, save over a known version, and take back; operators only, cases as far as a token reads."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from agents.cycle import cycle
from agents.models import Goal, PathMapping
from agents.recovery import recovery_learning
from agents.understanding import in_force
from agents.workspaces import workspaces
from people.models import User

MAPPING = {"kind": "path_mapping", "values": {"said": "app", "path": "src/util.py", "in_use": True}}
pytestmark = pytest.mark.django_db


def test_a_version_is_saved_read_with_its_history_and_taken_back(api_of: Any, operator: User) -> None:
    call = api_of(operator)
    made = call.post("tuning", {**MAPPING, "note": "As people say", "version": None})
    assert made.status_code == 201
    first = made.json()
    assert (first["by"], first["note"], first["values"]["tool"]) == ("opal", "As people say", "")
    changed = call.post("tuning", {"kind": "path_mapping", "values": {"said": "App", "path": "b.py"}})
    assert changed.json()["values"] == {**first["values"], "said": "App", "path": "b.py"}
    at = made.headers["Location"].removeprefix("/api/v1/")
    whole = call.get(at).json()
    assert [(one["number"], one["counts"]) for one in whole["versions"]] == [(2, True), (1, False)]
    assert {one["field"] for one in whole["versions"][0]["changes"]} == {"said", "path"}
    assert call.get(f"{at}?limit=1").json()["next"] == whole["versions"][0]["id"]
    back = call.post(f"{at}/revert", {"version": first["version"]})
    assert (back.status_code, back.json()["values"]) == (201, first["values"])
    assert [one.path for one in in_force.mapped()] == ["src/util.py"]
    assert len(call.get("tuning?kind=path_mapping").json()["items"]) == 1


def test_what_counts_before_anybody_saved_is_listed_and_comes_back(api_of: Any, operator: User) -> None:
    call = api_of(operator)
    listed = {one["id"]: one for one in call.get("tuning").json()["items"]}
    assert listed["recovery_setting.jitter"]["version"] is None
    assert listed["parameter_settings.current"]["values"]["least_runs"] == 3
    sent = {"kind": "recovery_setting", "values": {"name": "jitter", "value": 0.5}, "version": None}
    assert call.post("tuning", sent).status_code == 201
    assert recovery_learning.current_settings().jitter == 0.5
    late = call.post("tuning", {**sent, "values": {"name": "jitter", "value": 0.75}})
    assert (late.status_code, late.json()["type"]) == (409, "urn:mindx:problem:not_possible_now")
    assert call.post("tuning/recovery_setting.jitter/revert", {"version": None}).status_code == 201
    assert recovery_learning.current_settings().jitter == 0.25
    only = call.post("tuning", {"kind": "parameter_settings", "values": {"least_runs": 9}}).json()["values"]
    assert (only["least_runs"], only["least_share"]) == (9, 0.8)


def test_what_cannot_hold_is_a_problem_at_its_field(api_of: Any, operator: User) -> None:
    call = api_of(operator)
    values = {"said": "", "path": "../x", "tool": "nothing", "colour": 1}
    refused = call.post("tuning", {"kind": "path_mapping", "values": values})
    assert refused.status_code == 422
    fields = {one["field"] for one in refused.json()["errors"]}
    assert {"values.said", "values.tool", "values.colour"} <= fields
    assert call.post("tuning/try", {"kind": "path_mapping", "values": values}).status_code == 422
    assert call.post("tuning", {**MAPPING, "note": "x" * 301}).json()["errors"][0]["field"] == "values.note"
    assert call.post("tuning", {"kind": "colours", "values": {}}).status_code == 422
    assert call.post("tuning", {**MAPPING, "version": "12"}).status_code == 409
    for missing in ("path_mapping.7", "path_mapping.x", "colours.1", "recovery_setting.colour", "x"):
        assert call.get(f"tuning/{missing}").status_code == 404, missing
    assert call.post("tuning/recovery_setting.jitter/revert", {"version": "9"}).status_code == 409
    assert not PathMapping.objects.exists()


def test_only_operators_tune_whatever_their_token_says(
    api_of: Any, admin: User, owner: User, reviewer: User, operator: User
) -> None:
    for somebody in (owner, reviewer):
        call = api_of(somebody)  # its scopes are those its person can have, and these are not among them
        for answer in (call.get("tuning"), call.post("tuning", MAPPING), call.post("tuning/try", MAPPING)):
            assert answer.status_code == 403
    was = api_of(operator)
    operator.roles = ["submitter"]
    operator.save()
    assert was.get("tuning").status_code == 403
    assert was.get("tuning/recovery_setting.jitter").status_code == 403
    assert was.post("tuning", MAPPING).status_code == 403
    assert was.post("tuning/try", MAPPING).status_code == 403
    assert was.post("tuning/recovery_setting.jitter/revert", {"version": None}).status_code == 403
    assert api_of(admin).get("tuning").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_trial_shows_cases_only_to_tokens_that_read_goals(
    api_of: Any, operator: User, owner: User, make_goal: Callable[..., Goal]
) -> None:
    goal = make_goal(owner, "show app")
    for path in ("src/app.py", "src/util.py"):
        workspaces.put_file(goal.workspace, by=owner, path=path, source=io.BytesIO(b""))
    cycle.work(goal.pk)
    blind = api_of(operator, "tuning:write").post("tuning/try", MAPPING).json()
    assert (blind["changed"], blind["hidden"], blind["cases"]) == (1, 1, [])
    sees = api_of(operator, "tuning:write", "goals:read").post("tuning/try", MAPPING).json()
    assert (sees["changed"], sees["hidden"], sees["cases"][0]["goal"]) == (1, 0, str(goal.pk))
    assert sees["cases"][0]["original"] == "simple_coder.read path src/app.py"
    assert sees["cases"][0]["proposed"] == "simple_coder.read path src/util.py"
    assert not PathMapping.objects.exists(), "a trial saves nothing"
