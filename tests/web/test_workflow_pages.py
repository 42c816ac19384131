"""The pages of workflows: who may do what, what they show, and what becomes of a form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse

from agents.components import workflow_library
from agents.evolution.activation import tool_checks
from agents.models import Goal, IntentPlan
from library.models import Component, ComponentVersion
from people.models import User
from tests.agents.bdi.workflows.workflow_texts import GREET, define, execute, text
from tests.agents.toolkit.made_texts import WORD_COUNT
from tests.library.vectors import install

if TYPE_CHECKING:
    from django.test import Client

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], "Client"]


@pytest.fixture(autouse=True)
def _own_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture
def greet(reviewer: User) -> ComponentVersion:
    return workflow_library.save(GREET, by=reviewer)


def address(name: str, version: ComponentVersion, *more: str) -> str:
    return reverse(name, args=[version.component_id, version.pk, *more])


def said(answer: Any) -> str:
    found: str = answer.content.decode()
    return found


def test_a_text_is_saved_by_who_may_and_stays_in_the_editor_otherwise(
    reviewer: User, owner: User, client_of: ClientOf
) -> None:
    refused = client_of(owner).post(reverse("workflow-new"), {"body": GREET})
    assert (refused.status_code, "scenario_name: Greet" in said(refused)) == (403, True)
    assert "Only a reviewer, operator or developer can save it" in said(client_of(owner).get(reverse("workflow-new")))
    wrong = client_of(reviewer).post(reverse("workflow-new"), {"body": GREET.replace("hello", "../../hello", 1)})
    assert (wrong.status_code, "Line 5" in said(wrong)) == (422, True)
    assert not Component.objects.filter(kind="workflow").exists()
    saved = client_of(reviewer).post(reverse("workflow-new"), {"body": GREET})
    version = ComponentVersion.objects.get(component__kind="workflow")
    assert saved.headers["Location"] == f"{reverse('workflow', args=[version.component_id])}?version={version.pk}"


def test_a_long_text_is_kept_whole_though_browsers_send_two_characters_for_the_end_of_a_line(
    reviewer: User, client_of: ClientOf
) -> None:
    body = GREET + "#\n" * 40_000
    client_of(reviewer).post(reverse("workflow-new"), {"body": body.replace("\n", "\r\n")})
    assert ComponentVersion.objects.get(component__kind="workflow").body == body


def test_the_check_while_typing_stores_nothing_and_shows_lines_and_the_graph(owner: User, client_of: ClientOf) -> None:
    body = GREET.replace("simple_coder.read", "simple_coder.raed")
    page = said(client_of(owner).post(reverse("workflow-check"), {"body": body}))
    assert "Line 11: simple_coder has no command “raed”." in page
    assert "Did you mean “read”" in page
    good = said(client_of(owner).post(reverse("workflow-check"), {"body": GREET}))
    assert ("can be processed" in good, good.count('<g class="flow-step"')) == (True, 4)
    assert not Component.objects.filter(kind="workflow").exists()


def test_the_page_shows_text_graph_and_a_form_of_its_parameters(
    greet: ComponentVersion, owner: User, client_of: ClientOf
) -> None:
    page = said(client_of(owner).get(reverse("workflow", args=[greet.component_id])))
    assert 'name="param-name" value="world"' in page
    assert "if {{found.return_code}} == 0" in page
    assert "<title>4: simple_coder.write" in page
    assert "Activate" not in page
    assert reverse("workflow", args=[greet.component_id]) in said(client_of(owner).get(reverse("workflows")))


def test_processing_leads_to_the_review_with_every_value_and_the_graph(
    greet: ComponentVersion, owner: User, client_of: ClientOf
) -> None:
    client = client_of(owner)
    form = {"param-name": "moon", "key": "k1"}
    answer = client.post(address("workflow-process", greet), form)
    plan = IntentPlan.objects.get()
    assert answer.headers["Location"] == plan.get_absolute_url()
    assert client.post(address("workflow-process", greet), form).headers["Location"] == plan.get_absolute_url()
    assert Goal.objects.count() == 1
    page = said(client.get(plan.get_absolute_url()))
    assert "Hello moon" in page
    assert "the value of {{greeting.content}}" in page
    assert f"The workflow Greet {plan.plan.evidence['workflow']['version']} gave these steps" in page
    assert page.count('<g class="flow-step" data-s="pending"') == 4
    goal = said(client.get(plan.goal.get_absolute_url()))
    assert goal.count('<g class="flow-step" data-s="pending"') == 4


def test_a_form_that_makes_no_plan_says_why_and_keeps_what_was_typed(
    reviewer: User, owner: User, outsider: User, client_of: ClientOf, make_workspace: Callable[..., object]
) -> None:
    body = text(execute("simple_coder.mkdir", 'input: {path: "{{params.where}}"}'))
    version = workflow_library.save(body, by=reviewer)
    page = client_of(owner).post(address("workflow-process", version), {"param-where": "../<b>"})
    assert page.status_code == 422
    assert 'value="../&lt;b&gt;"' in said(page)
    assert "No plan was made. Line 3" in said(page)
    assert "needs a value" in said(client_of(owner).post(address("workflow-process", version), {"param-where": ""}))
    make_workspace(outsider, name="theirs")
    form = {"param-where": "a", "workspace": "theirs"}
    assert client_of(owner).post(address("workflow-process", version), form).status_code == 422
    assert not Goal.objects.exists()


def test_a_default_that_was_not_touched_keeps_its_type_and_lists_are_json(
    reviewer: User, owner: User, client_of: ClientOf
) -> None:
    run = execute("simple_coder.run", 'input: {command_line: ls, timeout_s: "{{params.s}}", hosts: "{{params.h}}"}')
    version = workflow_library.save(f"scenario_name: T\nparams: {{s: 9, h: [a.example]}}\nsteps:\n{run}", by=reviewer)
    client = client_of(owner)
    assert client.post(address("workflow-process", version), {"param-h": "{"}).status_code == 422
    client.post(address("workflow-process", version), {"param-s": "9", "param-h": '["b.example"]'})
    assert Goal.objects.get().intent_plans.get().plan.steps[0]["params"]["timeout_s"]["value"] == 9
    assert Goal.objects.get().intent_plans.get().plan.steps[0]["params"]["hosts"]["value"] == ["b.example"]


def test_versions_are_moved_by_who_may_and_by_a_form_only(
    greet: ComponentVersion, reviewer: User, operator: User, client_of: ClientOf
) -> None:
    client_of(reviewer).post(address("workflow-version", greet, "activate"))
    greet.refresh_from_db()
    assert greet.status == "candidate"
    client_of(operator).post(address("workflow-version", greet, "activate"))
    greet.refresh_from_db()
    assert greet.status == "active"
    client_of(operator).post(address("workflow-version", greet, "retire"))
    greet.refresh_from_db()
    assert greet.status == "retired"
    assert client_of(operator).post(address("workflow-version", greet, "explode")).status_code == 404
    assert client_of(operator).get(address("workflow-version", greet, "activate")).status_code == 405


def test_a_defined_tool_is_offered_as_a_candidate_and_processing_waits_for_it(
    reviewer: User, owner: User, client_of: ClientOf
) -> None:
    body = text(define("word_count", WORD_COUNT) + execute("word_count", "input: {path: a.txt}"))
    version = workflow_library.save(body, by=reviewer)
    page = said(client_of(reviewer).get(reverse("workflow", args=[version.component_id])))
    assert "Save word_count as a candidate" in page
    assert "It waits for the tools that it defines" in page
    assert client_of(owner).post(address("workflow-process", version), {}).status_code == 422
    client_of(owner).post(address("workflow-define", version), {"name": "word_count"})
    assert not Component.objects.filter(kind="tool", name="word_count").exists()
    client_of(reviewer).post(address("workflow-define", version), {"name": "word_count"})
    tool = ComponentVersion.objects.get(component__kind="tool", component__name="word_count")
    assert (tool.status, tool.created_by) == ("candidate", reviewer)
    assert tool_checks.of(tool) is not None
    assert client_of(reviewer).post(address("workflow-define", version), {"name": "other"}).status_code == 404
    assert not Goal.objects.exists()


def test_what_people_wrote_stays_text_in_the_picture_and_beside_it(
    reviewer: User, owner: User, client_of: ClientOf
) -> None:
    body = text(execute("simple_coder.write", 'input: {path: a, content: "</text><script>alert(1)</script>"}'))
    version = workflow_library.save(body, by=reviewer)
    page = said(client_of(owner).get(reverse("workflow", args=[version.component_id])))
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
