"""SystemAgent in real Chromium with a language model on loopback: every stop is reviewed; a like task asks it less."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from agents.cycle import cycle
from agents.models import Agent, Goal, IntentPlan, LevelDocument
from agents.record.selectors import current_plan
from agents.states import GoalState, LevelState
from library import embedding
from library.models import ComponentVersion, Experience, ModelCall
from people.models import User
from tests import browser
from tests.browser import sideways
from tests.models.conftest import KEY, MODEL
from tests.models.server import Provider, serving

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]
WANTED = (
    "lay out the depth readings 4.2, 3.9 and 5.1 of the harbour, then count the readings, and leave a note about it"
)
LIKE = "lay out the depth readings of the harbour and count the readings"
NAME = "Depth readings of the harbour"
DESIGN = {
    "components": [
        {"name": "readings", "does": "Lay out the depth readings 4.2, 3.9 and 5.1 in depths.csv", "after": []},
        {"name": "count", "does": "Count the readings that stand in depths.csv", "after": ["readings"]},
        {"name": "note", "does": "Write a note named harbour saying three readings", "after": ["count"]},
    ]
}
LIKE_DESIGN = {
    "components": [
        {"name": "readings", "does": "Lay out the depth readings of the harbour and count the readings", "after": []}
    ]
}
WRITE = {"path": "depths.csv", "content": "4.2\n3.9\n5.1\n"}
PLANS = {
    "Lay out the depth": [{"tool": "simple_coder", "command": "write", "params": WRITE, "why": "They are kept."}],
    "Count the readings": [
        {"tool": "simple_coder", "command": "run", "params": {"command_line": "wc -l depths.csv"}, "why": "It counts."}
    ],
}
WORKFLOW = f"""scenario_name: {NAME}
description: Lays out the depth readings of the harbour and counts the readings.
steps:
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.write
    input: {{path: depths.csv, content: "4.2\\n3.9\\n5.1\\n"}}
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.run
    input: {{command_line: "wc -l depths.csv"}}
    output_var: counted
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.write
    input: {{path: harbour.md, content: "# Harbour\\n"}}
  - type: RETURN
    value: "{{{{counted.stdout}}}}"
"""


def model(asked: Any) -> None:
    """Answers by what it is told to be and by what it is asked for, as a language model does."""
    told = [str(one["content"]) for one in asked.server.asked[-1]["messages"]]
    if "You take requirements apart" in told[0]:
        asked.stream(json.dumps(DESIGN if "4.2" in told[1] else LIKE_DESIGN))
    elif "You write one workflow" in told[0]:
        asked.stream(json.dumps({"workflow": WORKFLOW}))
    elif steps := next((steps for begin, steps in PLANS.items() if begin in told[1]), None):
        asked.stream(json.dumps({"steps": steps}))
    else:
        asked.stream(json.dumps({"cannot": f"nobody laid an answer ready: {told[0][:80]}"}))


@pytest.fixture
def provider(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """The scripted model behind LiteLLM. The library compares by the sentence model that ships."""
    for server in serving():
        monkeypatch.setenv("OPENAI_API_BASE", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        settings.MODEL, settings.MODEL_FALLBACKS, settings.MODEL_CACHE_DAYS = MODEL, [], 0
        server.will_say(model)
        yield server


class Walk:
    """What a reviewer does in the browser, and a worker meanwhile."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.base = "/".join(page.url.split("/")[:3])

    def submit(self, text: str) -> Goal:
        self.page.goto(f"{self.base}/goals/new/")
        self.page.locator("textarea[name=text]").first.fill(text)
        self.page.get_by_role("button", name="Submit goal").click()
        expect(self.page).to_have_url(re.compile(r"/goals/\d+/"))
        return self.worked(Goal.objects.latest("pk"))

    def worked(self, goal: Goal) -> Goal:
        cycle.work(goal.pk)
        goal.refresh_from_db()
        return goal

    def look(self, document: LevelDocument) -> None:
        """Open what is reviewed before there is a plan."""
        self.page.goto(f"{self.base}/review/levels/{document.pk}/")

    def settle(self, button: str) -> None:
        """Approve what is open, and wait until it was taken."""
        self.page.get_by_role("button", name=re.compile(button)).first.click()
        self.page.wait_for_load_state()

    def plan_of(self, goal: Goal) -> IntentPlan:
        plan = current_plan(goal)
        assert plan is not None, (goal.state, goal.reason)
        return plan

    def approve(self, goal: Goal) -> None:
        """Review the rules where they are asked for, then the plan, and have it carried out."""
        waits = goal.level_documents.filter(kind="selection", state=LevelState.AWAITING_REVIEW.value).first()
        if waits is not None:
            self.look(waits)
            self.settle("^Confirm")
            self.worked(goal)
        self.page.goto(f"{self.base}/review/{self.plan_of(goal).pk}/")
        browser.approve(self.page)
        expect(self.page).to_have_url(re.compile(rf"/goals/{goal.pk}/"))
        self.worked(goal)

    def designed(self, wanted: str) -> tuple[Goal, LevelDocument]:
        """SystemAgent asks ArchitectZero; the design is open for review."""
        asked = self.submit(f"Design a solution for {wanted}")
        self.approve(asked)
        assert asked.state == GoalState.ACHIEVED, asked.reason
        goal = Goal.objects.get(text=f"Build the solution: {wanted}")
        design = goal.level_documents.get(kind="design")
        self.look(design)
        return goal, design

    def carried_out(self, goal: Goal) -> list[Goal]:
        """Approve the design's plan and each of its sub-goals, as they come."""
        self.approve(goal)
        children = list(goal.children.order_by("pk"))
        for child in children:
            self.approve(self.worked(child))
            assert child.state == GoalState.ACHIEVED, (child.text, child.reason)
        assert self.worked(goal).state == GoalState.ACHIEVED, goal.reason
        return children


def calls() -> list[str]:
    """What a model was asked for so far, one word for each request."""
    return list(ModelCall.objects.order_by("pk").values_list("purpose", flat=True))


def test_a_task_is_designed_planned_and_made_a_workflow_by_a_model_and_a_like_task_asks_it_less(
    provider: Provider, reviewer: User, operator: User, open_page: OpenPage, valkey: object
) -> None:
    call_command("load_starters", verbosity=0)
    embedding.embed_waiting()
    Agent.objects.update_or_create(name="mindx", defaults={"review_selection": True})
    page = open_page(reviewer, "/goals/new/")
    walk = Walk(page)

    # The model takes the requirements apart; what of it the library has is decided by scores, and reviewed.
    goal, _ = walk.designed(WANTED)
    main = page.locator("main")
    expect(page.locator(".flow-step")).to_have_count(3)
    expect(main).to_contain_text("Component readings: create")
    expect(main).to_contain_text("a language model may plan it or write it, and people review that")
    assert current_plan(goal) is None
    walk.settle("^Approve")
    walk.worked(goal)

    # Each component is a sub-goal: two are planned by the model, one by a rule, whose selection is reviewed too.
    readings, counted, note = walk.carried_out(goal)
    assert [walk.plan_of(one).plan.source for one in (readings, counted, note)] == ["model", "model", "rule"]
    chosen = note.level_documents.get(kind="selection")
    assert (chosen.state, chosen.decided_by) == (LevelState.APPROVED, reviewer)

    # The model writes a workflow for it, and people put it to use.
    made = walk.submit(f'Generate the workflow "{NAME}" that does "{LIKE}"')
    walk.approve(made)
    version = ComponentVersion.objects.get(component__name=NAME)
    assert (version.status, version.origin) == ("candidate", "model")
    people = open_page(operator, f"/workflows/{version.component_id}/")
    people.get_by_role("button", name=f"Activate {version.version}").click()
    expect(people.get_by_role("button", name=f"Retire {version.version}")).to_be_visible()

    # It is approved in part, and that part runs in the jail.
    processed = walk.submit(f'Process the workflow "{NAME}"')
    walk.approve(processed)
    partly = Goal.objects.latest("pk")
    page.goto(f"{walk.base}/review/{walk.plan_of(partly).pk}/")
    page.locator("input[name=intents]").last.uncheck()
    page.locator("summary", has_text=re.compile("Approve")).click()
    page.locator("#part-reason").fill("Nobody reads that note")
    page.get_by_label("Drop them").check()
    browser.approve(page, "Approve only the selected steps")
    expect(page).to_have_url(re.compile(rf"/goals/{partly.pk}/"))
    walk.worked(partly)
    assert partly.state == GoalState.ACHIEVED, partly.reason
    plan = walk.plan_of(partly)
    assert plan.intents.filter(state="succeeded").count() == 2
    page.reload()
    expect(page.locator("#flow-returned")).to_have_text("3 depths.csv")
    first = calls()

    # It is recorded and found again: the like task is met by the workflow, and only the design asks the model.
    embedding.embed_waiting()
    assert Experience.objects.filter(goal_ref=str(partly.pk)).exists()
    again, _ = walk.designed(LIKE)
    expect(page.locator("main")).to_contain_text(f"readings: reuse the workflow “{NAME}” {version.version}")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert sideways(page) == 0
    page.set_viewport_size({"width": 1280, "height": 900})
    walk.settle("^Approve")
    walk.worked(again)
    walk.carried_out(again)
    second = calls()[len(first) :]
    for task, asked in (("the first task", first), ("the like task", second)):
        sys.stdout.write(f"model calls of {task}: {len(asked)} ({', '.join(asked)})\n")
    assert len(second) < len(first), (first, second)
    assert (first, second) == (["candidate", "plan", "plan", "candidate"], ["candidate"])
