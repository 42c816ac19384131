"""Speaking about plans by the API: comments, questions, beliefs; refused to whom they are not for."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import Belief, IntentPlan
from review.models import Comment

pytestmark = pytest.mark.django_db


@pytest.fixture
def plan(propose_plan: Any, owner: Any) -> IntentPlan:
    """A plan of the owner's that awaits review."""
    return propose_plan(owner)


@pytest.fixture
def belief(plan: IntentPlan) -> Belief:
    """Something that the agent holds true."""
    return Belief.objects.create(
        goal=plan.goal, sentence="There is a folder named old.", source="perception", at=plan.created_at
    )


def test_comments_are_written_listed_and_settled(api_of: Any, reviewer: Any, owner: Any, plan: Any) -> None:
    api = api_of(reviewer)
    made = api.post(f"intent-plans/{plan.pk}/comments", {"text": "Call it docs", "anchor": "intent:1:path"})
    assert made.status_code == 201
    said = made.json()
    assert (said["kind"], said["state"], said["about"], said["by"]) == ("note", "open", "step 1, mkdir: path", "rita")
    api.post(f"intent-plans/{plan.pk}/comments", {"text": "Thanks"})
    page = api_of(owner).get(f"intent-plans/{plan.pk}/comments?limit=1").json()
    assert ([one["text"] for one in page["items"]], page["next"]) == (["Call it docs"], said["id"])
    rest = api.get(f"intent-plans/{plan.pk}/comments?after={page['next']}").json()
    assert ([one["text"] for one in rest["items"]], rest["next"]) == (["Thanks"], None)
    address = f"intent-plans/{plan.pk}/comments/{said['id']}"
    assert api_of(owner).post(f"{address}/resolve").status_code == 403
    assert api.post(f"{address}/resolve").json()["state"] == "resolved"
    assert api.post(f"{address}/reopen", {}).json()["state"] == "open"
    assert api.get(f"intent-plans/{plan.pk}").json()["digest"] == plan.digest


def test_a_question_is_asked_and_answered(api_of: Any, reviewer: Any, owner: Any, plan: Any) -> None:
    asked = api_of(reviewer).post(f"intent-plans/{plan.pk}/questions", {"text": "Why?", "anchor": "intent:2"}).json()
    told = api_of(owner).post(f"intent-plans/{plan.pk}/questions/{asked['id']}/answers", {"text": "Because"})
    assert told.status_code == 201
    found = api_of(reviewer).get(f"intent-plans/{plan.pk}/questions").json()["items"]
    assert [(one["state"], one["answers"][0]["text"], one["answers"][0]["by"]) for one in found] == [
        ("addressed", "Because", "olga")
    ]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"text": ""}, 422, "text"),
        ({"text": "x" * 4_001}, 422, "text"),
        ({"text": "left \u202e right"}, 422, "text"),
        ({"text": "\x1b[31mred"}, 422, "text"),
        ({"text": "a", "anchor": "intent:9"}, 422, "anchor"),
        ({"text": "a", "anchor": "x" * 10_000}, 422, "anchor"),
        ({"text": "a", "extra": 1}, 422, "extra"),
        ({"text": 7}, 422, "text"),
    ],
)
def test_words_that_cannot_be_taken_are_refused_at_their_field(
    api_of: Any, reviewer: Any, plan: Any, body: dict[str, Any], status: int, field: str
) -> None:
    for kind in ("comments", "questions"):
        answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/{kind}", body)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (status, field)
    assert not Comment.objects.exists()


def test_a_belief_is_contradicted_and_put_back(api_of: Any, owner: Any, plan: Any, belief: Belief) -> None:
    api = api_of(owner)
    assert [one["sentence"] for one in api.get(f"intent-plans/{plan.pk}/beliefs").json()["items"]] == [belief.sentence]
    address = f"intent-plans/{plan.pk}/beliefs/{belief.pk}/contradict"
    for wrong in ("0" * 64, "\x00", 7):
        assert api.post(address, {"digest": wrong}).status_code == 409
    assert api.post(address, {"digest": plan.digest}).json()["state"] == "superseded"
    held = api.get(f"intent-plans/{plan.pk}/beliefs").json()["items"]
    assert [(one["sentence"], one["retracted_by"]) for one in held] == [
        ("There is a folder named old.", "denied by olga"),
        ("There is no folder named old.", ""),
    ]
    back = api.post(f"intent-plans/{plan.pk}/beliefs/{held[1]['id']}/put-back")
    assert back.json()["retracted_by"] == "put back by olga"
    assert not Belief.objects.get(pk=belief.pk).retracted_by


def test_what_is_not_theirs_is_not_there_or_refused(
    api_of: Any, outsider: Any, operator: Any, reviewer: Any, owner: Any, plan: Any, belief: Belief, propose_plan: Any
) -> None:
    asked = api_of(reviewer).post(f"intent-plans/{plan.pk}/questions", {"text": "Why?"}).json()["id"]
    other = propose_plan(outsider)
    contradict = {"digest": plan.digest}
    for path, body in (
        ("comments", {"text": "a"}),
        (f"questions/{asked}/answers", {"text": "a"}),
        (f"beliefs/{belief.pk}/contradict", contradict),
    ):
        assert api_of(outsider).post(f"intent-plans/{plan.pk}/{path}", body).status_code == 404
    # What belongs to another goal is not there under a plan of one's own.
    assert api_of(outsider).post(f"intent-plans/{other.pk}/questions/{asked}/answers", {"text": "a"}).status_code == 404
    own = {"digest": other.digest}
    assert api_of(outsider).post(f"intent-plans/{other.pk}/beliefs/{belief.pk}/contradict", own).status_code == 404
    refused = api_of(operator).post(f"intent-plans/{plan.pk}/beliefs/{belief.pk}/contradict", contradict)
    assert refused.status_code == 403
    plan.refresh_from_db()
    assert plan.state == "awaiting_review"
