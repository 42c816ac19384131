"""Designs and choices of rules by API."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import Goal
from people.models import User
from tests.review.some_levels import DESIGN, GOAL, asked_choice, switch_on, worked

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.library.vectors import install

    install(monkeypatch)


def test_a_design_goes_from_its_goal_to_its_approval(owner: User, reviewer: User, api_of: Any) -> None:
    switch_on("design")
    goal = api_of(owner).post("goals", {"text": GOAL, "design": DESIGN}).json()
    assert (goal["state"], goal["reason"]) == ("awaiting_review", "design_awaits_review")
    waiting = api_of(reviewer).get("levels?state=awaiting_review").json()["items"]
    assert [(one["kind"], one["goal"], one["design"], one["intact"]) for one in waiting] == [
        ("design", goal["id"], DESIGN.strip(), True)
    ]
    at, digest = f"levels/{waiting[0]['id']}", waiting[0]["digest"]
    assert api_of(reviewer).post(f"{at}/request-changes", {"digest": digest, "comment": "Say where"}).status_code == 200
    sent = api_of(owner).post(f"goals/{goal['id']}/design", {"design": "In one file"})
    assert (sent.status_code, sent.json()["number"]) == (201, 2)
    second = sent.json()
    stale = api_of(reviewer).post(f"levels/{second['id']}/approve", {"digest": digest})
    assert (stale.status_code, stale.json()["type"]) == (409, "urn:mindx:problem:stale_digest")
    done = api_of(reviewer).post(f"levels/{second['id']}/approve", {"digest": second["digest"]})
    assert (done.json()["state"], done.json()["decided_by"]) == ("approved", reviewer.username)
    late = api_of(owner).post(f"goals/{goal['id']}/design", {"design": "Otherwise"})
    assert (late.status_code, late.json()["type"]) == (409, "urn:mindx:problem:not_possible_now")


def test_another_rule_is_chosen_by_its_version(owner: User, reviewer: User, api_of: Any) -> None:
    asked = asked_choice(owner)
    found = api_of(reviewer).get(f"levels/{asked.pk}").json()
    (choice,) = found["choices"]
    assert found["steps"]
    other = next(rule for rule in choice["rules"] if rule["choosable"] and rule["version_id"] != choice["chosen"])
    body = {"digest": found["digest"], "choice": {choice["key"]: "0"}}
    refused = api_of(reviewer).post(f"levels/{asked.pk}/approve", body)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "choice")
    body["choice"] = {choice["key"]: other["version_id"]}
    assert api_of(reviewer).post(f"levels/{asked.pk}/approve", body).status_code == 200
    assert worked(asked.goal).intent_plans.get().plan.evidence["rule"]["name"] == other["name"]


def test_rejecting_needs_a_reason_and_tells_it(owner: User, reviewer: User, api_of: Any) -> None:
    asked = asked_choice(owner)
    call = api_of(reviewer)
    assert call.post(f"levels/{asked.pk}/reject", {"digest": asked.digest, "reason": ""}).status_code == 422
    assert call.post(f"levels/{asked.pk}/reject", {"digest": 7, "reason": "No"}).status_code == 409
    assert (
        call.post(f"levels/{asked.pk}/reject", {"digest": asked.digest, "reason": "No"}).json()["state"] == "rejected"
    )
    assert Goal.objects.get().reason == "selection_rejected: No"


def test_who_may_not_is_refused(owner: User, reviewer: User, outsider: User, api_of: Any) -> None:
    switch_on("design")
    goal = api_of(owner).post("goals", {"text": GOAL, "design": DESIGN}).json()
    one = api_of(owner).get("levels").json()["items"][0]
    body = {"digest": one["digest"]}
    assert api_of(owner, "review:read").post(f"levels/{one['id']}/approve", body).status_code == 403
    assert api_of(reviewer, "review:read").post(f"levels/{one['id']}/approve", body).status_code == 403
    assert api_of(outsider).get(f"levels/{one['id']}").status_code == 404
    assert api_of(outsider).get("levels").json()["items"] == []
    assert api_of(outsider).post(f"goals/{goal['id']}/design", {"design": "x"}).status_code == 404
    assert api_of(reviewer).post(f"goals/{goal['id']}/design", {"design": "x"}).status_code == 403
    assert api_of(None).get("levels").status_code == 401
    assert api_of(reviewer).get("levels/nothing").status_code == 404
    bad = api_of(owner).post("goals", {"text": GOAL, "design": "One\u0007two"})
    assert (bad.status_code, bad.json()["errors"][0]["field"]) == (422, "design")
