"""The way back leads to pages: what HTMX got under the same address is never shown in place of one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from agents.components import rules
from agents.models import IntentPlan
from agents.rules.starter import starter_files
from library.components.services import load_starters
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
OpenPage = Callable[..., Page]


@pytest.fixture
def some_rules(db: None) -> None:
    load_starters(rules.starters(starter_files()[:4]))


@pytest.mark.browser
@pytest.mark.usefixtures("some_rules")
def test_back_from_a_rule_that_was_searched_for_shows_the_page_with_the_search(
    reviewer: User, open_page: OpenPage
) -> None:
    page = open_page(reviewer, "/rules/")
    search = page.get_by_role("searchbox")
    with page.expect_response("**/rules/?q=*"):
        search.fill("a")
    page.wait_for_url("**/rules/?q=a")
    with page.expect_navigation():
        page.locator("main .row-title").first.click()
    page.go_back()
    expect(page.get_by_role("heading", name="Rules", exact=True)).to_be_visible()
    expect(search).to_have_value("a")
    with page.expect_response("**/rules/?q=zzz*"):
        search.fill("zzz")
    page.wait_for_url("**/rules/?q=zzz")
    with page.expect_event("load"):
        page.evaluate("history.back()")
    expect(search).to_have_value("a")
    expect(page.locator("main")).to_have_count(1)


@pytest.mark.browser
def test_back_to_the_queue_that_refreshed_itself_shows_the_queue(
    owner: User, reviewer: User, open_page: OpenPage, propose_plan: Callable[..., IntentPlan]
) -> None:
    propose_plan(owner)
    page = open_page(reviewer, "/review/")
    with page.expect_response("**/review/"):
        page.evaluate("htmx.ajax('GET', '/review/', {target: '#queue', swap: 'outerHTML'})")
    page.locator("#queue .row-title").first.click()
    page.wait_for_url("**/review/*/")
    page.go_back()
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    expect(page.locator("#queue")).to_be_visible()


@pytest.mark.parametrize("address", ["/", "/review/", "/rules/", "/memory/", "/goals/"])
def test_caches_keep_page_and_fragment_apart(address: str, reviewer: User, client_of: Callable[[User], Client]) -> None:
    assert {"HX-Request", "HX-Target"} <= set(client_of(reviewer).get(address).headers["Vary"].split(", "))
