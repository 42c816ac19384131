"""The list of plans in the queue's order, its filters, and giving a plan to a reviewer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.models import IntentPlan
from people.models import User
from review.entries import places
from review.models import QueueEntry
from review.risk.assessment import Level
from tests.review.plans import tried

pytestmark = pytest.mark.django_db
STEP = {"tool": "simple_coder", "command": "mkdir", "params": {"path": "x"}}


@pytest.fixture
def three(owner: User, make_goal: Callable[..., Any], propose_plan: Callable[..., IntentPlan]) -> list[IntentPlan]:
    """Of low, unknown and high risk."""
    plans = [propose_plan(make_goal(owner, f"Goal {n}", priority=n + 1), [STEP]) for n in range(3)]
    for plan, level in zip(plans, (Level.LOW, Level.UNKNOWN, Level.HIGH), strict=True):
        QueueEntry.objects.filter(pk=plan.pk).update(rank=level.rank)
    return plans


def ids(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [item["id"] for item in answer.json()["items"]]


def test_the_list_keeps_its_order_and_has_the_queues(three: list[IntentPlan], reviewer: User, api_of: Any) -> None:
    caller = api_of(reviewer)
    low, unknown, high = (str(plan.pk) for plan in three)
    assert ids(caller.get("intent-plans")) == [high, unknown, low]
    first = caller.get("intent-plans?order=queue&limit=2").json()
    assert [item["id"] for item in first["items"]] == [high, unknown]
    assert first["items"][0]["place"] == "high risk, priority 3"
    assert len({item["shape"] for item in first["items"]}) == 1
    rest = caller.get(f"intent-plans?order=queue&limit=2&after={first['next'].replace('+', '%2B')}")
    assert ids(rest) == [low]
    assert rest.json()["next"] is None


def test_a_plan_says_with_which_others_it_may_be_decided(three: list[IntentPlan], reviewer: User, api_of: Any) -> None:
    tried(three[0], added=["x"])
    tried(three[1], added=["x"])
    tried(three[2], failed_at=1)
    found = {item["id"]: item for item in api_of(reviewer).get("intent-plans?order=queue").json()["items"]}
    one, two, failed = (found[str(plan.pk)] for plan in three)
    assert one["group"] == two["group"] != ""
    assert (one["shadow_outcome"], failed["shadow_outcome"], failed["group"]) == ("done", "failed", "")
    assert failed["place"] == "high risk, step 1: it failed in the dry run, priority 3"
    places.try_again(three[0])
    again = api_of(reviewer).get(f"intent-plans/{three[0].pk}").json()
    assert (again["shadow_outcome"], again["group"]) == ("untried", "")


def test_filters_are_those_of_the_page(three: list[IntentPlan], reviewer: User, owner: User, api_of: Any) -> None:
    caller = api_of(reviewer)
    assert ids(caller.get("intent-plans?order=queue&risk=high")) == [str(three[2].pk)]
    assert len(ids(caller.get(f"intent-plans?order=queue&does=mkdir&by={owner.username}"))) == 3
    assert ids(caller.get("intent-plans?order=queue&words=nothing")) == []


def test_a_stranger_sees_no_plan_of_others_in_any_order(
    three: list[IntentPlan], outsider: User, owner: User, api_of: Any
) -> None:
    assert ids(api_of(outsider).get(f"intent-plans?order=queue&by={owner.username}")) == []


@pytest.mark.parametrize(
    "query",
    [
        "risk=high",
        "order=danger",
        "order=queue&risk=terrible",
        "order=queue&does=teleport",
        "order=queue&longer=soon",
        "order=queue&after=7",
        "order=queue&state=complete",
    ],
)
def test_what_is_no_filter_is_refused_with_the_reason(query: str, reviewer: User, api_of: Any) -> None:
    answer = api_of(reviewer).get(f"intent-plans?{query}")
    assert answer.status_code == 422
    assert answer.json()["detail"]


def test_a_plan_is_given_taken_back_and_refused(
    three: list[IntentPlan], reviewer: User, owner: User, api_of: Any
) -> None:
    caller, address = api_of(reviewer), f"intent-plans/{three[0].pk}/assign"
    assert caller.post(address, {"to": "me"}).json()["assigned_to"] == reviewer.username
    assert ids(caller.get("intent-plans?order=queue&assigned=me")) == [str(three[0].pk)]
    assert caller.post(address, {"to": "nobody"}).json()["assigned_to"] is None
    assert caller.post(address, {"to": owner.username}).status_code == 403
    assert caller.post(address, {"to": "who"}).status_code == 422
    assert api_of(owner).post(address, {"to": "me"}).status_code == 403
    assert caller.post("intent-plans/999/assign", {"to": "me"}).status_code == 404
