"""The frame, the overview, the goals and the composer in real Chromium."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Page, Route, expect

from agents.components import rules
from agents.models import Goal
from agents.rules.starter import starter_files
from agents.states import GoalState
from agents.workspaces import workspaces
from library.components.services import load_starters
from mindx_web.operations import health
from people.models import User
from tests.axe import violations
from tests.browser import sideways

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
GoalRows = Callable[..., list[Goal]]

LONG = "A goal about \u202egpj.exe and " + "averylongwordwithoutspaces" * 8


@pytest.fixture(autouse=True)
def well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that are well: what they say of themselves is tested elsewhere."""
    names = ("database", "redis", "worker", "sandbox", "beat", "embeddings")
    parts = tuple(health.Part(name, health.PartState.OK, "fine", {"level": "L3"}) for name in names)
    monkeypatch.setattr(health, "current", lambda: health.Health(parts))


@pytest.mark.parametrize("width", [1280, 390])
def test_a_goal_is_written_previewed_and_submitted_by_keyboard(width: int, owner: User, open_page: OpenPage) -> None:
    load_starters(rules.starters([file for file in starter_files() if file[0] == "python_project.rule"]))
    page = open_page(owner, "/goals/new/", width=width)
    page.locator("h1").click()
    page.keyboard.press("g")
    page.keyboard.type("Create a Python project named weather")
    preview = page.locator("#goal-preview")
    expect(preview).to_contain_text("would plan this")
    expect(preview).to_contain_text("create the folder weather")
    page.locator("#composer .btn-primary").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    goal = Goal.objects.get()
    assert page.url.endswith(f"/goals/{goal.pk}/")
    assert goal.text == "Create a Python project named weather"


def test_choosing_another_workspace_previews_the_goal_in_it(
    owner: User, open_page: OpenPage, make_goal: Callable[..., Goal]
) -> None:
    workspace = make_goal(owner).workspace
    workspaces.put_file(workspace, by=owner, path="notes/a.txt", source=io.BytesIO(b"x"))
    page = open_page(owner, "/goals/new/")
    preview = page.locator("#goal-preview")
    page.select_option("#goal-workspace", workspace.name)
    expect(preview).to_contain_text("How it will be planned")  # without a text, nothing else takes its place
    page.select_option("#goal-workspace", "")
    page.fill("#goal-text", "show me notes/a.txt")
    expect(preview).to_contain_text("mindX will ask")
    page.select_option("#goal-workspace", workspace.name)
    expect(preview).to_contain_text("mindX would plan this as")


def test_two_clicks_on_submit_make_one_goal(owner: User, open_page: OpenPage) -> None:
    page = open_page(owner, "/goals/new/")
    page.fill("#goal-text", "Something that no rule knows")
    page.locator("#composer .btn-primary").dblclick()
    expect(page).to_have_url(re.compile(r"/goals/\d+/$"))
    assert Goal.objects.count() == 1


def test_everything_works_without_scripts(owner: User, open_page: OpenPage, goal_rows: GoalRows) -> None:
    goal_rows(owner, GoalState.ACHIEVED, text="Paint the fence")
    goal_rows(owner, GoalState.PENDING, text="Tidy the attic")
    page = open_page(owner, "/goals/", scripts=False)
    expect(page.locator(".nav-foot .nav-user")).to_be_visible()
    expect(page.locator(".nav-foot button")).to_have_count(2)
    for button in page.locator(".nav-foot button").all():
        expect(button).to_be_hidden()  # neither could do anything
    page.fill("#q", "attic")
    with page.expect_navigation():
        page.click("text=Apply")
    assert page.locator("#goal-list .row-title").all_inner_texts() == ["Tidy the attic"]
    page.goto("/goals/new/")
    expect(page.locator("#goal-preview noscript strong")).to_be_visible()  # what else would come while one types
    page.fill("#goal-text", "Water the garden")
    with page.expect_navigation():
        page.click("text=Submit goal")
    assert Goal.objects.filter(text="Water the garden").exists()


def test_the_scheme_and_the_keys_are_remembered(owner: User, open_page: OpenPage, goal_rows: GoalRows) -> None:
    goal_rows(owner, GoalState.PENDING, GoalState.MANUAL)
    page = open_page(owner, "/goals/")
    root = page.locator("html")
    page.click(".nav-foot [data-theme-toggle]")
    expect(root).to_have_attribute("data-theme", "dark")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("[data-item]").nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    page.locator("h1").click()
    page.keyboard.press("?")
    page.click("[data-keys-toggle]")
    page.keyboard.press("Escape")
    page.reload()
    expect(root).to_have_attribute("data-theme", "dark")
    page.keyboard.press("?")
    expect(page.locator("#keys")).not_to_be_visible()


def test_htmx_sends_the_token_and_a_silent_server_is_named(owner: User, open_page: OpenPage) -> None:
    page = open_page(owner, "/goals/new/")
    page.evaluate("htmx.ajax('POST', '/goals/new/', {values: {text: 'By htmx'}, target: '#goal-preview'})")
    page.wait_for_function("performance.getEntriesByType('resource').some(entry => entry.name.endsWith('/goals/new/'))")
    assert Goal.objects.filter(text="By htmx").exists()

    def dead(route: Route) -> None:
        route.abort()

    page.goto("/goals/new/")
    page.route("**/goals/preview/**", dead)
    page.fill("#goal-text", "Anything")
    expect(page.locator("#messages .notice")).to_contain_text("did not answer")
    page.click("#messages [data-dismiss]")
    expect(page.locator("#messages .notice")).to_have_count(0)


SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PLACES = ["/", "/goals/", "/goals/?q=nothing+fits", "/goals/new/", "/nothing/"]


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    width: int, owner: User, admin: User, open_page: OpenPage, goal_rows: GoalRows
) -> None:
    page = open_page(admin, "/", width=width)
    assert violations(page) == [], "first visit"
    goal_rows(owner, *GoalState, text=LONG, reason="no_applicable_rule")
    for place in PLACES:
        page.goto(place)
        assert sideways(page) == 0, place
    # The others are among the pages that test_axe_on_every_page.py walks.
    for place in ("/goals/?q=nothing+fits", "/nothing/"):
        page.goto(place)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == [], (place, scheme)


def test_nothing_scrolls_sideways_on_the_smallest_phone(
    owner: User, admin: User, open_page: OpenPage, goal_rows: GoalRows
) -> None:
    goal_rows(owner, *GoalState, text=LONG, reason="no_applicable_rule")
    page = open_page(admin, "/", width=360)
    for place in PLACES:
        page.goto(place)
        assert sideways(page) == 0, place
    page.goto("/")
    page.click(".nav-more summary")
    expect(page.locator(".nav-more ul")).to_be_visible()
    assert page.locator(".nav-more .nav-link").first.get_attribute("href") == "/agents/"
