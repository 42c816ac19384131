"""Operators in Chromium: classes are corrected, ways pinned and banned and let go, what was learned begun anew."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from agents.bdi.recovery.failures import Facts, FailureClass
from agents.bdi.recovery.strategies import ALTERNATIVE, RETRY
from agents.models import FailureRecord, Goal
from agents.recovery import recovery_learning
from people.models import User
from tests.browser import COVERED
from tests.web.test_browser_tuning import looked_at

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_facts_of_a_failure_open_under_its_row_and_its_class_is_corrected(
    owner: User, operator: User, make_goal: Callable[..., Goal], open_page: Callable[..., Page]
) -> None:
    facts = Facts(tool="simple_coder", command="run", exit_code=3)
    failure = FailureRecord.objects.create(
        goal=make_goal(owner), stage="execution", tool="simple_coder", command="run", facts=facts.to_json(),
        classified_as="TOOL_EXECUTION_ERROR", failure_class="TOOL_EXECUTION_ERROR", reason="exit code 3",
        strategy="retry_with_delay",
    )  # fmt: skip
    page = open_page(operator, "/recovery/failures/")
    assert page.evaluate(COVERED) == []
    page.get_by_text("Facts and class").click()
    page.get_by_role("region", name="Failures").get_by_label("Class").select_option("NETWORK_ERROR")
    page.get_by_label("Why").fill("the net was down")
    page.get_by_role("button", name="Correct the class").click()
    page.get_by_text("TOOL_EXECUTION_ERROR → NETWORK_ERROR by").wait_for()
    failure.refresh_from_db()
    assert failure.failure_class == "NETWORK_ERROR"


@pytest.fixture
def learned(owner: User, make_goal: Callable[..., Goal]) -> list[FailureRecord]:
    """Twelve failures of the network that a retry helped nine times, the first ones, and four that it did not."""
    goal, found = make_goal(owner), []
    for number in range(12):
        found.append(
            FailureRecord.objects.create(
                goal=goal,
                stage="execution",
                tool="simple_coder",
                command="run",
                facts={},
                reason="no route to host",
                classified_as="NETWORK_ERROR",
                failure_class="NETWORK_ERROR",
                strategy="retry_with_delay",
                succeeded=number < 9,
                settled_at=goal.created_at + timedelta(minutes=number),
            )
        )
    recovery_learning.rebuild({("NETWORK_ERROR", "simple_coder", "retry_with_delay")})
    return found


def test_a_way_is_banned_pinned_and_let_go_again(
    learned: list[FailureRecord], operator: User, open_page: Callable[..., Page]
) -> None:
    def policy() -> tuple[str, set[str]]:
        row = recovery_learning.policy_of(FailureClass.NETWORK_ERROR, "simple_coder")
        return str(row.pinned or ""), {str(one) for one in row.banned}

    def saved() -> None:
        page.get_by_role("button", name="Try on past cases").click()
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("It is used from the next decision on.")).to_be_visible()

    page = open_page(operator, "/recovery/")
    cell = page.get_by_role("row", name="NETWORK_ERROR").get_by_role("link").first
    expect(cell).to_contain_text("75 %")
    expect(cell).to_contain_text("n = 12")
    expect(cell).to_contain_text("47 to 91 %")
    page.get_by_role("link", name="Pin or ban").click()
    page.get_by_label("Class", exact=True).select_option("NETWORK_ERROR")
    page.locator("#t-tool").select_option("simple_coder")
    page.get_by_role("group", name="Banned").get_by_label("retry with delay", exact=True).check()
    found = looked_at(page, "ban-writing")
    saved()
    assert policy() == ("", {str(RETRY)})
    here = page.url
    page.goto(here.split("/tuning/")[0] + "/recovery/?tool=simple_coder")
    expect(cell.get_by_text("banned")).to_have_count(1)
    found += looked_at(page, "ban-on-the-board")
    page.goto(here)
    page.get_by_role("group", name="Banned").get_by_label("retry with delay", exact=True).uncheck()
    page.get_by_label("Pinned").select_option(str(ALTERNATIVE))
    saved()
    assert policy() == (str(ALTERNATIVE), set())
    found += looked_at(page, "pin-and-its-history")
    page.get_by_label("Pinned").select_option("")
    saved()
    assert policy() == ("", set())
    page.goto(here.split("/tuning/")[0] + "/recovery/?tool=simple_coder")
    expect(page.get_by_text("nothing is pinned or banned any more")).to_be_visible()
    expect(cell.get_by_text("banned")).to_have_count(0)
    found += looked_at(page, "ban-lifted")
    assert found == []


def test_what_was_learned_fades_as_the_discount_says(
    learned: list[FailureRecord], operator: User, open_page: Callable[..., Page]
) -> None:
    page = open_page(operator, "/recovery/time/?failure_class=NETWORK_ERROR&tool=simple_coder")
    expect(page.get_by_text("n = 12")).to_be_visible()
    before = page.get_by_text("counting as").inner_text()
    found = looked_at(page, "decay-before")
    page.goto(page.url.split("/recovery/")[0] + "/tuning/recovery_setting/discount/")
    page.get_by_role("textbox", name="Value").fill("0.9")
    page.get_by_role("button", name="Try on past cases").click()
    found += looked_at(page, "decay-tried")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("It is used from the next decision on.")).to_be_visible()
    page.goto(page.url.split("/tuning/")[0] + "/recovery/time/?failure_class=NETWORK_ERROR&tool=simple_coder")
    expect(page.get_by_text("n = 12")).to_be_visible()
    after = page.get_by_text("counting as").inner_text()
    found += looked_at(page, "decay-after")
    assert after != before
    assert float(after.rpartition(" ")[2]) < float(before.rpartition(" ")[2])
    assert found == []


def test_what_was_learned_begins_anew_is_told_and_is_taken_back(
    learned: list[FailureRecord], operator: User, admin: User, open_page: Callable[..., Page]
) -> None:
    page = open_page(operator, "/recovery/")
    page.get_by_label("Class", exact=True).select_option("NETWORK_ERROR")
    page.locator("#r-tool").select_option("simple_coder")
    page.get_by_label("Why", exact=True).fill("A new router.")
    page.get_by_role("button", name="Reset the statistics").click()
    expect(page.get_by_text("The statistics start over.")).to_be_visible()
    row = page.get_by_role("row", name="NETWORK_ERROR")
    expect(row.get_by_text("n = 12")).to_have_count(0)
    expect(page.get_by_text("A new router.")).to_be_visible()
    found = looked_at(page, "reset")
    page.get_by_role("button", name="Undo the reset of NETWORK_ERROR").click()
    expect(page.get_by_text("The cases before the reset count again")).to_be_visible()
    expect(row.get_by_role("link").first).to_contain_text("n = 12")
    expect(page.get_by_role("region", name="Start over").get_by_text("undone")).to_be_visible()
    found += looked_at(page, "reset-taken-back")
    journal = open_page(admin, "/review/audit/")
    expect(journal.get_by_text("begins anew: A new router.")).to_be_visible()
    expect(journal.get_by_text("is taken back")).to_be_visible()
    found += looked_at(journal, "reset-in-the-journal")
    assert found == []
