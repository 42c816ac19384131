"""In Chromium an operator stops everything and lets it go on; the form and the notice hold to axe at every width."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from people.models import User
from tests.web.test_browser_tuning import looked_at

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_everything_is_stopped_for_a_reason_and_let_go_on(operator: User, open_page: Callable[..., Page]) -> None:
    page = open_page(operator, "/agents/")
    page.locator("summary", has_text="Stop everything").press("Enter")
    opens = page.locator("summary", has_text="Stop everything")
    page.get_by_label("Reason, shown to everybody").press("Escape")
    expect(opens).to_be_focused()  # whoever closes a menu by the keyboard goes on where it was opened
    expect(page.get_by_label("Reason, shown to everybody")).to_be_hidden()
    opens.press("Enter")
    found = looked_at(page, "stop-everything")
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        seen = page.locator(".menu-panel").bounding_box()
        assert seen is not None
        assert seen["x"] >= 0, f"all of it is seen at {width}"
        assert seen["x"] + seen["width"] <= width, f"all of it is seen at {width}"
    page.get_by_label("Reason, shown to everybody").fill("the disk is exchanged")
    page.get_by_role("button", name="Stop everything").click()
    expect(page.locator("#standstill")).to_contain_text("the disk is exchanged")
    found += looked_at(page, "standstill")
    page.goto(page.url.replace("/agents/", "/goals/"))
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("#standstill")).to_have_count(0)
    assert found == []
