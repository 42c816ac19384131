"""Declared alternatives, and a plan that is asked again, in real Chromium: wide and on a phone, without scripts too."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agents.cycle import cycle
from agents.models import Goal, IntentPlan
from agents.recovery import recovery_learning
from agents.states import PlanState
from people.models import User
from review.models import Approval
from tests.browser import approve, chromium, open_page, sideways  # noqa: F401  # the first two are fixtures

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]


def do(command: str, **params: Any) -> dict[str, Any]:
    return {"tool": "simple_coder", "command": command, "params": params}


STEPS = [
    do("write", path="a.txt", content="one"),
    {
        **do("run", command_line="python -c 'raise SystemExit(3)'"),
        "alternatives": [do("write", path="b.txt", content="two"), do("ls", path=".")],
    },
    do("write", path="c.txt", content="three"),
]


def shot(page: Page, name: str) -> None:
    """Keep a picture for people where SHOTS names a folder."""
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


@pytest.mark.parametrize("width", [1440, 390])
def test_alternatives_stand_in_full_and_what_is_ticked_is_granted(
    owner: User,
    reviewer: User,
    propose_plan: Callable[..., IntentPlan],
    open_page: OpenPage,  # noqa: F811
    width: int,
) -> None:
    plan = propose_plan(owner, STEPS)
    page = open_page(reviewer, plan.get_absolute_url(), width=width)
    assert page.get_by_text("If it fails:").count() == 2
    shot(page, f"alternatives-{width}")
    page.get_by_label("Grant alternative 1 of step 2").check()
    assert not sideways(page)
    approve(page)
    page.wait_for_url("**/goals/**")
    assert Approval.objects.get().envelope == {"tries": 3, "alternatives": [[2, 1]]}


@pytest.mark.parametrize("width", [1440, 390])
def test_a_plan_that_is_asked_again_shows_the_change_and_folds_the_rest(
    owner: User,
    reviewer: User,
    propose_plan: Callable[..., IntentPlan],
    open_page: OpenPage,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    width: int,
) -> None:
    from review.deciding import decisions

    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 0.0)
    plan = propose_plan(owner, STEPS)
    decisions.approve(plan, by=reviewer, digest=plan.digest, tries=1)
    cycle.work(plan.goal_id)
    left = IntentPlan.objects.get(goal=plan.goal_id, state=PlanState.AWAITING_REVIEW)
    page = open_page(reviewer, left.get_absolute_url(), width=width)
    assert page.get_by_role("heading", name="Approved before, needs approval again").is_visible()
    assert page.get_by_text("declared alternative 1 was not granted").first.is_visible()
    # The step that is new is open; the one that is as it was approved is folded and can be opened.
    assert page.get_by_text("two", exact=True).first.is_visible()
    assert not page.get_by_text("three", exact=True).first.is_visible()
    shot(page, f"asked-again-{width}")
    page.get_by_text("as approved in revision 1").click()
    expect(page.get_by_text("three", exact=True).first).to_be_visible()
    assert not sideways(page)
    with page.expect_navigation(url="**/goals/**"):
        page.locator("button[data-key=a]").click()
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == "achieved"
