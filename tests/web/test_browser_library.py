"""Rules and memory in real Chromium: what is typed is checked in place, and nothing is forgotten by accident."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from agents.models import Workspace
from library import embedding
from library.components import services as components
from library.memory import services as memory
from library.models import Component, Experience
from people.models import User
from tests.browser import arrived, sideways
from tests.library.vectors import WordVectors, install

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
GREET = """RULE greet somebody
IF your task is to greet {name}
CONSIDERING there is no file or folder named {name}
THEN: create the folder {name}
"""


@pytest.fixture(autouse=True)
def word_vectors(monkeypatch: pytest.MonkeyPatch) -> WordVectors:
    return install(monkeypatch)


@pytest.mark.parametrize("width", [1280, 360])
def test_a_rule_is_checked_while_it_is_typed_then_saved_and_tried(
    width: int, operator: User, open_page: OpenPage, make_workspace: Callable[..., Workspace]
) -> None:
    make_workspace(operator)
    page = open_page(operator, "/rules/new/", width=width)
    page.fill("textarea[name=body]", GREET.replace("create the", "dance around the"))
    expect(page.locator("#lint")).to_contain_text("No command is said")
    expect(page.locator("#gutter [data-m=error]")).to_have_text("4")
    page.fill("textarea[name=body]", GREET)
    expect(page.locator("#lint")).to_contain_text("No problems.")
    expect(page.locator("#checked")).to_contain_text('SimpleCoder.mkdir(path="{name}")')
    assert sideways(page) == 0
    page.get_by_role("button", name="Save and activate").click()
    arrived(page, "greet somebody")
    page.fill("#try-goal", "Greet Nora")
    page.get_by_role("button", name="Try").click()
    expect(page.locator("#trial .matrix [data-best]")).to_have_count(1)
    expect(page.locator("#trial")).to_contain_text('SimpleCoder.mkdir(path="Nora")')
    assert "goal=" not in page.url
    assert sideways(page) == 0


@pytest.mark.parametrize("scripts", [True, False])
def test_an_experience_is_found_and_forgotten_with_and_without_scripts(
    scripts: bool, owner: User, open_page: OpenPage
) -> None:
    for number, goal in enumerate(("create a python project", "write a poem"), start=1):
        memory.record(
            goal_ref=str(number),
            owner=owner,
            primary_goal_description=goal,
            final_outcome="success",
            timestamp=timezone.now(),
            initiating_agent_id="mindx",
        )
    embedding.embed_missing()
    page = open_page(owner, "/memory/", width=390, scripts=scripts)
    page.fill("#q", "python project")
    if not scripts:
        page.keyboard.press("Enter")
    expect(page.locator("#found h2")).to_have_text("Closest in meaning")
    first = page.locator("#found li").first
    expect(first).to_contain_text("create a python project")
    with page.expect_navigation():
        first.get_by_role("link", name="Details").click()
    if scripts:
        page.get_by_role("button", name="Forget").click()
        page.get_by_role("button", name="Keep it").click()
        assert Experience.objects.count() == 2
        page.get_by_role("button", name="Forget").click()
    else:
        with page.expect_navigation():
            page.get_by_role("link", name="Forget").click()
        assert Experience.objects.count() == 2
    page.get_by_role("button", name="Forget it").click()
    expect(page.locator("#toasts")).to_contain_text("Forgotten.")
    assert [row.primary_goal_description for row in Experience.objects.all()] == ["write a poem"]


def test_components_are_found_while_one_types(operator: User, owner: User, open_page: OpenPage) -> None:
    components.publish("rule", "greet somebody", GREET, by=operator, status="active")
    components.publish("rule", "meet somebody", GREET.replace("greet", "meet"), by=operator, status="active")
    page = open_page(owner, "/rules/")
    page.locator("#q").press_sequentially("meet")
    expect(page.locator("#found li")).to_have_count(1)
    expect(page.locator("#found")).to_contain_text("1 of 2")
    expect(page.locator("#q")).to_be_focused()
    for kind in Component.Kind.values:
        for work in ("sowing", "reaping"):
            components.publish(
                kind, f"{kind} for {work}", f"a text for {work}\n", by=operator, status="active",
                applicability_text=f"{work} as a {kind} does",
            )  # fmt: skip
    embedding.embed_missing()
    page.goto(f"{page.url.partition('/rules/')[0]}/library/")
    task = page.locator("#l-task")
    for kind in Component.Kind.values:
        task.fill("")
        task.press_sequentially(f"reaping as a {kind} does")
        first = page.locator("#found li").first
        expect(first.get_by_role("link", name=f"{kind} for reaping", exact=True)).to_be_visible()
        expect(first.locator("meter")).to_have_attribute("value", "100")
        expect(task).to_be_focused()
    # The kind narrows what is typed, without a click on a button.
    page.select_option("#l-kind", "prompt")
    expect(page.locator("#found li")).to_have_count(2)
