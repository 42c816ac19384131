"""What can still be undone stands beside the next plan, and hides neither what it is nor the buttons for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from agents.models import IntentPlan
from people.models import User
from review.deciding import holding
from review.deciding.ruling import Ruling
from tests.browser import chromium, open_page  # noqa: F401  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]
# Where pictures of the pages go, for somebody to look at; nowhere when it is not set.
SHOTS = os.environ.get("SHOTS", "")


def shot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}-{page.viewport_size['width']}.png")  # type: ignore[index]


def box(part: Locator) -> FloatRect:
    found = part.bounding_box()
    assert found is not None
    return found


def over(one: FloatRect, other: FloatRect) -> bool:
    return (
        one["x"] < other["x"] + other["width"]
        and other["x"] < one["x"] + one["width"]
        and one["y"] < other["y"] + other["height"]
        and other["y"] < one["y"] + one["height"]
    )


@pytest.mark.parametrize("width", [1440, 1100, 800, 390])
def test_three_held_decisions_cover_neither_the_head_of_a_plan_nor_its_buttons(
    width: int,
    propose_plan: Callable[..., IntentPlan],
    owner: User,
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
    settings: Any,
) -> None:
    settings.HOLD_S = 600
    plans = [propose_plan(owner) for _ in range(4)]
    for plan in plans[:3]:
        holding.decide(plan, Ruling("approve", plan.digest), by=reviewer)
    page = open_page(reviewer, plans[3].get_absolute_url(), width=width)
    toasts = page.locator("#toasts")
    expect(toasts.locator("> .toast")).to_have_count(2)
    shot(page, "toasts")
    for part in (page.locator(".plan-head"), page.locator(".decision")):
        assert not over(box(toasts), box(part))
    page.goto(page.url.split("/review/")[0] + "/review/")
    expect(toasts.locator("> .toast")).to_have_count(2)
    shot(page, "queue")
    last = box(page.locator(".page-filters > *").last)
    assert box(page.locator("#queue"))["y"] - last["y"] - last["height"] < 40, "no room is kept above the tabs"
