"""Issue by issue what a reviewer meets, in real Chromium at both widths, as one day's work over one set of rows.

Here: the dry run, the plan page, the receipt and what changed since, the envelope, the queue, the levels, time.
Decisions are in `test_parts_in_chromium`, policies in `test_policies_in_chromium`, the journal in
`test_journal_in_chromium`, each at the same widths.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from agents.cycle import cycle
from agents.execution import shadow
from agents.goals import goals
from agents.models import Goal, IntentPlan, LevelDocument, Workspace
from agents.plans import shadowing
from agents.states import GoalState, PlanState
from agents.workspaces import workspaces
from people.models import User
from review.models import ReviewClock
from review.notices import notify
from sandbox.store.snapshots import EMPTY
from tests.axe import violations
from tests.browser import chromium, open_page, sideways  # noqa: F401  # the first two are fixtures
from tests.review.plan_page.test_familiar_plan import ended_well, project
from tests.review.plans import MKDIR, WRITE, goal_of, proposed, step
from tests.review.some_levels import asked_choice, switch_on

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]
WIDE = 1440
FIVE = (
    MKDIR,
    WRITE,
    step("toggle_autonomous_mode", on=True),
    step("rm", path="held.txt"),
    step("run", command_line="ls -l"),
)


@pytest.fixture(autouse=True)
def _word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.library.vectors import install

    install(monkeypatch)


@pytest.fixture
def tried(submitter: User) -> IntentPlan:
    """Five steps, one of which deletes, tried in a copy of a workspace; their time is limited."""
    workspace = Workspace.objects.create(name="papers", owner=submitter, head=EMPTY)
    put(workspace, "held.txt")
    plan = proposed(goal_of(submitter, "Tidy the papers", workspace=workspace, priority=4), FIVE)
    shadowing.ask(plan)
    shadow.one()
    soon = timezone.now() + timedelta(minutes=30)
    ReviewClock.objects.create(intent_plan=plan, minutes=60, escalate_at=soon, due_at=soon)
    proposed(goal_of(submitter, "Write a note", priority=1), [WRITE])
    return plan


def put(workspace: Workspace, path: str, content: bytes = b"kept\n") -> None:
    workspaces.put_file(workspace, by=workspace.owner, path=path, source=io.BytesIO(content))
    workspace.refresh_from_db()


def seen(page: Page, name: str) -> None:
    """Nothing is wider than the window; and a picture for people, where a folder for them is named."""
    assert sideways(page) == 0, name
    if folder := os.environ.get("SHOTS"):
        width = page.viewport_size["width"] if page.viewport_size else 0
        page.screenshot(path=Path(folder) / f"{name}-{width}.png")


@pytest.mark.parametrize("width", [WIDE, 390])
def test_a_plan_goes_from_the_queue_to_its_outcome(
    width: int,
    tried: IntentPlan,
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, "/review/", width=width)
    queue_says_what_deletes_first(page)
    with page.expect_navigation():
        page.get_by_role("link", name="Tidy the papers").click()
    plan_fits_with_every_argument(page, width)
    shadow_shows_deletions_first(page)
    time_is_extended(page)
    prediction_goes_stale_and_is_made_again(page, tried)
    approved_with_an_envelope(page, tried)
    delta_is_asked_again(page, tried)
    prediction_is_compared_with_what_happened(page, tried)


def test_a_familiar_plan_opens_by_keyboard_and_without_scripts(
    submitter: User,
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    earlier, plan = project(submitter, "weather"), project(submitter, "tides")
    for one in (earlier, plan):
        shadowing.ask(one)
        shadow.one()
    ended_well(earlier, judge)
    page = open_page(judge, plan.get_absolute_url(), width=390, scripts=False)
    expect(page.locator("#familiar")).to_contain_text("but weather → tides")
    seen(page, "familiar")
    for fold, inside in (
        ("#intent-6 .as-approved", "because the rule says so"),
        ("#limits", "time unless the step says otherwise"),
        ("details:has(#intent-8)", "rm"),
        ("details:has(#why)", "start a project"),
    ):
        within = page.locator(fold).get_by_text(inside).last
        expect(within).not_to_be_visible()
        page.locator(fold).locator("> summary").focus()
        page.keyboard.press("Enter")
        expect(within).to_be_visible()
    seen(page, "familiar-open")
    dark = open_page(judge, plan.get_absolute_url(), scheme="dark")
    assert [one["id"] for one in violations(dark)] == []
    dark.evaluate("for (const one of document.querySelectorAll('#panes details')) one.open = true")
    assert [one["id"] for one in violations(dark)] == []


def queue_says_what_deletes_first(page: Page) -> None:
    expect(page).to_have_title(re.compile(r"^\(2\) Review"))
    expect(page.locator(".qrow").first).to_contain_text("Tidy the papers")
    expect(page.locator(".qrow").first).to_contain_text("Deletes")
    seen(page, "queue")


def plan_fits_with_every_argument(page: Page, width: int) -> None:
    for said in ("notes/one.txt", "held.txt", "ls -l", "first line"):
        expect(page.locator("#panes")).to_contain_text(said)
    if width == WIDE:
        assert page.evaluate("document.scrollingElement.scrollHeight - innerHeight") <= 0
    expect(page.get_by_role("button", name="Approve")).to_be_in_viewport()
    seen(page, "plan")


def shadow_shows_deletions_first(page: Page) -> None:
    files = page.locator("#panes .diff").all_inner_texts()
    text = " ".join(files)
    assert text.index("held.txt") < text.index("notes/one.txt")
    expect(page.locator("#panes")).to_contain_text("The dry run has no network and half the limits")


def time_is_extended(page: Page) -> None:
    expect(page.locator(".plan-meta")).to_contain_text("expires in")
    with page.expect_navigation():
        page.get_by_role("button", name="Extend by 1 h").click()
    expect(page.locator(".plan-meta")).to_contain_text("1 h 2")


def prediction_goes_stale_and_is_made_again(page: Page, plan: IntentPlan) -> None:
    put(plan.workspace, "held.txt", b"other\n")
    page.reload()
    expect(page.locator("#panes")).to_contain_text("changed since")
    seen(page, "stale")
    with page.expect_navigation():
        page.get_by_role("button", name="Repeat dry run").click()
    shadow.one()
    expect(page.locator("#panes")).not_to_contain_text("changed since")


def approved_with_an_envelope(page: Page, plan: IntentPlan) -> None:
    page.get_by_label("Retries of each step").select_option(index=2)
    with page.expect_navigation():
        page.get_by_role("button", name="Approve").click()
    page.goto(plan.get_absolute_url())
    expect(page.locator(".pane-sec", has_text="covers").first).to_contain_text("2 retries")
    seen(page, "receipt")


def delta_is_asked_again(page: Page, plan: IntentPlan) -> None:
    put(plan.workspace, "meanwhile.txt")
    cycle.work(plan.goal_id)
    again = IntentPlan.objects.get(goal=plan.goal_id, state=PlanState.AWAITING_REVIEW)
    shadow.one()
    page.goto(again.get_absolute_url())
    expect(page.locator("#panes")).to_contain_text("Approved before, needs approval again")
    expect(page.locator("#panes")).to_contain_text("meanwhile.txt")
    seen(page, "delta")
    with page.expect_navigation():
        page.get_by_role("button", name="Approve").click()


def prediction_is_compared_with_what_happened(page: Page, plan: IntentPlan) -> None:
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    done = IntentPlan.objects.get(goal=plan.goal_id, state=PlanState.COMPLETE)
    page.goto(done.get_absolute_url())
    expect(page.locator("#panes")).to_contain_text("When it ran, it did exactly what is shown here")
    seen(page, "outcome")


@pytest.mark.parametrize("width", [WIDE, 390])
def test_what_comes_before_the_plan_is_decided_and_told(
    width: int,
    submitter: User,
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    choice = asked_choice(submitter)
    switch_on("design")
    goal = goals.submit(by=submitter, text="Keep the note ebb", design="# How\n\n- In a folder\n- Nothing is deleted")
    notify.sweep()
    page = open_page(judge, "/review/levels/", width=width)
    seen(page, "levels")
    with page.expect_navigation():
        page.get_by_role("link", name="Keep the note ebb").click()
    expect(page.locator("main")).to_contain_text("- Nothing is deleted")
    seen(page, "design")
    with page.expect_navigation():
        page.get_by_role("button", name="Approve").click()
    with page.expect_navigation():
        page.get_by_role("link", name="Keep the note tides").first.click()
    page.get_by_role("radio", name="keep a note as a file").check()
    seen(page, "choice")
    with page.expect_navigation(url="**/goals/*/"):
        page.get_by_role("button", name="Confirm").click()
    assert {one.state for one in LevelDocument.objects.all()} == {"approved"}
    cycle.work(choice.goal_id)
    plan = IntentPlan.objects.get(goal=choice.goal_id)
    notify.sweep()
    page.goto("/review/notices/")
    seen(page, "notices")
    with page.expect_navigation():
        page.get_by_role("link", name="A plan is waiting for your review").first.click()
    expect(page.locator("#panes")).to_contain_text("write")
    expect(page.locator("#panes")).to_contain_text("Reviewed before the plan")
    seen(page, "plan-after-choice")
    assert page.url.endswith(plan.get_absolute_url())
    assert goal.beliefs.filter(sentence="Nothing is deleted", source="person").exists()
