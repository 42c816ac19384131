"""Typing into a session in real Chromium, with the real jail behind it: on a desk, on a phone, in both schemes."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from django.db import connection
from playwright.sync_api import Page, expect

from agents.hands import typed
from agents.models import Goal, HandCommand, Workspace
from agents.record.moves import move_goal
from agents.states import GoalState, HandState
from agents.workspaces.stores import store
from people.models import User
from tests.axe import violations
from tests.browser import kept_still, sideways
from tests.cast import person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LONG = "averylongwordwithoutspaces" * 4


@pytest.fixture
def typist(transactional_db: None) -> User:
    return person("tyra", "submitter", "operator", first_name="Tyra", last_name="Lund")


@pytest.fixture
def goal(typist: User, make_goal: Callable[..., Goal]) -> Goal:
    """A goal that waits for a person, so that the page has no reason of its own to ask again."""
    goal = make_goal(typist)
    for state in (GoalState.PLANNING, GoalState.MANUAL):
        move_goal(goal, state, by="a test")
    return goal


@pytest.fixture
def worker(transactional_db: None) -> Iterator[None]:
    """A worker beside the browser: carries out whatever waits, until the test ends."""
    over = threading.Event()

    def work() -> None:
        try:
            while not over.wait(0.05):
                for pk in HandCommand.objects.filter(state=HandState.WAITING.value).values_list("pk", flat=True):
                    typed.work(pk)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    over.set()
    HandCommand.objects.filter(state=HandState.RUNNING.value).update(cancel_requested=True)
    thread.join(timeout=60)
    assert not thread.is_alive()


def _paths(goal: Goal) -> list[str]:
    head = Workspace.objects.get(pk=goal.workspace_id).head
    return sorted(entry.path.decode() for entry in store().entries(head))


@pytest.mark.parametrize("width", [1280, 390])
def test_a_person_types_watches_stops_and_goes_back(
    width: int, goal: Goal, typist: User, worker: None, open_page: OpenPage
) -> None:
    page = open_page(typist, f"/goals/{goal.pk}/session/", width=width)
    field, log = page.locator("#typed-text"), page.locator("#goal-transcript")
    field.fill("mkdir notes")
    field.press("Enter")
    expect(log).to_contain_text("./ $ mkdir notes")
    expect(page.locator("#goal-typed")).to_contain_text("succeeded")
    expect(field).to_have_value("")
    expect(field).to_be_focused()
    field.fill("cd notes")
    field.press("Enter")
    expect(page.locator("#typed-prompt")).to_contain_text("./notes $")
    # What is half typed survives that the page follows the session.
    field.fill("run python -c 'import time; print(\"so far\", flush=True); time.sleep(60)'")
    field.press("Enter")
    expect(log).to_contain_text("so far")
    field.fill("half ty")
    expect(page.locator("#typed-now")).to_contain_text(re.compile(r"running for ([2-9]|\d\d) s"))
    expect(field).to_have_value("half ty")
    with page.expect_navigation():
        page.get_by_role("button", name="Cancel", exact=True).last.click()
    expect(page.locator("#goal-typed")).to_contain_text("cancelled by Tyra Lund")
    expect(page.locator("#typed-now")).to_have_count(0)
    assert _paths(goal) == ["notes"]
    assert sideways(page) == 0
    with page.expect_navigation():
        page.get_by_role("link", name="Compare the files before and after mkdir notes").click()
    expect(page.locator("main")).to_contain_text("notes")
    page.go_back()
    with page.expect_navigation():
        page.get_by_role("link", name="Go back to the files before mkdir notes").click()
    page.locator("main").get_by_role("button").last.click()
    expect(page.locator("main")).to_contain_text("Tyra Lund went back to")
    assert _paths(goal) == []


def test_a_button_that_is_pressed_while_the_page_follows_stays_until_it_is_let_go(
    goal: Goal, typist: User, worker: None, open_page: OpenPage
) -> None:
    page = open_page(typist, f"/goals/{goal.pk}/session/")
    page.locator("#typed-text").fill("run python -c 'import time; time.sleep(60)'")
    page.keyboard.press("Enter")
    expect(page.locator("#typed-now")).to_contain_text("running for")
    page.locator("#typed-cancel").hover()
    page.mouse.down()
    for _ in range(2):  # the answer to what was asked before, and one that comes while the button is down
        with page.expect_response(re.compile(r"/session/\?seen=")) as answer:
            pass
        answer.value.finished()
    with page.expect_navigation():
        page.mouse.up()
    expect(page.locator("#goal-typed")).to_contain_text("cancelled by Tyra Lund")


def test_the_arrows_bring_back_what_was_typed_and_leave_half_a_word_alone(
    goal: Goal, typist: User, worker: None, open_page: OpenPage
) -> None:
    page = open_page(typist, f"/goals/{goal.pk}/session/")
    field = page.locator("#typed-text")
    for number, text in enumerate(("mkdir a", "mkdir b"), 1):
        field.fill(text)
        field.press("Enter")
        expect(page.locator("#goal-typed li")).to_have_count(number)
    for key, value in (
        ("ArrowUp", "mkdir b"),
        ("ArrowUp", "mkdir a"),
        ("ArrowUp", "mkdir a"),
        ("ArrowDown", "mkdir b"),
    ):
        field.press(key)
        expect(field).to_have_value(value)
    field.press("ArrowDown")
    expect(field).to_have_value("")
    field.press_sequentially("mk")
    field.press("ArrowUp")
    expect(field).to_have_value("mk")


def test_a_refused_line_stays_and_says_why_and_the_tick_is_for_one_command(
    goal: Goal, typist: User, worker: None, open_page: OpenPage
) -> None:
    page = open_page(typist, f"/goals/{goal.pk}/session/")
    field = page.locator("#typed-text")
    field.fill("frobnicate")
    field.press("Enter")
    expect(page.locator("#typed-problem")).to_contain_text("There is no command 'frobnicate'")
    expect(field).to_have_value("frobnicate")
    for text, tick, outcome in (
        ("write a x", False, "succeeded"),
        ("rm a", False, "failed"),
        ("rm a", True, "succeeded"),
    ):
        field.fill(text)
        if tick:
            page.get_by_label("This command may delete").check()
        field.press("Enter")
        expect(page.locator("#goal-typed li").first).to_contain_text(text)
        expect(page.locator("#goal-typed li").first).to_contain_text(outcome)
        expect(page.locator("#typed-now")).to_have_count(0)
    expect(page.get_by_label("This command may delete")).not_to_be_checked()
    assert _paths(goal) == []


def test_without_scripts_the_form_works_all_the_same(
    goal: Goal, typist: User, worker: None, open_page: OpenPage, until: Callable[..., None]
) -> None:
    page = open_page(typist, f"/goals/{goal.pk}/session/", scripts=False)
    page.locator("#typed-text").fill("mkdir plain")
    with page.expect_navigation():
        page.get_by_role("button", name="Run", exact=True).click()
    until(lambda: _paths(goal) == ["plain"], what="the command carried out")
    page.reload()
    expect(page.locator("#goal-typed")).to_contain_text("mkdir plain")


@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    width: int, goal: Goal, typist: User, worker: None, open_page: OpenPage
) -> None:
    page = open_page(typist, f"/goals/{goal.pk}/session/", width=width)
    field = page.locator("#typed-text")
    for text in (f"mkdir {LONG}", f"cd {LONG}", f"run python -c 'print(\"{LONG}\")'"):
        field.fill(text)
        field.press("Enter")
        expect(page.locator("#goal-typed li").first).to_contain_text(text[:40])
        expect(page.locator("#typed-now")).to_have_count(0)
    page.locator(".typing-help summary").click()
    field.fill("frobnicate")
    field.press("Enter")
    expect(page.locator("#typed-problem")).to_be_visible()
    field.fill("run python -c 'import time; time.sleep(60)'")
    field.press("Enter")
    expect(page.locator("#typed-cancel")).to_be_visible()
    page.locator(".typing-help summary").click()
    assert sideways(page) == 0
    with kept_still(page, re.compile(r"/session/\?seen=")):
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == [], scheme
    with page.expect_navigation():
        page.locator("#typed-cancel").click()
    expect(page.locator("#typed-now")).to_have_count(0)
