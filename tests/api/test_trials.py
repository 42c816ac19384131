"""A/B trials over the API: planned, begun, read, stopped, refused."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import VersionTrial
from library.components import services as library
from library.models import ComponentVersion
from tests.agents.evolution.conftest import repeated, rule, strict, totalled  # fixtures  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)
MAY = ("library:read", "library:write")


@pytest.fixture
def lenient(strict: ComponentVersion, reviewer: Any) -> ComponentVersion:  # noqa: F811
    return library.publish("rule", "total a list", rule("lenient"), by=reviewer, changes="blank lines")


def test_a_trial_is_planned_begun_read_and_stopped(
    api_of: Any,
    operator: Any,
    strict: ComponentVersion,  # noqa: F811
    lenient: ComponentVersion,
    totalled: Any,  # noqa: F811
    repeated: Any,  # noqa: F811
) -> None:
    api = api_of(operator, *MAY)
    asked = {"a": str(strict.pk), "b": str(lenient.pk), "mode": "replayed", "difference": 30, "differ": 45}
    empty = api.post("trials", {**asked, "plan_only": True})
    assert empty.status_code == 200
    assert "There are only 0 cases" in empty.json()["why_not"]
    assert api.post("trials", asked).status_code == 409
    totalled("1\n2\n")
    repeated(30)
    planned = api.post("trials", {**asked, "plan_only": True}).json()
    assert (planned["most_cases"], planned["available"], planned["why_not"]) == (30, 30, "")
    assert 0 < planned["power"] < 0.8
    assert not VersionTrial.objects.exists()
    begun = api.post("trials", asked)
    assert begun.status_code == 201
    told = begun.json()
    assert (told["state"], told["verdict"], told["most_cases"], told["course"]) == ("running", "", 30, [])
    assert [one["id"] for one in api.get("trials").json()["items"]] == [told["id"]]
    assert api.get(f"trials?component={strict.component_id}").json()["items"][0]["href"] == told["href"]
    assert api.get("trials?component=0").json()["items"] == []
    again = api.post("trials", asked)
    assert (again.status_code, "is running. Stop it, or wait" in again.json()["detail"]) == (409, True)
    assert api.post(f"trials/{told['id']}/stop", {}).json()["verdict"] == "stopped"
    assert api.post(f"trials/{told['id']}/stop", {}).status_code == 409
    assert api.get("trials/999").status_code == 404


def test_who_and_what_is_refused(
    api_of: Any,
    operator: Any,
    reviewer: Any,
    strict: ComponentVersion,  # noqa: F811
    lenient: ComponentVersion,
) -> None:
    asked = {"a": str(strict.pk), "b": str(lenient.pk), "mode": "live"}
    assert api_of(reviewer, *MAY).post("trials", asked).status_code == 403
    api = api_of(operator, *MAY)
    assert api.post("trials", {**asked, "b": "0"}).status_code == 422
    assert api.post("trials", {**asked, "mode": "dreamt"}).status_code == 422
    assert api.post("trials", {**asked, "a": str(lenient.pk)}).status_code == 409
    assert api.post("trials", {**asked, "difference": 1}).json()["detail"].startswith("Choose a smallest difference")
    assert not VersionTrial.objects.exists()
