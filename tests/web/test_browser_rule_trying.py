"""A person tries rules in Chromium: a pair of sentences, a draft on written beliefs, and what the rules cover."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from agents.cycle import cycle
from agents.models import Goal
from library.components import services
from people.models import User
from tests.library.vectors import install
from tests.web.test_browser_tuning import LONG, looked_at
from tests.web.test_rule_coverage import WAVE
from tests.web.test_rules import GREET

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_pair_a_draft_and_the_coverage_are_looked_at(
    operator: User,
    make_goal: Callable[..., Goal],
    open_page: Callable[..., Page],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(monkeypatch)
    for name, body in (("greet somebody", GREET), ("wave", WAVE)):
        services.publish("rule", name, body, by=operator, status="active")
    for text in ("greet Ada", f"greet {LONG}", "pay the invoices", f"paint {LONG}"):
        cycle.one(make_goal(operator, text).pk)
    page = open_page(operator, "/rules/")
    page.get_by_role("link", name="Try", exact=True).click()
    page.get_by_label("Belief (premise)").fill("The door is not open.")
    page.get_by_label("Condition (hypothesis)").fill("The door is closed.")
    page.get_by_role("button", name="Try").click()
    expect(page.get_by_role("heading", name="Each stage on its own")).to_be_visible()
    found = looked_at(page, "rules-try")
    page.get_by_role("link", name="Coverage").click()
    expect(page.get_by_role("heading", name="A rule serves 2 of 4 goals")).to_be_visible()
    found += looked_at(page, "rules-coverage")
    page.goto("/rules/new/")
    page.get_by_label("Rule text").fill(GREET.replace("somebody", "twice"))
    page.get_by_label("Or another goal").fill(f"greet {LONG}")
    page.get_by_label("Beliefs, one per line").fill(f"There is a folder named {LONG}.\nIt rains.")
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.get_by_text("relevant, not applicable")).to_be_visible()
    page.get_by_text("Every verdict with its stage").click()
    expect(page.get_by_text("structured matcher:")).to_be_visible()
    found += looked_at(page, "rules-draft")
    assert found == []
