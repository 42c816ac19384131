"""Policies by API: the same services and rights as the pages. And more time for a plan."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.models import IntentPlan
from library.components import services as library
from people.models import User
from review.models import PolicyVersion, ReviewClock, ReviewPolicy
from review.policies.tool_bodies import digest_of
from tests.agents.toolkit.made_texts import WORD_COUNT
from tests.cast import person

pytestmark = pytest.mark.django_db
TWO = {"name": "two for writing", "action": "require_two", "conditions": {"commands": ["write"]}, "note": "Careful"}


@pytest.fixture
def keeper(db: None) -> User:
    """Operates and reviews, so that policies may approve in their name."""
    return person("kim", "operator", "reviewer")


def approving(**also: Any) -> dict[str, Any]:
    until = (timezone.now() + timedelta(days=7)).isoformat()
    said = {"action": "auto_approve", "conditions": {"commands": ["mkdir"]}, "budget": 3, "expires_at": until}
    return {"name": "folders", **said, **also}


def test_a_policy_is_written_replayed_enabled_changed_and_disabled(api_of: Any, keeper: User) -> None:
    call = api_of(keeper)
    made = call.post("policies", TWO)
    assert (made.status_code, made.json()["state"]) == (201, "draft")
    at = made.headers["Location"].removeprefix("/api/v1/")
    early = call.post(f"{at}/enable", {"version": 1})
    assert (early.status_code, early.json()["type"]) == (409, "urn:mindx:problem:not_possible_now")
    replayed = call.post(f"{at}/replay").json()
    assert (replayed["replayed"], replayed["replay"]["plans"]) == (1, 0)
    assert call.post(f"{at}/enable", {"version": 1}).json()["state"] == "enabled"
    second = {"action": "forbid", "conditions": {"commands": ["rm"]}}
    changed = call.post(f"{at}/versions", second)
    assert (changed.status_code, changed.json()["state"], changed.json()["number"]) == (201, "draft", 2)
    assert [one["action"] for one in changed.json()["versions"]] == ["forbid", "require_two"]
    assert changed.json()["versions"][1]["note"] == "Careful"
    assert call.post(f"{at}/enable", {"version": 1}).status_code == 409
    call.post(f"{at}/replay")
    assert call.post(f"{at}/enable", {"version": 2}).json()["state"] == "enabled"
    disabled = call.post(f"{at}/disable", {"reason": "Too strict"}).json()
    assert (disabled["state"], disabled["reason"]) == ("suspended", "Too strict")
    assert call.post(f"{at}/disable").status_code == 409
    assert [one["id"] for one in call.get("policies?state=suspended").json()["items"]] == [disabled["id"]]
    assert call.get("policies?state=enabled").json()["items"] == []
    events = list(ReviewPolicy.objects.get().changes.order_by("pk").values_list("event", flat=True))
    assert events == ["written", "replayed", "enabled", "written", "replayed", "enabled", "suspended"]


def test_what_approves_is_enabled_by_its_owner_only(api_of: Any, keeper: User) -> None:
    at = f"policies/{api_of(keeper).post('policies', approving()).json()['id']}"
    other = api_of(person("kay", "operator", "reviewer"))
    assert other.post(f"{at}/replay").status_code == 200
    refused = other.post(f"{at}/enable", {"version": 1})
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:mindx:problem:forbidden")
    assert api_of(keeper).post(f"{at}/enable", {"version": 1}).json()["state"] == "enabled"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({**TWO, "conditions": {"colour": "red"}}, "conditions.colour"),
        ({**TWO, "conditions": {"commands": "write"}}, "conditions.commands"),
        ({**TWO, "name": " "}, "name"),
        ({**TWO, "action": "burn"}, "action"),
        ({**TWO, "budget": 3}, "action"),
        ({**TWO, "note": "hidden \u202e"}, "note"),
        (approving(budget=0), "budget"),
        (approving(conditions={}), "action"),
        (approving(sampling_percent=101), "sampling_percent"),
        (approving(expires_at="2026-01-31"), "expires_at"),
        (approving(expires_at="2020-01-31T00:00:00Z"), "expires_at"),
        ({**TWO, "owner": "kim"}, "owner"),
    ],
)
def test_what_is_no_policy_is_refused_at_its_field(body: dict[str, Any], field: str, api_of: Any, keeper: User) -> None:
    answer = api_of(keeper).post("policies", body)
    assert answer.status_code == 422, answer.json()
    assert field in answer.json()["errors"][0]["field"]
    assert not PolicyVersion.objects.exists()


def test_who_may_not_is_refused(api_of: Any, keeper: User, owner: User, reviewer: User, operator: User) -> None:
    at = f"policies/{api_of(keeper).post('policies', TWO).json()['id']}"
    assert api_of(reviewer).get(at).json()["name"] == TWO["name"]
    assert api_of(owner).get("policies").status_code == 403
    assert api_of(owner).get(at).status_code == 403
    for path, body in (
        ("replay", None),
        ("enable", {"version": 1}),
        ("disable", None),
        ("versions", TWO),
        ("confirm", {"tools": {"a": "b"}}),
    ):
        assert api_of(reviewer).post(f"{at}/{path}", body).status_code == 403, path
    assert api_of(reviewer).post("policies", TWO).status_code == 403
    twice = api_of(keeper).post("policies", TWO)
    assert (twice.status_code, twice.json()["errors"][0]["field"]) == (422, "name")
    missing = api_of(operator).post("policies", approving())
    assert "reviewer" in missing.json()["detail"]
    assert api_of(keeper).get("policies/999").status_code == 404


def test_a_changed_tool_is_named_and_confirmed_by_the_digest_that_was_seen(
    api_of: Any, keeper: User, operator: User
) -> None:
    first = library.publish("tool", "word_count", WORD_COUNT, by=operator, status="active")
    call = api_of(keeper)
    at = f"policies/{call.post('policies', approving(conditions={'commands': ['count_words']})).json()['id']}"
    call.post(f"{at}/replay")
    assert call.post(f"{at}/enable", {"version": 1, "tools": {"word_count": "a1"}}).status_code == 409
    old = {"word_count": digest_of(WORD_COUNT)}
    (tool,) = call.post(f"{at}/enable", {"version": 1, "tools": old}).json()["tools"]
    assert (tool["version"], tool["digest"], tool["is_approved"]) == ("1.0.0", old["word_count"], True)
    changed = WORD_COUNT.replace("Counts the words of text files.", "Counts words.")
    candidate = library.publish("tool", "word_count", changed, by=operator)
    assert api_of(operator).get(f"candidates/{candidate.pk}").json()["asked_again_by"] == [at.partition("/")[2]]
    assert api_of(operator).get(f"candidates/{first.pk}").json()["asked_again_by"] == []
    library.activate(candidate, operator)
    (tool,) = call.get("policies").json()["items"][0]["tools"]
    assert (tool["version"], tool["is_approved"], tool["looked_at"]) == ("1.1.0", False, ["1.0.0"])
    assert call.post(f"{at}/confirm", {"tools": old}).status_code == 409
    assert call.post(f"{at}/confirm", {"tools": {}}).status_code == 422
    new = {"tools": {"word_count": tool["digest"]}}
    assert api_of(person("oli", "operator", "reviewer")).post(f"{at}/confirm", new).status_code == 403
    (tool,) = call.post(f"{at}/confirm", new).json()["tools"]
    assert (tool["is_approved"], tool["looked_at"]) == (True, ["1.0.0", "1.1.0"])


def test_a_plan_under_a_time_limit_gets_an_hour_more(
    api_of: Any, owner: User, reviewer: User, propose_plan: Any
) -> None:
    plan: IntentPlan = propose_plan(owner)
    refused = api_of(reviewer).post(f"intent-plans/{plan.pk}/extend")
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:mindx:problem:not_possible_now")
    due = timezone.now() + timedelta(minutes=30)
    ReviewClock.objects.create(intent_plan=plan, minutes=60, escalate_at=due, due_at=due)
    assert api_of(owner, "review:read").get(f"intent-plans/{plan.pk}").json()["due_at"]
    extended = api_of(reviewer).post(f"intent-plans/{plan.pk}/extend").json()
    assert extended["due_at"].startswith((due + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S"))
    assert api_of(owner).post(f"intent-plans/{plan.pk}/extend").status_code == 403
    assert api_of(person("stan", "reviewer")).post("intent-plans/999/extend").status_code == 404
