"""What is wrong with an attempt to decide: refused with the reason, nothing changed, and told to the journal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.models import Goal, IntentPlan
from agents.plans import plans
from people import tokens
from people.models import ApiToken, User
from review.models import Approval, AuditEntry, Decision

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]
LONG = "x" * 4_001


@pytest.fixture
def plan(owner: User, propose_plan: Callable[..., IntentPlan]) -> IntentPlan:
    return propose_plan(owner)


def refused() -> list[tuple[str, str]]:
    """Who was refused, and why, as the journal tells it."""
    rows = AuditEntry.objects.filter(event="refused").order_by("pk")
    return [(row.name, row.data["why"]) for row in rows]


def decide(client: Client, plan: IntentPlan, **fields: Any) -> Any:
    return client.post(f"/review/{plan.pk}/decide/", {"digest": plan.digest, "verdict": "approve", **fields})


def nothing_was_decided(plan: IntentPlan) -> bool:
    return IntentPlan.objects.get(pk=plan.pk).state == "awaiting_review" and not Decision.objects.exists()


@pytest.mark.parametrize(
    ("operation", "body", "words"),
    [
        ("approve", {"digets": "x"}, "digets"),
        ("approve", {"tries": 99}, "tries"),
        ("approve", {"intents": ["1"]}, "intents"),
        ("approve", {"alternatives": [{"intent": 1, "alternative": 1, "x": 1}]}, "alternatives"),
        ("approve", {"comment": LONG}, "it has 4,001"),
        ("reject", {"reason": LONG}, "it has 4,001"),
        ("reject", {"reason": "  "}, "few words"),
        ("reject", {"reason": "no \u202e"}, "U+202E"),
        ("request-changes", {"comment": LONG}, "it has 4,001"),
        ("request-changes", {"comment": "x", "verdict": "approve"}, "verdict"),
    ],
)
def test_what_the_api_does_not_take_is_refused_by_its_name_and_told(
    plan: IntentPlan, reviewer: User, api_of: Any, operation: str, body: dict[str, Any], words: str
) -> None:
    answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/{operation}", {"digest": plan.digest, **body})
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert [name for name, _ in refused()] == [reviewer.username]
    assert nothing_was_decided(plan)


@pytest.mark.parametrize(
    "fields",
    [
        {"instructions": LONG},
        {"verdict": "reject", "reason": LONG},
        {"verdict": "request-changes", "comment": LONG},
        {"ticks": "2", "intents": ["1"], "part_reason": LONG},
        {"verdict": "approve-all"},
        {"tries": "six"},
        {"ticks": "2", "intents": ["7"], "part_reason": "x"},
        {"alternatives": ["1.1"]},
    ],
)
def test_what_a_form_cannot_mean_is_refused_at_its_field_and_told(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, fields: dict[str, Any]
) -> None:
    assert decide(client_of(reviewer), plan, **fields).status_code == 422
    ((name, why),) = refused()
    assert name == reviewer.username
    assert why
    assert nothing_was_decided(plan)


@pytest.mark.parametrize("digest", ["", "0" * 64, "F" * 64, "not a digest", "0" * 100_000])
def test_a_forged_digest_decides_nothing_by_form_and_by_api(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, api_of: Any, digest: str
) -> None:
    assert decide(client_of(reviewer), plan, digest=digest).status_code == 409
    for operation, body in (("approve", {}), ("reject", {"reason": "x"}), ("request-changes", {"comment": "x"})):
        address = f"intent-plans/{plan.pk}/{operation}"
        assert api_of(reviewer).post(address, {"digest": digest, **body}).status_code == 409
    told = refused()
    assert len(told) == 4
    assert {why for _, why in told} == {
        "This is not the digest of the plan that awaits a decision. Read the plan again."
    }
    assert nothing_was_decided(plan)


def test_the_digest_of_another_plan_is_a_forged_one(
    plan: IntentPlan, owner: User, reviewer: User, api_of: Any, propose_plan: Callable[..., IntentPlan]
) -> None:
    other = propose_plan(owner, [{"tool": "simple_coder", "command": "ls", "params": {"path": "."}}])
    answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/approve", {"digest": other.digest})
    assert answer.status_code == 409
    assert nothing_was_decided(plan)


def test_ones_own_goal_under_four_eyes_is_refused_everywhere_and_told(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, api_of: Any, settings: Any
) -> None:
    settings.FOUR_EYES = True
    Goal.objects.filter(pk=plan.goal_id).update(submitted_by=reviewer)
    assert decide(client_of(reviewer), plan).status_code == 403
    assert decide(client_of(reviewer), plan, verdict="reject", reason="x").status_code == 403
    assert client_of(reviewer).get(f"/review/{plan.pk}/edit/1/").status_code == 403
    caller, path = api_of(reviewer), f"intent-plans/{plan.pk}"
    assert caller.post(f"{path}/approve", {"digest": plan.digest}).status_code == 403
    assert caller.post(f"{path}/approve", {"digest": plan.digest, "intents": [1], "reason": "x"}).status_code == 403
    assert caller.patch(f"{path}/intents/1", {"digest": plan.digest, "params": {"path": "c"}}).status_code == 403
    assert len(refused()) == 6
    assert all(why.startswith("This goal is yours, and four eyes are required") for _, why in refused() if why)
    assert nothing_was_decided(plan)


def test_a_link_to_a_plan_whose_time_is_over_decides_nothing_and_says_so(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, api_of: Any
) -> None:
    plans.expire(plan, by="review time limit", reason="nobody decided", to_manual=False, still_due=lambda _: True)
    client = client_of(reviewer)
    assert "expired" in client.get(plan.get_absolute_url()).content.decode()
    late = decide(client, plan)
    assert late.status_code == 409
    assert api_of(reviewer).post(f"intent-plans/{plan.pk}/approve", {"digest": plan.digest}).status_code == 409
    assert {why for _, why in refused()} == {"This plan is already expired by review time limit. Nothing was changed."}
    assert not Approval.objects.exists()


def test_the_same_form_twice_decides_once_and_says_who_was_first(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    client = client_of(reviewer)
    assert decide(client, plan).status_code == 302
    again = decide(client, plan)
    assert again.status_code == 409
    assert f"already approved by {reviewer.username}" in again.content.decode()
    assert Decision.objects.count() == 1
    assert len(refused()) == 1


def test_the_same_form_twice_while_it_is_held_is_one_decision(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, settings: Any
) -> None:
    from review.deciding import holding
    from review.models import HeldDecision

    settings.HOLD_S = 600
    client = client_of(reviewer)
    assert [decide(client, plan).status_code for _ in range(2)] == [302, 302]
    HeldDecision.objects.update(due_at=timezone.now())
    holding.settle_due()
    assert Decision.objects.count() == Approval.objects.count() == 1


def test_the_same_call_twice_decides_once_and_with_a_key_answers_the_same(
    plan: IntentPlan, reviewer: User, api_of: Any
) -> None:
    caller, address = api_of(reviewer), f"intent-plans/{plan.pk}/approve"
    first = caller.post(address, {"digest": plan.digest}, Idempotency_Key="one")
    again = caller.post(address, {"digest": plan.digest}, Idempotency_Key="one")
    assert (first.status_code, again.status_code, again.json()["id"]) == (202, 202, first.json()["id"])
    assert caller.post(address, {"digest": plan.digest}).status_code == 409
    other = caller.post(address, {"digest": plan.digest, "comment": "x"}, Idempotency_Key="one")
    assert other.status_code == 422, "a key belongs to one request"
    assert Decision.objects.count() == 1


@pytest.mark.parametrize(
    "address", ["decide/", "withdraw/", "second/", "edit/1/", "extend/", "try-again/", "held/1/undo/"]
)
def test_a_form_without_its_token_does_nothing(plan: IntentPlan, reviewer: User, address: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer, backend="people.backends.SealedPeople")
    body = {"digest": plan.digest, "verdict": "approve", "p.path": "c"}
    assert client.post(f"/review/{plan.pk}/{address}", body).status_code == 403
    assert nothing_was_decided(plan)
    assert IntentPlan.objects.count() == 1


@pytest.mark.parametrize("change", ["is_active", "revoked", "expired", "cookie"])
def test_who_may_not_come_in_any_more_decides_nothing_with_an_old_token(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, change: str
) -> None:
    secret = tokens.issue(reviewer, "old")[1]
    client = Client()
    if change == "is_active":
        User.objects.filter(pk=reviewer.pk).update(is_active=False)
    elif change == "revoked":
        ApiToken.objects.update(revoked_at=timezone.now())
    elif change == "expired":
        ApiToken.objects.update(expires_at=timezone.now())
    else:  # a page's login is none here
        client, secret = client_of(reviewer), ""
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    address = f"/api/v1/intent-plans/{plan.pk}/approve"
    answer = client.post(address, {"digest": plan.digest}, content_type="application/json", headers=headers)
    assert answer.status_code == 401
    assert nothing_was_decided(plan)


def test_a_session_of_somebody_who_was_switched_off_decides_nothing(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    client = client_of(reviewer)
    User.objects.filter(pk=reviewer.pk).update(is_active=False)
    answer = decide(client, plan)
    assert answer.status_code == 302
    assert "login" in answer.headers["Location"]
    assert nothing_was_decided(plan)
