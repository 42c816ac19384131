"""Asking for changes where no language model reads the comment: the page says so first, and offers the edit."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from html import unescape
from typing import Any

import pytest
from django.test import Client

from agents.bdi.plans import document as documents
from agents.models import Goal, IntentPlan
from people.models import User
from review.models import Decision

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
Propose = Callable[..., IntentPlan]
STEPS: tuple[dict[str, Any], ...] = (
    {"tool": "simple_coder", "command": "mkdir", "params": {"path": "weather"}},
    {"tool": "simple_coder", "command": "write", "params": {"path": "weather/a.txt", "content": "x"}},
)


@pytest.fixture
def plan(owner: User, propose_plan: Propose) -> IntentPlan:
    """Two steps of an agent without a model."""
    return propose_plan(owner, STEPS)


def words_of(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def ask(client: Client, plan: IntentPlan, comment: str, **more: str) -> Any:
    fields = {"verdict": "request-changes", "digest": plan.digest, "comment": comment, **more}
    return client.post(f"/review/{plan.pk}/decide/", fields)


def test_the_page_says_beforehand_what_sending_it_back_leads_to(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    page = words_of(client_of(reviewer).get(plan.get_absolute_url()))
    assert "This agent has no language model, and rules do not read comments." in page
    assert "a new revision comes back" not in page


def test_with_a_model_a_new_revision_is_promised_and_nothing_is_offered_instead(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, settings: Any
) -> None:
    settings.MODEL = "openai/any"
    plan.goal.agent.uses_model = True
    plan.goal.agent.save()
    client = client_of(reviewer)
    assert "a new revision comes back" in words_of(client.get(plan.get_absolute_url()))
    assert ask(client, plan, "change weather to tides").status_code == 302
    assert Decision.objects.get().verdict == Decision.Verdict.REQUEST_CHANGES


def test_a_value_in_the_comment_is_offered_as_an_edit_and_made_in_one_revision(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    client = client_of(reviewer)
    offered = ask(client, plan, "change weather to tides")
    assert offered.status_code == 422
    assert "Your comment names 2 values. Change them in the plan instead?" in words_of(offered)
    assert not Decision.objects.exists()
    made = client.post(
        f"/review/{plan.pk}/edit-as-said/", {"digest": plan.digest, "comment": "change weather to tides"}
    )
    revision = IntentPlan.objects.get(goal=plan.goal, revision=2)
    assert made.headers["Location"] == revision.get_absolute_url()
    steps = documents.read(bytes(revision.document)).all_intents
    assert [spec.params["path"] for spec in steps] == ["tides", "tides/a.txt"]
    assert {param.origin for spec in steps for param in spec.parameters if param.name == "path"} == {"person"}
    edits = Decision.objects.filter(verdict=Decision.Verdict.EDIT)
    assert sorted(one.edits["position"] for one in edits) == [1, 2]
    assert words_of(client.get(revision.get_absolute_url())).count("Rita Holm edited step") == 2


def test_it_may_be_sent_back_anyway(plan: IntentPlan, reviewer: User, client_of: ClientOf) -> None:
    assert ask(client_of(reviewer), plan, "change weather to tides", anyway="1").status_code == 302
    assert Decision.objects.get().verdict == Decision.Verdict.REQUEST_CHANGES


def test_what_the_page_did_not_show_is_not_edited(plan: IntentPlan, reviewer: User, client_of: ClientOf) -> None:
    client, address = client_of(reviewer), f"/review/{plan.pk}/edit-as-said/"
    assert client.post(address, {"digest": "0" * 64, "comment": "change weather to tides"}).status_code == 409
    assert client.post(address, {"digest": plan.digest, "comment": "nothing to see"}).status_code == 422
    assert client.post(address, {"digest": plan.digest, "comment": "change weather to ../out"}).status_code == 422
    own = client_of(plan.goal.submitted_by).post(address, {"digest": plan.digest, "comment": "change weather to tides"})
    assert own.status_code == 403
    assert Goal.objects.get(pk=plan.goal_id).intent_plans.count() == 1


def test_a_document_that_cannot_be_read_is_refused_and_no_error(
    plan: IntentPlan, reviewer: User, client_of: ClientOf, without_guard: Callable[..., AbstractContextManager[None]]
) -> None:
    with without_guard("agents_intentplan", "intent_plan_immutable"):
        IntentPlan.objects.filter(pk=plan.pk).update(document=b"\xff\xfe nothing")
    client = client_of(reviewer)
    assert ask(client, plan, "change weather to tides").status_code == 302, "it may still be sent back"
    sent = {"digest": plan.digest, "comment": "change weather to tides"}
    assert client.post(f"/review/{plan.pk}/edit-as-said/", sent).status_code == 404
