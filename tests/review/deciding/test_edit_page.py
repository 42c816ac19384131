"""Editing a step in its form: every value as it is, only what was touched changes, and the revision says who did it."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from agents.bdi.plans import document as documents
from agents.models import Goal, IntentPlan
from agents.plans import proposals
from people.models import User
from review.deciding import decisions
from review.models import AuditEntry, Decision

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
Propose = Callable[..., IntentPlan]
CONTENT = "\nfirst\r\n<b>second</b>\n"
STEPS: tuple[dict[str, Any], ...] = (
    {"tool": "simple_coder", "command": "mkdir", "params": {"path": "a"}},
    {"tool": "simple_coder", "command": "write", "params": {"path": "a/one.txt", "content": CONTENT}},
    {"tool": "simple_coder", "command": "run", "params": {"command_line": "python x.py"}},
)


@pytest.fixture
def plan(owner: User, propose_plan: Propose) -> IntentPlan:
    """Three steps that await review."""
    return propose_plan(owner, STEPS)


def address(plan: IntentPlan, position: int = 2) -> str:
    return f"/review/{plan.pk}/edit/{position}/"


def save(client: Client, plan: IntentPlan, position: int = 2, digest: str | None = None, **values: str) -> Any:
    fields = {f"p.{name}": value for name, value in values.items()}
    return client.post(address(plan, position), {"digest": plan.digest if digest is None else digest, **fields})


def browsers(text: str) -> str:
    """A text area's value as a browser sends it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")


def words_of(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def params(plan: IntentPlan, position: int) -> dict[str, Any]:
    return dict(documents.read(bytes(plan.document)).all_intents[position - 1].params)


def test_the_form_holds_every_value_exactly(plan: IntentPlan, reviewer: User, client_of: ClientOf) -> None:
    page = client_of(reviewer).get(address(plan)).content.decode()
    area = re.search(r'<textarea[^>]*name="p.content"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    assert area is not None
    assert unescape(area[1]) == CONTENT
    assert 'value="a/one.txt"' in page


def test_the_first_field_has_the_focus_and_what_was_planned_stands_beside_what_is_typed(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    client = client_of(reviewer)
    page = client.get(address(plan)).content.decode()
    assert page.count("autofocus") == 1
    assert re.search(r'<(?:input|textarea)[^>]*name="p\.[a-z]+"[^>]* autofocus', page)
    refused = save(client, plan, path="../out", content=browsers(CONTENT))
    assert refused.status_code == 422
    assert "Planned: a/one.txt" in words_of(refused)
    assert "1000000000000" not in words_of(client.get(address(plan, 3)))


def test_saving_makes_a_revision_that_says_who_edited_what(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    client = client_of(reviewer)
    response = save(client, plan, path="a/uno.txt", content=browsers(CONTENT))
    revision = IntentPlan.objects.get(goal=plan.goal, revision=2)
    assert response.headers["Location"] == revision.get_absolute_url()
    assert params(revision, 2)["path"] == "a/uno.txt"
    assert params(revision, 2)["content"] == CONTENT, "a browser's line ends are not an edit"
    page = client.get(revision.get_absolute_url())
    assert "Rita Holm edited step 2 of revision 1" in words_of(page)
    assert f"/review/{revision.pk}/compare/1/" in page.content.decode()
    assert "Edited" in words_of(client.get(plan.get_absolute_url()))
    assert list(Decision.objects.values_list("verdict", flat=True)) == ["edit"]


def test_a_value_that_is_wrong_is_named_at_its_field_with_what_was_typed(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    response = save(client_of(reviewer), plan, path="../outside", content="typed by hand")
    assert response.status_code == 422
    page = response.content.decode()
    described = re.search(r'id="hand-h-path">(.*?)</span></span></span>', page, re.DOTALL)
    assert described is not None
    assert "err" in described[1]
    assert 'value="../outside"' in page
    assert "typed by hand" in page
    assert not Decision.objects.exists()


def test_saving_what_is_the_same_changes_nothing(plan: IntentPlan, reviewer: User, client_of: ClientOf) -> None:
    response = save(client_of(reviewer), plan, path="a/one.txt", content=browsers(CONTENT))
    assert response.status_code == 422
    assert "Nothing was changed" in words_of(response)
    # A switch that is off and that the step does not name is nothing that anybody changed.
    response = save(client_of(reviewer), plan, 3, command_line="python x.py", timeout_s="", stdin="", hosts="")
    assert "Nothing was changed" in words_of(response)
    assert Goal.objects.get(pk=plan.goal_id).intent_plans.count() == 1


def test_who_may_not_decide_edits_nothing(
    plan: IntentPlan, owner: User, outsider: User, client_of: ClientOf, reviewer: User, settings: Any
) -> None:
    for person, status in ((owner, 403), (outsider, 404)):
        assert client_of(person).get(address(plan)).status_code == status
        assert save(client_of(person), plan, path="x", content="y").status_code == status
    assert client_of(reviewer).get(address(plan, 9)).status_code == 404
    assert not Decision.objects.exists()


def test_another_digest_saves_nothing_and_keeps_what_was_typed(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    response = save(client_of(reviewer), plan, digest="0" * 64, path="b.txt", content="kept")
    assert response.status_code == 409
    told = AuditEntry.objects.get(event="refused")
    assert (told.by, told.subject) == (reviewer, "page:review-edit")
    assert "changed" in told.data["why"] or "digest" in told.data["why"]
    assert 'value="b.txt"' in response.content.decode()
    assert not Decision.objects.exists()


def test_two_people_at_once_the_one_who_edits_later_is_told(
    plan: IntentPlan, reviewer: User, admin: User, client_of: ClientOf
) -> None:
    decisions.reject(plan, by=admin, digest=plan.digest, reason="no")
    client = client_of(reviewer)
    response = save(client, plan, path="b.txt", content="late")
    assert response.headers["Location"] == plan.get_absolute_url()
    page = words_of(client.get(plan.get_absolute_url()))
    assert "no longer awaits" in page
    assert "rejected , by ada" in page
    assert IntentPlan.objects.filter(goal=plan.goal).count() == 1


def test_editing_to_another_tool_escapes_that_tools_policy(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    """The trap: whatever is sent with the form, tool and command stay, and the whole plan is checked again."""
    response = client_of(reviewer).post(
        address(plan),
        {
            "digest": plan.digest,
            "p.path": "b.txt",
            "p.content": "x",
            "tool": "shell",
            "command": "rm",
            "p.tool": "shell",
            "p.command": "rm",
        },
    )
    assert response.status_code == 302
    revision = IntentPlan.objects.get(goal=plan.goal, revision=2)
    spec = documents.read(bytes(revision.document)).intents[1]
    assert (spec.tool, spec.command) == ("simple_coder", "write")
    assert set(spec.params) <= {"path", "content", "mode"}
    assert revision.state == "awaiting_review", "an edit approves nothing"


def test_after_an_edit_the_agent_tries_its_original_again(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    """The trap: the planner knows that the value is the person's wish, and keeps to it."""
    from agents.plans import earlier_plans, kept_edits

    save(client_of(reviewer), plan, path="a/uno.txt", content=browsers(CONTENT))
    goal = Goal.objects.get(pk=plan.goal_id)
    with transaction.atomic():
        draft, _ = proposals.draft_by_hand(goal, STEPS, [], by=reviewer)
        planned = kept_edits.fitted(goal, draft, earlier_plans.of(goal))
    assert planned.steps[1].params["path"].value == "a/uno.txt"  # type: ignore[union-attr]


def test_a_number_is_a_number_and_nonsense_is_said_at_its_field(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    client = client_of(reviewer)
    bad = save(client, plan, 3, command_line="python x.py", timeout_s="soon")
    assert bad.status_code == 422
    assert "whole number" in words_of(bad)
    assert save(client, plan, 3, command_line="python x.py", timeout_s="45").status_code == 302
    revision = IntentPlan.objects.get(goal=plan.goal, revision=2)
    assert params(revision, 3)["timeout_s"] == 45


def test_hosts_are_words_in_the_form_and_a_list_in_the_plan(
    plan: IntentPlan, reviewer: User, client_of: ClientOf
) -> None:
    client = client_of(reviewer)
    assert save(client, plan, 3, command_line="python x.py", hosts="not a host/").status_code == 422
    assert save(client, plan, 3, command_line="python x.py", hosts="packages, Example.org").status_code == 302
    revision = IntentPlan.objects.get(goal=plan.goal, revision=2)
    assert documents.read(bytes(revision.document)).intents[2].hosts == ("example.org", "packages")
    assert 'value="packages, Example.org"' in client.get(address(revision, 3)).content.decode()
