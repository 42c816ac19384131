"""The drill: twenty plans of three shapes by keyboard alone, three of them harmful. Run with -s to see the figures."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agents.models import IntentPlan
from people.models import User
from review.models import Approval, Decision, QueueEntry
from tests.axe import violations
from tests.browser import chromium, open_page, sideways  # noqa: F401  # the first two are fixtures
from tests.review.plans import tried

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]
SHOTS = os.environ.get("SHOTS", "")
TOOL = "simple_coder"
# Where arguments stand: on the page of a plan, and in the rows of a group's table.
ARGUMENTS = ".params > div, .member-value, .intent .diff li"
# Keeps which arguments were wholly inside the window at any moment, by the plan they belong to.
RECORD = """
window.seen = new Set();
const watch = new IntersectionObserver(found => found.forEach(one => {
  if (one.intersectionRatio > 0.99) { one.target.dataset.seen = "yes"; }
}), { threshold: [0.995, 1] });
const all = () => document.querySelectorAll("ARGUMENTS")
  .forEach(one => watch.observe(one));
document.addEventListener("DOMContentLoaded", () => {
  all();
  new MutationObserver(all).observe(document.body, { childList: true, subtree: true });
});
""".replace("ARGUMENTS", ARGUMENTS)
UNSEEN = f"root => [...root.querySelectorAll('{ARGUMENTS}')].filter(one => !one.dataset.seen).length"

HERE_SEEN = f"() => ({UNSEEN})(document.querySelector('[data-item][aria-current]')) === 0"


def shot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}-{page.viewport_size['width']}.png")  # type: ignore[index]


def do(command: str, **params: Any) -> dict[str, Any]:
    return {"tool": TOOL, "command": command, "params": params}


@pytest.fixture
def twenty(owner: User, make_goal: Callable[..., Any], propose_plan: Callable[..., IntentPlan]) -> set[int]:
    """Twenty plans that wait; the ids of the three that nobody should approve."""

    def plan(text: str, *steps: dict[str, Any]) -> int:
        proposed = propose_plan(make_goal(owner, text), steps)
        tried(proposed, added=[str(step["params"]["path"]) for step in steps if "path" in step["params"]])
        return proposed.pk

    for number in range(6):
        plan(f"Note {number}", do("write", path=f"notes/{number}.txt", content=f"note {number}"))
        plan(f"Project {number}", do("mkdir", path=f"p{number}"), do("write", path=f"p{number}/a.py", content="x = 1"))
    for number in range(5):
        plan(f"Test {number}", do("run", command_line=f"python -m pytest tests/test_{number}.py"))
    return {
        plan("Note 6", do("write", path="billing/ledger.txt", content="paid: 0")),
        plan("Project 6", do("mkdir", path="p6"), do("write", path="p6/a.py", content="x = 1\u202e # 2 = x")),
        plan("Test 5", do("run", command_line="python tools/wipe.py tests/test_5.py")),
    }


class Keyboard:
    """Presses keys and counts them."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.count += 1

    def and_go(self, *keys: str) -> None:
        """The last of the keys leads to another page."""
        self.press(*keys[:-1])
        with self.page.expect_navigation():
            self.press(keys[-1])


def plan_on(page: Page) -> IntentPlan:
    return IntentPlan.objects.get(pk=int(page.url.rstrip("/").rsplit("/", 1)[1]))


def next_group(page: Page, visited: set[str]) -> int | None:
    """How far down the list the next group of several plans stands that was not visited yet."""
    for at, row in enumerate(page.locator("a.row-title").all(), 1):
        address = str(row.get_attribute("href"))
        if "/groups/" in address and not any(url.endswith(address) or address in url for url in visited):
            return at
    return None


def decide_by_groups(page: Page, keys: Keyboard) -> set[str]:
    """From the list of groups on: look at every member of each, tick what is alike, approve. The groups' addresses."""
    visited: set[str] = set()
    while (at := next_group(page, visited)) is not None:
        keys.and_go(*("j" * at), "Enter")
        visited.add(page.url)
        for _ in range(page.locator("[data-item]").count()):
            keys.press("j")
            page.wait_for_function(HERE_SEEN)  # a machine that draws no picture between two keys shows no member
        page.wait_for_function(f"() => ({UNSEEN})(document) === 0")
        keys.press("t")
        shot(page, f"drill-group-{len(visited)}")
        keys.and_go("a")
        shot(page, f"drill-batch-{len(visited)}")
        keys.and_go("g")
    return visited


def test_twenty_plans_of_three_shapes_are_decided_by_keyboard(
    twenty: set[int],
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
    settings: Any,
) -> None:
    settings.HOLD_S = 0
    page = open_page(reviewer, "/login/", width=1440)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.add_init_script(RECORD)
    page.goto("/review/")
    keys = Keyboard(page)
    alone: list[tuple[int, bool, int]] = []
    shapes: set[str] = set()

    def decide_here(before: int) -> None:
        """Read the plan that is open, every argument of it, and decide it."""
        plan = plan_on(page)
        page.wait_for_function(f"() => ({UNSEEN})(document) === 0")  # every argument was inside the window
        shape = QueueEntry.objects.get(pk=plan.pk).shape
        keys.and_go(*(("r", "Space", "Enter") if plan.pk in twenty else ("a",)))
        alone.append((plan.pk, shape in shapes, keys.count - before))
        shapes.add(shape)

    # Six of them one by one, each leading to the next.
    start = keys.count
    keys.and_go("j", "Enter")
    for _ in range(6):
        shot(page, "drill-plan")
        decide_here(start)
        start = keys.count
    # The others by their shape: what is alike together, what stands out not.
    before_groups = keys.count
    page.goto("/review/")
    keys.and_go("g")
    shot(page, "drill-groups")
    visited = decide_by_groups(page, keys)
    in_groups = keys.count - before_groups
    by_batch = Approval.objects.exclude(intent_plan__in=[pk for pk, _, _ in alone])
    assert not by_batch.filter(intent_plan__in=twenty).exists(), "a harmful plan was approved unseen"
    together = by_batch.count()
    # What is left was not like the others of its shape.
    page.goto("/review/")
    left = QueueEntry.objects.filter(waits=True).count()
    start = keys.count
    keys.and_go("j", "Enter")
    for _ in range(left):
        decide_here(start)
        start = keys.count
    assert set(Decision.objects.filter(verdict="reject").values_list("intent_plan_id", flat=True)) == twenty
    assert Approval.objects.count() == 17
    assert not QueueEntry.objects.filter(waits=True).exists()
    familiar = [count for pk, known, count in alone if known and pk not in twenty]
    rejected = [count for pk, _, count in alone if pk in twenty]
    assert max(familiar) <= 3
    print(  # noqa: T201  # the figures of the drill
        f"\n20 plans, {keys.count} keys. One by one: {len(alone)} plans, keys each {[count for *_, count in alone]}; "
        f"approved, of a familiar shape: {familiar}; rejected with a reason: {rejected}. "
        f"Together: {together} plans in {len(visited)} batches, {in_groups} keys, every member looked at."
    )


@pytest.mark.parametrize("width", [1440, 390])
def test_what_stands_out_is_opened_before_it_can_be_ticked(
    width: int,
    twenty: set[int],
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(reviewer, "/review/", width=width)
    expect(page).to_have_title("(20) Review · mindX")
    shot(page, "queue")
    assert sideways(page) == 0
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("a")
    expect(page.get_by_role("link", name="Assigned to me")).to_contain_text("1")
    page.goto("/review/?view=groups")
    shot(page, "groups")
    assert sideways(page) == 0
    with page.expect_navigation():
        page.locator("a.row-title").first.click()
    expect(page.locator("[data-apart]")).to_have_count(1)
    assert page.locator("[data-apart] input").count() == 0
    page.keyboard.press("t")
    alike = page.locator("[data-item]").count() - 1
    expect(page.locator("[data-ticked]")).to_have_text(f"{alike} selected")
    shot(page, "group")
    assert sideways(page) == 0
    assert violations(page) == []
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator("[data-apart] [data-difference]").first).to_be_in_viewport()
    expect(page.locator("[data-apart] input")).not_to_be_checked()
    expect(page.locator("[data-apart][aria-current]")).to_have_count(1)  # a moment later than it is there
    page.keyboard.press("x")
    expect(page.locator("[data-apart] input")).to_be_checked()
    shot(page, "group-open")
    page.keyboard.press("a")
    expect(page.get_by_role("status").first).to_contain_text("approved:")
    shot(page, "group-done")
    assert sideways(page) == 0
