"""What was typed is not lost with the session, by an error or by a way back; and nobody else ever reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from agents.models import Goal, IntentPlan
from people.models import User
from tests.cast import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]
TEXT = "Create a Python project named weather\nwith a test"
KEPT = "Object.keys(sessionStorage).filter((key) => key.startsWith('draft:')).map((key) => sessionStorage[key])"


@pytest.fixture(autouse=True)
def quick_passwords(settings: object, owner: User, reviewer: User, outsider: User) -> None:
    for user in (owner, reviewer, outsider):
        user.set_password(PASSWORD)
        user.save()


def log_in(page: Page, user: User) -> None:
    page.get_by_label("Name").fill(user.username)
    page.get_by_label("Password").fill(PASSWORD)
    with page.expect_navigation():
        page.get_by_role("button", name="Log in").click()


def end_session(page: Page) -> None:
    page.context.clear_cookies(name="sessionid")


def test_a_goal_sent_without_a_session_is_there_after_the_login(owner: User, open_page: OpenPage) -> None:
    page = open_page(owner, "/goals/new/", width=390)
    page.get_by_label("What should be achieved?").fill(TEXT)
    page.get_by_label("Priority").select_option("1")
    end_session(page)
    page.get_by_role("button", name="Submit goal").click()
    expect(page.get_by_text("What you typed is kept in this tab.")).to_be_visible()
    log_in(page, owner)
    expect(page.get_by_label("What should be achieved?")).to_have_value(TEXT)
    expect(page.get_by_label("Priority")).to_have_value("1")
    expect(page.get_by_role("alert")).to_contain_text("it was not stored")
    assert not Goal.objects.exists()
    with page.expect_navigation():
        page.get_by_role("button", name="Submit goal").click()
    assert (Goal.objects.get().text, Goal.objects.get().priority) == (TEXT, 1)
    assert page.evaluate(KEPT) == [], "sent, and so nothing is kept"
    page.goto("/goals/new/")
    expect(page.get_by_label("What should be achieved?")).to_have_value("")


def test_whoever_logs_in_next_reads_nothing_of_it(owner: User, outsider: User, open_page: OpenPage) -> None:
    page = open_page(owner, "/goals/new/")
    page.get_by_label("What should be achieved?").fill(TEXT)
    end_session(page)
    page.get_by_role("button", name="Submit goal").click()
    log_in(page, outsider)
    expect(page.get_by_label("What should be achieved?")).to_have_value("")
    assert page.evaluate(KEPT) == []
    assert page.get_by_role("alert").inner_text() == ""


def test_who_logs_out_leaves_nothing_behind(owner: User, open_page: OpenPage) -> None:
    page = open_page(owner, "/goals/new/")
    page.get_by_label("What should be achieved?").fill(TEXT)
    page.goto("/account/")
    assert len(page.evaluate(KEPT)) == 1
    with page.expect_navigation():
        page.get_by_role("button", name="Log out").click()
    assert page.evaluate(KEPT) == []


def test_what_was_typed_and_left_is_there_again_and_can_be_discarded(owner: User, open_page: OpenPage) -> None:
    page = open_page(owner, "/goals/new/")
    page.get_by_label("What should be achieved?").fill(TEXT)
    page.goto("/goals/")
    page.goto("/goals/new/")
    expect(page.get_by_role("alert")).to_contain_text("It was not sent.")
    expect(page.get_by_label("What should be achieved?")).to_have_value(TEXT)
    page.get_by_role("button", name="Discard it").click()
    expect(page.get_by_label("What should be achieved?")).to_have_value("")
    assert page.evaluate(KEPT) == []


def test_an_error_of_the_server_loses_nothing_and_says_that_it_may_be_stored(owner: User, open_page: OpenPage) -> None:
    page = open_page(owner, "/goals/new/")
    page.get_by_label("What should be achieved?").fill(TEXT)

    def away(route: Route) -> None:
        body = '<!doctype html><title>away</title><script src="/static/drafts.js"></script>'
        route.fulfill(status=503, content_type="text/html", body=body)

    page.route("**/goals/new/", away)
    with page.expect_navigation():
        page.get_by_role("button", name="Submit goal").click()
    page.unroute("**/goals/new/")
    page.goto("/goals/new/")
    expect(page.get_by_label("What should be achieved?")).to_have_value(TEXT)
    expect(page.get_by_role("alert")).to_contain_text("Check whether it was stored")


def test_a_refused_form_comes_with_its_words_and_nothing_else_is_said(owner: User, open_page: OpenPage) -> None:
    page = open_page(owner, "/goals/new/")
    page.get_by_label("What should be achieved?").fill(TEXT)
    page.locator("summary", has_text="deadline").click()
    page.locator("#composer").evaluate(
        "form => { form.noValidate = true; form.elements.priority.add(new Option('9', '9', true, true)); }"
    )
    with page.expect_navigation():
        page.get_by_role("button", name="Submit goal").click()
    expect(page.get_by_label("What should be achieved?")).to_have_value(TEXT)
    assert page.evaluate(KEPT) == []
    expect(page.get_by_text("is still here")).to_have_count(0)


def test_a_request_for_changes_and_a_rule_are_kept_by_the_same_way(
    owner: User,
    reviewer: User,
    open_page: OpenPage,
    make_goal: Callable[..., Goal],
    propose_plan: Callable[..., IntentPlan],
) -> None:
    plan = propose_plan(make_goal(owner, "keep notes"))
    page = open_page(reviewer, plan.get_absolute_url())
    page.get_by_role("button", name="Request changes").or_(
        page.locator("summary", has_text="Request changes")
    ).first.click()
    page.get_by_label("What should change?").fill(TEXT)
    end_session(page)
    page.get_by_role("button", name="Send back").click()
    log_in(page, reviewer)
    expect(page.get_by_label("What should change?")).to_be_visible()
    expect(page.get_by_label("What should change?")).to_have_value(TEXT)
    page.goto("/rules/new/")
    page.get_by_label("Rule text").fill("RULE half")
    end_session(page)
    page.get_by_role("button", name="Save as candidate").click()
    log_in(page, reviewer)
    expect(page.get_by_label("Rule text")).to_have_value("RULE half")
    expect(page.locator("#checked")).to_contain_text("the rule has no trigger")


def test_words_that_came_meanwhile_are_not_written_over(owner: User, open_page: OpenPage) -> None:
    page = open_page(owner, "/rules/new/")
    page.get_by_label("Rule text").fill("RULE mine")
    page.evaluate(
        "const key = Object.keys(sessionStorage).find((one) => one.startsWith('draft:'));"
        "sessionStorage[key] = JSON.stringify({...JSON.parse(sessionStorage[key]), ground: 'as it was'})"
    )
    page.goto("/rules/new/")
    expect(page.get_by_role("alert")).to_contain_text("has changed since")
    expect(page.get_by_label("Rule text")).not_to_have_value("RULE mine")
    page.get_by_role("button", name="Put it back").click()
    expect(page.get_by_label("Rule text")).to_have_value("RULE mine")


def test_what_is_pasted_beyond_the_limit_is_said_to_be_missing(owner: User, open_page: OpenPage, settings: Any) -> None:
    """The browser cuts it off and says nothing: an agent would take the half of a goal for all of it."""
    settings.GOAL_TEXT_MAX = 30
    page = open_page(owner, "/goals/new/")
    text = page.get_by_label("What should be achieved?")
    warning = page.get_by_text("This field takes 30 characters.")
    text.fill("0123456789")
    text.select_text()
    for key in ("Control+c", "End", "Control+v", "Control+v"):
        text.press(key)
    expect(text).to_have_value("0123456789" * 3)
    expect(warning).to_have_count(0)
    text.press("Control+v")
    expect(text).to_have_value("0123456789" * 3)
    expect(warning).to_contain_text("The last 10 of what you pasted were left out.")
    text.select_text()
    text.press("Control+v")
    expect(text).to_have_value("0123456789")
