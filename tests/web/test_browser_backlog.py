"""The backlog in Chromium: a wish is rejected by keyboard, and the stop rules are changed and taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from agents.coordinator import backlog, backlog_taking
from agents.coordinator.backlog import Wish
from agents.mastermind.components import Component
from agents.mastermind.stops import Rules
from agents.models import Agent, BacklogItem, BacklogRules, BacklogTry, Goal
from people.models import User
from tests.browser import COVERED
from tests.library.vectors import install
from tests.web.test_browser_tuning import looked_at

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TOOL = Component("tool", "summarization")


@pytest.fixture(autouse=True)
def first_agent(db: None, monkeypatch: pytest.MonkeyPatch) -> Agent:
    install(monkeypatch)
    return Agent.objects.get_or_create(name="mindx")[0]


def wished(text: str, by: User) -> BacklogItem:
    return backlog.add(Wish(TOOL, text, by=by)).item


def test_a_wish_is_rejected_with_a_reason_and_stays_so(
    owner: User, operator: User, open_page: Callable[..., Page]
) -> None:
    item, other = wished("Sing the summary", owner), wished("Keep the numbers", owner)
    page = open_page(operator, "/mastermind/backlog/")
    assert page.evaluate(COVERED) == []
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("r")
    page.get_by_label("Why?").fill("Nobody asked for songs.")
    found = looked_at(page, "backlog-rejecting")
    page.get_by_role("button", name="Reject selected").click()
    expect(page.get_by_text("1 item rejected.")).to_be_visible()
    expect(page.locator("#backlog").get_by_text("Sing the summary")).to_have_count(0)
    expect(page.locator("#backlog").get_by_text("Keep the numbers")).to_be_visible()
    item.refresh_from_db()
    other.refresh_from_db()
    assert (item.state, item.reason, item.decided_by, other.state) == (
        "rejected", "Nobody asked for songs.", operator, "pending",
    )  # fmt: skip
    page.get_by_role("link", name="rejected").click()
    page.get_by_role("link", name="Sing the summary").click()
    expect(page.get_by_text("Nobody asked for songs.")).to_be_visible()
    found += looked_at(page, "backlog-rejected")
    again = backlog.add(Wish(TOOL, "sing the SUMMARY", by=owner))
    assert (again.is_new, again.item.pk, again.item.state) == (False, item.pk, "rejected")
    assert found == []


def test_stop_rules_are_tried_on_past_tries_saved_and_taken_back(
    owner: User, operator: User, make_goal: Callable[..., Goal], open_page: Callable[..., Page]
) -> None:
    item = wished("Keep the numbers", owner)
    for number in range(3):
        goal = make_goal(owner, f"Improve the summarization tool, try {number}")
        BacklogTry.objects.create(item=item, goal=goal, ended_at=goal.created_at, outcome="not_achieved")
    page = open_page(operator, "/mastermind/backlog/")
    found = looked_at(page, "backlog-with-rules")
    page.get_by_role("link", name="Change or undo").click()
    page.get_by_label("Most tries started in a day").fill("many")
    page.get_by_label("Why").fill("They come too fast.")
    page.get_by_role("button", name="Try on past cases").click()
    expect(page.get_by_text("It is a whole number.")).to_be_visible()
    expect(page.get_by_label("Most tries started in a day")).to_have_value("many")
    expect(page.get_by_label("Why")).to_have_value("They come too fast.")
    found += looked_at(page, "stop-rules-refused")
    page.get_by_label("Most tries started in a day").fill("2")
    page.get_by_role("button", name="Try on past cases").click()
    expect(page.get_by_role("heading", name="1 of 3 would end differently")).to_be_visible()
    assert not BacklogRules.objects.exists()
    found += looked_at(page, "stop-rules-tried")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("It is used from the next decision on.")).to_be_visible()
    assert backlog_taking.stop_rules() == Rules(per_day=2)
    found += looked_at(page, "stop-rules-saved")
    page.get_by_role("button", name="Restore defaults").click()
    expect(page.get_by_text("Version 2")).to_be_visible()
    assert backlog_taking.stop_rules() == Rules()
    assert found == []


def test_what_made_nothing_better_stops_and_goes_on_by_an_operators_word(
    owner: User, operator: User, reviewer: User, make_goal: Callable[..., Goal], open_page: Callable[..., Page]
) -> None:
    item, next_one = wished("Keep the numbers", owner), wished("Name the sources", owner)
    for number, outcome in enumerate(["no_better", "worse"] * 5):
        goal = make_goal(owner, f"Improve the summarization tool, try {number}")
        BacklogTry.objects.create(item=item, goal=goal, ended_at=goal.created_at, outcome=outcome)
    backlog.approve(next_one, by=reviewer)
    stopped = "None of the last 10 items that were tried improved anything."
    page = open_page(owner, "/mastermind/backlog/")
    expect(page.get_by_role("status").filter(has_text=stopped)).to_contain_text("Check the results")
    expect(page.get_by_text("Resume")).to_have_count(0)
    page = open_page(operator, "/mastermind/backlog/")
    found = looked_at(page, "backlog-stopped")
    expect(page.get_by_role("button", name="Start approved")).to_have_count(0)
    page.locator("summary", has_text="Resume").click()
    page.get_by_label("Why resume?").fill("The audit was wrong.")
    found += looked_at(page, "backlog-going-on")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text(stopped)).to_have_count(0)
    page.get_by_role("button", name="Start approved").click()
    expect(page.get_by_text("1 started: goal")).to_be_visible()
    assert Goal.objects.count() == 11
    assert found == []


def test_the_line_brings_back_what_was_typed_and_completes_by_tab(owner: User, open_page: Callable[..., Page]) -> None:
    page = open_page(owner, "/mastermind/")
    line = page.get_by_label("Command mastermind")
    for typed in ("status", "statsu"):
        line.fill(typed)
        with page.expect_navigation():
            line.press("Enter")
    expect(line).to_have_value("statsu")  # it was refused, so it stands there to be put right
    line.press("ArrowUp")
    expect(line).to_have_value("status")
    line.press("ArrowDown")
    line.press("ArrowDown")
    expect(line).to_have_value("")
    line.press_sequentially("agent_l")
    line.press("Tab")
    expect(line).to_have_value("agent_list")
    line.fill("coord_im")
    line.press("Tab")
    expect(line).to_have_value("coord_improve")
    expect(line).to_be_focused()
    line.fill("agent_list")
    line.press("Tab")
    expect(page.get_by_role("button", name="Run")).to_be_focused()
