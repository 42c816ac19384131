"""The journal's page in real Chromium: wide and narrow, light and dark, with scripts and without, as axe reads it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from agents.models import IntentPlan
from people.journal import Event
from people.models import User
from review.audit import journal
from review.deciding import decisions
from tests.axe import violations
from tests.browser import chromium, open_page, sideways  # noqa: F401  # the first two are fixtures

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LONG = "averylongwordwithoutspaces" * 12


@pytest.fixture
def full(plan: IntentPlan, judge: User, operator: User) -> IntentPlan:
    """A journal with entries of several kinds, one of them wanting to break out of its column."""
    decisions.reject(plan, by=judge, digest=plan.digest, reason=LONG)
    told = {"before": {"roles": ["submitter"]}, "after": {"roles": ["submitter", "reviewer"]}}
    journal.write(Event.PERSON_CHANGED, by=operator, subject="person:sue", data=told)
    journal.write(Event.LOGIN_FAILED, by=None, subject="nobody", data={"address": "192.0.2.7"})
    journal.write(
        Event.WORKSPACE_FILES, by=judge, subject=f"workspace:{LONG[:80]}", data={"kind": "write", "what": LONG}
    )
    return plan


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    width: int,
    full: IntentPlan,
    operator: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(operator, "/review/audit/", width=width)
    page.locator("details.fold").nth(1).locator("summary").click()
    assert sideways(page) == 0
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == [], scheme
    if folder := os.environ.get("SHOTS"):
        page.emulate_media(color_scheme="light")
        page.screenshot(path=str(Path(folder) / f"journal-{width}.png"), full_page=True)


@pytest.mark.parametrize("scripts", [True, False])
def test_what_was_done_to_a_plan_is_found_and_unfolded(
    scripts: bool,
    full: IntentPlan,
    operator: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(operator, "/review/", width=390, scripts=scripts)
    with page.expect_navigation():
        page.get_by_role("link", name="Journal", exact=True).click()
    page.get_by_label("What").select_option("decision")
    page.get_by_label("Subject").fill(f"plan:{full.pk}")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator(".journal-row")).to_have_count(1)
    expect(page.locator(".journal-line")).to_contain_text(f"Jo Lindt rejected plan {full.pk} of goal {full.goal_id}")
    data = page.locator(".journal-data")
    expect(data).to_be_hidden()
    page.locator("details.fold summary").click()
    expect(data).to_contain_text(full.digest)
