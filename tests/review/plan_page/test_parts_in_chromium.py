"""Choosing a part of a plan and editing a step in real Chromium: wide, on a phone, by keyboard, without scripts."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agents.models import IntentPlan
from people.models import User
from review.deciding import holding
from review.models import Approval, Decision, HeldDecision
from tests.axe import violations
from tests.browser import arrived, chromium, open_page, sideways  # noqa: F401  # two are fixtures
from tests.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]
# Where pictures of the pages go, for somebody to look at; nowhere when it is not set.
SHOTS = os.environ.get("SHOTS", "")
FIVE: tuple[dict[str, Any], ...] = (
    {"tool": "simple_coder", "command": "write", "params": {"path": "one.txt", "content": "first\nsecond\n"}},
    {"tool": "simple_coder", "command": "mkdir", "params": {"path": "notes"}},
    {"tool": "simple_coder", "command": "mkdir", "params": {"path": "other"}},
    {"tool": "simple_coder", "command": "write", "params": {"path": "notes/two.txt", "content": "x"}},
    {"tool": "simple_coder", "command": "write", "params": {"path": "other/three.txt", "content": "y"}},
)


@pytest.fixture
def plan(owner: User, propose_plan: Callable[..., IntentPlan]) -> IntentPlan:
    """Five steps: 4 stands on 2, 5 on 3."""
    return propose_plan(owner, FIVE)


def shot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}-{page.viewport_size['width']}.png")  # type: ignore[index]


def ticked(page: Page) -> list[str]:
    return [box.input_value() for box in page.locator("[data-tick]").all() if box.is_checked()]


@pytest.mark.parametrize("width", [1440, 390])
def test_ticks_bring_and_take_what_stands_on_them_and_the_bar_says_it(
    width: int,
    plan: IntentPlan,
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(reviewer, plan.get_absolute_url(), width=width)
    expect(page.get_by_role("button", name="Approve all 5" if width > 500 else "Approve 5")).to_be_visible()
    expect(page.locator("#intent-2")).to_contain_text("needed by 4")
    shot(page, "all")
    page.get_by_label("Step 2: simple_coder mkdir").uncheck()
    assert ticked(page) == ["1", "3", "5"]
    expect(page.locator("#part-words")).to_have_text("Approve 3 of 5: 1, 3, 5. Left out: 2, 4.")
    page.get_by_label("Step 2: simple_coder mkdir").check()
    assert ticked(page) == ["1", "2", "3", "4", "5"], "what went with it comes back with it"
    page.get_by_label("Step 4: simple_coder write").uncheck()
    page.get_by_label("Step 2: simple_coder mkdir").uncheck()
    page.get_by_label("Step 2: simple_coder mkdir").check()
    assert ticked(page) == ["1", "2", "3", "5"], "what a person took off stays off"
    page.get_by_label("Step 2: simple_coder mkdir").uncheck()
    page.get_by_label("Step 5: simple_coder write").uncheck()
    assert ticked(page) == ["1", "3"]
    expect(page.locator("#intent-3 [data-needed-by]")).to_be_hidden()
    page.get_by_label("Step 4: simple_coder write").check()
    assert ticked(page) == ["1", "2", "3", "4"]
    expect(page.locator("#part-words")).to_have_text("Approve 4 of 5: 1, 2, 3, 4. Left out: 5.")
    expect(page.get_by_role("button", name="Approve all 5")).to_have_count(0)
    page.locator("summary", has_text="Approve 4 of 5").click()
    expect(page.get_by_role("button", name="Approve only the selected steps")).to_be_in_viewport()
    assert sideways(page) == 0
    shot(page, "part")
    assert violations(page) == []
    page.get_by_label("Why not the others?").fill("three.txt is not ours")
    page.get_by_label("Drop them").check()
    page.get_by_role("button", name="Approve only the selected steps").click()
    expect(page.locator("#toasts")).to_contain_text("Steps 1, 2, 3, 4")
    assert [one["position"] for one in Approval.objects.get().intent_plan.left_out] == [5]


def test_a_part_is_approved_by_keyboard_alone(
    plan: IntentPlan,
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(reviewer, plan.get_absolute_url())
    page.locator("body").press("3")
    page.keyboard.press("x")
    assert ticked(page) == ["1", "2", "4"]
    page.keyboard.press("a")
    page.keyboard.type("not the other folder")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#toasts")).to_contain_text("Steps 1, 2, 4")
    assert Approval.objects.get().intent_plan.rest == "plan_again"


def test_without_scripts_the_server_brings_what_is_needed_and_asks_again(
    plan: IntentPlan,
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(reviewer, plan.get_absolute_url(), scripts=False)
    page.get_by_label("Step 2: simple_coder mkdir").uncheck()
    page.locator("summary", has_text="Approve selected").click()
    page.get_by_label("Why not the others?").fill("no folder")
    page.get_by_role("button", name="Approve only the selected steps").click()
    expect(page.locator("[role=alert]").last).to_contain_text("need others that were not selected: 2")
    assert not Decision.objects.exists()
    for number in (2, 4):
        page.locator(f"#intent-{number} input").uncheck()
    page.get_by_role("button", name="Approve only the selected steps").click()
    expect(page.locator("#toasts")).to_contain_text("Steps 1, 3, 5")


def test_panes_that_come_anew_keep_what_was_ticked(
    plan: IntentPlan,
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(reviewer, plan.get_absolute_url())
    page.get_by_label("Step 3: simple_coder mkdir").uncheck()
    page.evaluate(
        """address => htmx.ajax('GET', address, {target: '#panes', swap: 'outerHTML',
        values: {ticks: 5, intents: [...document.querySelectorAll('[data-tick]:checked')].map(box => box.value)}})""",
        f"/review/{plan.pk}/shadow/",
    )
    expect(page.locator("#part-words")).to_have_text("Approve 3 of 5: 1, 2, 4. Left out: 3, 5.")
    assert ticked(page) == ["1", "2", "4"]


@pytest.mark.parametrize("width", [1440, 390])
def test_a_step_is_edited_and_the_revision_says_so(
    width: int,
    plan: IntentPlan,
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(reviewer, plan.get_absolute_url(), width=width)
    page.locator("body").press("e")
    arrived(page, re.compile("Edit step 1"))
    expect(page.locator("[name='p.content']")).to_have_value("first\nsecond\n")
    page.locator("[name='p.path']").fill("../out.txt")
    with page.expect_navigation():
        page.get_by_role("button", name="Save as revision 2").click()
    expect(page.locator(".err")).to_be_visible()
    expect(page.locator("[name='p.path']")).to_have_value("../out.txt")
    assert sideways(page) == 0
    assert violations(page) == []
    shot(page, "edit")
    page.locator("[name='p.path']").fill("uno.txt")
    with page.expect_navigation():
        page.get_by_role("button", name="Save as revision 2").click()
    expect(page.locator(".notice", has_text="edited step 1")).to_contain_text("Rita Holm")
    expect(page.locator("#intent-1 ins")).to_have_text("uno.txt")
    assert sideways(page) == 0
    assert violations(page) == []
    shot(page, "edited")
    page.get_by_role("link", name="What changed").click()
    expect(page.locator(".diff")).to_contain_text("uno.txt")


def test_five_steps_with_boxes_fit_one_screen(plan: IntentPlan, reviewer: User, open_page: OpenPage) -> None:  # noqa: F811
    page = open_page(reviewer, plan.get_absolute_url(), width=1440)
    page.set_viewport_size({"width": 1440, "height": 900})
    assert page.evaluate("document.scrollingElement.scrollHeight - innerHeight") <= 0
    shot(page, "five")


@pytest.mark.parametrize("width", [1440, 390])
def test_a_decision_is_taken_back_while_it_is_held(
    width: int,
    plan: IntentPlan,
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
    settings: Any,
) -> None:
    settings.HOLD_S = 600
    page = open_page(reviewer, plan.get_absolute_url(), width=width)
    with page.expect_navigation():
        page.locator("body").press("a")
    expect(page.locator("#goal-state")).to_contain_text("approved by you, starts in")
    expect(page.locator(".actions .btn-primary")).to_contain_text("Undo")
    assert violations(page) == []
    page.goto(plan.get_absolute_url())
    expect(page.locator("#standing")).to_contain_text("You decided this: approved.")
    expect(page.locator("#plan-state")).to_contain_text("approved by you, starts in")
    left = page.locator("[data-countdown]").inner_text()
    expect(page.locator("[data-countdown]")).not_to_have_text(left)
    assert violations(page) == []
    assert sideways(page) == 0
    expect(page.locator("#decide")).to_be_hidden()
    expect(page.get_by_role("button", name="Undo")).to_have_count(1)
    shot(page, "held")
    page.locator("body").press("z")
    expect(page.locator("#toasts")).to_contain_text(f"Undone. Goal {plan.goal_id} awaits a decision again.")
    assert not Decision.objects.exists()


def test_a_decision_is_taken_back_without_scripts(
    plan: IntentPlan,
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
    settings: Any,
) -> None:
    settings.HOLD_S = 600
    page = open_page(reviewer, plan.get_absolute_url(), scripts=False)
    page.get_by_role("button", name="Approve all 5").click()
    with page.expect_navigation():
        page.get_by_role("button", name="Undo").click()
    expect(page.locator("h1")).to_have_text("Write a note")
    assert not HeldDecision.objects.exists()


def test_the_strip_says_when_the_decision_has_taken_effect(
    plan: IntentPlan,
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
    settings: Any,
) -> None:
    settings.HOLD_S = 5
    page = open_page(reviewer, plan.get_absolute_url())
    page.locator("body").press("a")
    expect(page.locator("#goal-state")).to_contain_text("approved by you, starts in")
    page.goto("/")
    expect(page.locator("#toasts")).to_contain_text(f"Goal {plan.goal_id}, “Write a note”: approved, starts in")
    wait_until(holding.settle_due, what="the end of the hold")
    expect(page.locator("#toasts")).to_contain_text("is approved, starting …")
    IntentPlan.objects.filter(pk=plan.pk).update(state="executing")
    expect(page.locator("#toasts")).to_contain_text("has taken effect")
