"""A risky approval asks for the password again, when the operator wants that."""

from __future__ import annotations

import time
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from agents.models import IntentPlan
from people.models import User
from people.own_password import TRIES
from review.deciding import holding
from review.models import Decision, HeldDecision, PlanRisk, QueueEntry
from tests.cast import PASSWORD
from tests.review.plans import tried

pytestmark = pytest.mark.django_db


@pytest.fixture
def plan(owner: User, propose_plan: Callable[..., IntentPlan]) -> IntentPlan:
    return propose_plan(owner)


@pytest.fixture
def judge(reviewer: User, settings: Any) -> User:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.FRESH_LOGIN_MIN = 10
    reviewer.set_password(PASSWORD)
    reviewer.save()
    return reviewer


@pytest.fixture
def browser(judge: User) -> Client:
    """Logged in by the page, and not just now."""
    client = Client()
    client.post("/login/", {"username": judge.username, "password": PASSWORD})
    session = client.session
    session["password_typed_at"] = int(time.time()) - 11 * 60
    session.save()
    return client


def risk(plan: IntentPlan, level: str) -> None:
    rank = ("high", "unknown", "medium", "low").index(level)
    PlanRisk.objects.update_or_create(intent_plan=plan, defaults={"level": level, "rank": rank})


def decide(client: Client, plan: IntentPlan, verdict: str = "approve", **more: Any) -> Any:
    return client.post(f"/review/{plan.pk}/decide/", {"digest": plan.digest, "verdict": verdict, **more})


class _Form(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.fields: dict[str, list[str]] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        said = dict(attrs)
        if tag == "input" and said.get("type") == "hidden" and said.get("name"):
            self.fields.setdefault(str(said["name"]), []).append(str(said.get("value") or ""))


@pytest.mark.parametrize("level", ["high", "unknown", None])
def test_a_risky_approval_asks_and_goes_on_with_what_was_typed(
    level: str | None, plan: IntentPlan, browser: Client
) -> None:
    PlanRisk.objects.all().delete()
    if level is not None:
        risk(plan, level)
    asked = decide(browser, plan, instructions="mind the <gap>", tries="5")
    assert asked.status_code == 422
    assert "Confirm your password" in asked.content.decode()
    assert not Decision.objects.exists()
    kept = _Form(asked.content.decode()).fields
    assert kept["instructions"] == ["mind the <gap>"]
    wrong = browser.post(f"/review/{plan.pk}/decide/", kept | {"own_password": "wrong"})
    assert wrong.status_code == 422
    assert "Wrong password. Try again." in wrong.content.decode()
    assert not Decision.objects.exists()
    assert browser.post(f"/review/{plan.pk}/decide/", kept | {"own_password": PASSWORD}).status_code == 302
    decision = Decision.objects.get()
    assert (decision.verdict, decision.comment) == ("approve", "mind the <gap>")


@pytest.mark.parametrize(
    ("level", "verdict", "minutes"),
    [
        ("low", "approve", 10),
        ("medium", "approve", 10),
        ("high", "reject", 10),
        ("high", "approve", 0),
        ("high", "approve", 12),
    ],
)
def test_nothing_is_asked_otherwise(
    level: str, verdict: str, minutes: int, plan: IntentPlan, browser: Client, settings: Any
) -> None:
    settings.FRESH_LOGIN_MIN = minutes
    risk(plan, level)
    assert decide(browser, plan, verdict, reason="no").status_code == 302
    assert Decision.objects.get().verdict == verdict


def test_once_typed_it_is_not_asked_for_again(plan: IntentPlan, browser: Client) -> None:
    risk(plan, "high")
    decide(browser, plan, own_password=PASSWORD)
    assert Decision.objects.count() == 1
    assert browser.session["password_typed_at"] > time.time() - 60


def test_wrong_passwords_come_to_an_end(plan: IntentPlan, browser: Client) -> None:
    risk(plan, "high")
    for _ in range(TRIES.most):
        assert decide(browser, plan, own_password="wrong").status_code == 422
    assert decide(browser, plan, own_password=PASSWORD).status_code == 429
    changed = {"old_password": PASSWORD, "new_password1": f"{PASSWORD}!", "new_password2": f"{PASSWORD}!"}
    assert browser.post("/account/password/", changed).status_code == 429, "nor by the way of changing it"
    assert not Decision.objects.exists()


def test_a_held_decision_is_asked_about_once(plan: IntentPlan, browser: Client, settings: Any) -> None:
    settings.HOLD_S = 600
    risk(plan, "high")
    decide(browser, plan)
    assert not HeldDecision.objects.exists()
    decide(browser, plan, own_password=PASSWORD)
    held = HeldDecision.objects.get()
    session = browser.session
    session["password_typed_at"] = 0
    session.save()
    HeldDecision.objects.update(due_at=held.due_at.replace(year=2020))
    holding.settle_due()
    assert Decision.objects.get().verdict == "approve"


def test_several_at_once_are_asked_about_when_one_is_risky(
    owner: User, propose_plan: Callable[..., IntentPlan], browser: Client
) -> None:
    plans = [propose_plan(owner), propose_plan(owner)]
    for plan in plans:
        tried(plan, added=["x"])
    risk(plans[0], "low")
    risk(plans[1], "high")
    entry = QueueEntry.objects.get(intent_plan=plans[0])
    address = f"/review/groups/{entry.shape}/{entry.trial}/"
    page = browser.get(address).content.decode()
    members = [part.split('"', 1)[0] for part in page.split('name="member" value="')[1:]]
    assert len(members) == 2
    asked = browser.post(f"{address}decide/", {"verdict": "approve", "member": members})
    assert asked.status_code == 422
    assert _Form(asked.content.decode()).fields["member"] == members
    assert not Decision.objects.exists()


def test_a_token_is_not_asked(plan: IntentPlan, judge: User, api_of: Any) -> None:
    risk(plan, "high")
    assert api_of(judge).post(f"intent-plans/{plan.pk}/approve", {"digest": plan.digest}).status_code == 202
