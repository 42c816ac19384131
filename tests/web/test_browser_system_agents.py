"""SystemAgent in real Chromium, with no model: a design is reviewed, carried out, and what it taught is used again."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from agents.bdi.planning import levels
from agents.cycle import cycle
from agents.models import BusRequest, Goal, LevelDocument
from agents.plans import designs
from agents.record.selectors import current_plan
from agents.states import GoalState
from library import embedding
from library.models import ComponentVersion, Experience, ModelCall
from people.models import User
from tests import browser
from tests.browser import sideways

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]
PROJECT = "create a Python project named tides with a virtual environment and a script that prints the Python version"
WANTED = f"Write a note named hello saying moon. Then {PROJECT}"


def submit(page: Page, text: str) -> Goal:
    """Give a goal in words, and have a worker plan it."""
    page.goto(f"{page.url.split('/', 3)[0]}//{page.url.split('/')[2]}/goals/new/")
    page.locator("textarea[name=text]").first.fill(text)
    page.get_by_role("button", name="Submit goal").click()
    expect(page).to_have_url(re.compile(r"/goals/\d+/"))
    goal = Goal.objects.latest("pk")
    cycle.work(goal.pk)
    return goal


def approve(page: Page, goal: Goal) -> None:
    """Approve the goal's plan on its page, and have a worker carry it out."""
    plan = current_plan(goal)
    assert plan is not None, (goal.state, goal.reason)
    page.goto(f"{page.url.split('/', 3)[0]}//{page.url.split('/')[2]}/review/{plan.pk}/")
    browser.approve(page)
    expect(page).to_have_url(re.compile(rf"/goals/{goal.pk}/"))
    cycle.work(goal.pk)
    goal.refresh_from_db()


def test_a_solution_is_designed_reviewed_carried_out_and_found_again(
    reviewer: User, open_page: OpenPage, valkey: object
) -> None:
    call_command("load_starters", verbosity=0)
    embedding.embed_waiting()
    page = open_page(reviewer, "/goals/new/")
    base = f"{page.url.split('/', 3)[0]}//{page.url.split('/')[2]}"

    # SystemAgent asks ArchitectZero.
    asked = submit(page, f"Design a solution for {WANTED}")
    approve(page, asked)
    assert asked.state == GoalState.ACHIEVED, asked.reason
    goal = Goal.objects.get(text__startswith="Build the solution")

    # The design is reviewed, with its picture, before anything is planned.
    design = LevelDocument.objects.get(goal=goal)
    page.goto(f"{base}/review/levels/{design.pk}/")
    expect(page.locator(".flow-step")).to_have_count(2)
    # Selected by scores that the reviewer reads. The submitter wants the work itself and no better rules for it.
    expect(page.locator("main")).to_contain_text(re.compile(r"create-python: (reuse|evolve) the rule “start a python"))
    expect(page.locator("main")).to_contain_text(re.compile(r"write-note because: score 0\.\d\d"))
    assert current_plan(goal) is None
    text = levels.read_design(bytes(design.document))
    designs.revise(goal, re.sub(r": evolve .*", ": create", text), by=reviewer)
    page.goto(f"{base}/review/levels/{LevelDocument.objects.latest('pk').pk}/")
    expect(page.locator(".flow-step")).to_have_count(2)
    page.get_by_role("button", name=re.compile("^Approve")).first.click()
    page.wait_for_load_state()
    cycle.work(goal.pk)
    goal.refresh_from_db()

    # The sub-goals are reviewed, made, and drawn as a tree.
    approve(page, goal)
    assert goal.state == GoalState.BLOCKED
    page.goto(f"{base}/goals/{goal.pk}/")
    expect(page.locator(".goal-tree .goal-branch")).to_have_count(3)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert sideways(page) == 0
    page.set_viewport_size({"width": 1280, "height": 900})
    note, project = goal.children.order_by("pk")
    assert project.state == GoalState.BLOCKED
    for child in (note, project):
        cycle.work(child.pk)
        approve(page, child)
        assert child.state == GoalState.ACHIEVED, child.reason
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.ACHIEVED, goal.reason

    # A workflow is made of what ran, processed, approved in part and run in the jail.
    made = submit(page, f'Generate the workflow "Tides" from the goal {project.pk} that does "set up tides"')
    approve(page, made)
    version = ComponentVersion.objects.get(component__name="Tides")
    assert version.status == "candidate"
    processed = submit(page, 'Process the workflow "Tides"')
    approve(page, processed)
    tides = Goal.objects.latest("pk")
    plan = current_plan(tides)
    assert plan is not None
    steps = plan.intents.filter(phase="main").count()
    page.goto(f"{base}/review/{plan.pk}/")
    page.locator("input[name=intents]").last.uncheck()
    page.locator("summary", has_text=re.compile("Approve")).click()
    page.locator("#part-reason").fill("Nobody reads its output")
    page.get_by_label("Drop them").check()
    browser.approve(page, "Approve only the selected steps")
    expect(page).to_have_url(re.compile(rf"/goals/{tides.pk}/"))
    cycle.work(tides.pk)
    tides.refresh_from_db()
    plan = current_plan(tides)
    assert plan is not None
    assert plan.intents.filter(state="succeeded").count() == steps - 1, (tides.state, tides.reason)

    # What it taught is found again for a like task, and no model was asked on the way.
    embedding.embed_waiting()
    assert Experience.objects.filter(goal_ref=str(project.pk)).exists()
    page.goto(f"{base}/agents/system/")
    page.get_by_label("Question about earlier goals").fill("what worked with a Python project?")
    page.get_by_role("button", name="Ask memory").click()
    expect(page).to_have_url(re.compile(r"/bus/requests/\d+/"))
    answer = BusRequest.objects.get(capability="answer_about_experience").answer or {}
    assert str(project.pk) in {one["goal"] for one in answer["sources"]}
    assert not ModelCall.objects.exists()
