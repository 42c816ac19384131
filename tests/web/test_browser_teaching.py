"""A person teaches in Chromium, by keyboard and without scripts; each page is wide and narrow, light and dark."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from agents.cycle import cycle
from agents.models import Goal, IntentPlan, Lesson, PathMapping
from agents.workspaces import workspaces
from people.models import User
from review.deciding import editing
from tests.web.test_browser_tuning import LONG, looked_at

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]


@pytest.fixture
def edited(reviewer: User, owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch) -> IntentPlan:
    """The reviewer's own goal “show app”, whose path they corrected; others have such goals too."""
    from tests.library.vectors import install

    install(monkeypatch)
    for by, text in ((owner, "show app"), (reviewer, "show app"), (reviewer, "show app")):
        goal = make_goal(by, text)
        for path in ("src/app.py", "src/util.py", f"in/{LONG}.txt"):
            workspaces.put_file(goal.workspace, by=by, path=path, source=io.BytesIO(b"x"))
        cycle.work(goal.pk)
    plan = goal.intent_plans.get()
    return editing.edit(plan, by=reviewer, digest=plan.digest, position=1, params={"path": "src/util.py"})


def test_an_edit_teaches_by_keyboard_and_is_promoted(
    edited: IntentPlan, reviewer: User, operator: User, open_page: OpenPage
) -> None:
    page = open_page(reviewer, edited.get_absolute_url())
    found = looked_at(page, "teach-plan")
    page.get_by_role("link", name="Teach this").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Teach path of simple_coder.read")).to_be_visible()
    found += looked_at(page, "teach-form")
    first = page.get_by_role("radio", name="a name for")
    first.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("radio", name="app", exact=True)).to_be_focused()
    page.get_by_label("Why").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your goals: 2 of 2 would end differently")).to_be_visible()
    everybody = "Everybody, were it promoted: 3 of 3 would end differently"
    expect(page.get_by_role("heading", name=everybody)).to_be_visible()
    assert not Lesson.objects.exists(), "Enter tries and keeps nothing"
    found += looked_at(page, "teach-trial")
    page.get_by_label("Why").fill(f"It is the one that I mean {LONG}")
    page.get_by_role("button", name="Teach this").click()
    expect(page.get_by_text("Taught. It applies to the goals that you submit")).to_be_visible()
    found += looked_at(page, "lesson-teacher")
    page = open_page(operator, "/tuning/")
    page.get_by_role("link", name="Taught by people").click()
    found += looked_at(page, "taught")
    page.get_by_role("link", name="“app” for simple_coder.path").click()
    page.get_by_role("button", name="Try for everybody").click()
    expect(page.get_by_role("heading", name="1 of 3 would end differently")).to_be_visible()
    found += looked_at(page, "lesson-operator")
    page.get_by_role("button", name="Promote", exact=True).click()
    expect(page.get_by_text("It holds for everybody, from the next decision on.")).to_be_visible()
    assert PathMapping.objects.get().path == "src/util.py"
    found += looked_at(page, "lesson-promoted")
    assert found == []


def test_without_scripts_it_is_taught_and_taken_back(
    edited: IntentPlan, reviewer: User, open_page: OpenPage, make_goal: Callable[..., Goal]
) -> None:
    page = open_page(reviewer, edited.get_absolute_url(), scripts=False, width=390)
    page.get_by_role("link", name="Teach this").click()
    page.get_by_role("radio", name="wherever a goal names a path").check()
    page.get_by_role("button", name="Try on past cases").click()
    expect(page.get_by_role("radio", name="wherever a goal names a path")).to_be_checked()
    page.get_by_role("button", name="Teach this").click()
    expect(page.get_by_text("Taught. It applies to the goals that you submit")).to_be_visible()
    assert Lesson.objects.get().tool == ""
    goal = make_goal(reviewer, "show app")
    for path in ("src/app.py", "src/util.py"):
        workspaces.put_file(goal.workspace, by=reviewer, path=path, source=io.BytesIO(b"x"))
    cycle.work(goal.pk)
    here = page.url
    page.goto(goal.intent_plans.get().get_absolute_url())
    expect(page.get_by_text("taught by Rita Holm")).to_be_visible()
    page.goto(here)
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_text("Taken back. It no longer applies")).to_be_visible()
    assert Lesson.objects.first().state == "taken_back"  # type: ignore[union-attr]
