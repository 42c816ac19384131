"""A tool's life in real Chromium: made from a sentence, tried, put to use, beaten by the gate, taken back."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agents.cycle import cycle
from agents.evolution import replaying
from agents.evolution.activation import rollouts, tool_checks
from agents.evolution.candidates import searching
from agents.models import Goal, ToolCheck
from agents.workspaces import workspaces
from library.components import services as library
from library.models import ComponentVersion
from people.models import User
from review.deciding import decisions
from tests.agents.toolkit.made_texts import WORD_COUNT
from tests.browser import sideways
from tests.models.conftest import provider
from tests.models.server import Provider

__all__ = ["provider"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
RULE = """RULE tally words
IF your task is to tally the words of the file {file}
THEN: tally the words of the file {file}
"""
BRITTLE = WORD_COUNT.replace(
    '    return {"words"', '    if not text.strip():\n        raise ValueError("no words")\n    return {"words"'
)


def said(tool: str) -> str:
    return json.dumps({"tool": tool})


def run_trials() -> None:
    """What a worker does."""
    for check in ToolCheck.objects.filter(ended_at=None):
        tool_checks.work(check.version_id)


def statuses() -> dict[str, str]:
    return dict(ComponentVersion.objects.filter(component__kind="tool").values_list("version", "status"))


@pytest.fixture
def planned(owner: User, make_goal: Callable[..., Goal]) -> Callable[[bytes], Goal]:
    def made(content: bytes) -> Goal:
        goal = make_goal(owner, "tally the words of the file notes.txt")
        workspaces.put_file(goal.workspace, by=owner, path="notes.txt", source=io.BytesIO(content))
        cycle.work(goal.pk)
        return goal

    return made


def test_a_tool_is_made_from_a_sentence_evolved_loses_and_is_taken_back(
    provider: Provider,
    planned: Callable[[bytes], Goal],
    admin: User,
    reviewer: User,
    open_page: Any,
    valkey: object,
) -> None:
    page: Page = open_page(admin, "/tools/new/")
    provider.will_say("no tool", said(WORD_COUNT))
    page.get_by_label("What the tool should do").fill("Count the words of a text file")
    page.get_by_role("button", name="Ask the model").click()
    expect(page.locator("#written")).to_contain_text("waiting")
    searching.work()
    # The card looks again by itself.
    page.locator("#written").get_by_role("link", name="Version 1.0.0 of word_count").click()
    expect(page.locator("#trials")).to_contain_text("running")
    run_trials()
    expect(page.locator("#trials")).to_contain_text("all fit")
    page.reload()
    page.get_by_role("button", name="Activate 1.0.0").click()
    expect(page.locator("main")).to_contain_text("never used")
    assert statuses() == {"1.0.0": "active"}

    library.publish("rule", "tally words", RULE, by=admin, status="active")
    goal = planned(b" ")
    plan = goal.intent_plans.get()
    page.goto(page.url.split("/tools/")[0] + f"/review/{plan.pk}/")
    expect(page.locator("#code-word_count")).to_contain_text('Path(params["path"]).read_text')
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(goal.pk)

    page.goto(page.url.split("/review/")[0] + "/tools/word_count/")
    provider.will_say(said(BRITTLE))
    page.get_by_label("What should be better").fill("Refuse empty files")
    page.get_by_role("button", name="Ask a model for a candidate").click()
    expect(page.locator("#writer")).to_contain_text("waiting")
    searching.work()
    # The card looks again by itself.
    page.locator("#writer").get_by_role("link", name="Version 1.1.0 of word_count").click()
    expect(page.locator("h1 ~ .state").first).to_contain_text("candidate")
    run_trials()
    replaying.work()
    expect(page.locator("#replay")).to_contain_text("breaks 1")
    expect(page.get_by_role("button", name="Activate 1.1.0", exact=True)).to_have_count(0)
    page.get_by_text("Activate it anyway").click()
    page.get_by_label("Reason, which everybody can read").fill("empty files must be refused")
    page.get_by_role("button", name="Activate 1.1.0 against the gate").click()
    expect(page.locator("#watch")).to_contain_text("watched")

    for _ in range(5):
        planned(b" ")
    rollouts.sweep()
    replaying.work()
    page.reload()
    expect(page.locator("#watch")).to_contain_text("taken back")
    assert statuses() == {"1.0.0": "active", "1.1.0": "retired"}
    page.set_viewport_size({"width": 360, "height": 800})
    assert sideways(page) == 0


def test_without_a_model_a_sentence_is_a_draft_and_code_becomes_a_tool(
    reviewer: User, open_page: Any, valkey: object
) -> None:
    page: Page = open_page(reviewer, "/tools/new/", width=360)
    page.get_by_label("What the tool should do").fill("Count the words of a text file")
    page.get_by_role("button", name="Start a draft").click()
    expect(page.locator("main")).to_contain_text("its code is yours to write")
    expect(page.get_by_label("Text of the tool")).to_have_value(re.compile("nobody has written yet"))
    assert sideways(page) == 0
    page.goto(page.url)
    page.get_by_label("A function or two").fill("def shout(text: str) -> str:\n    return text.upper()\n")
    page.get_by_role("button", name="Make it a tool").click()
    expect(page.locator("#checked")).to_contain_text("run_shout")
    area = page.get_by_label("Text of the tool")
    area.fill(area.input_value().replace("effect: idempotent", "effect: harmless"))
    expect(page.locator("#checked")).to_contain_text("does not fit")
    area.fill(area.input_value().replace("effect: harmless", "effect: idempotent"))
    expect(page.locator("#checked")).to_contain_text("no problems")
    page.get_by_role("button", name="Save as candidate").click()
    expect(page.locator("#trials")).to_contain_text("running")
    run_trials()
    expect(page.locator("#trials")).to_contain_text("all fit")
    page.reload()
    expect(page.get_by_role("button", name="Activate 1.0.0")).to_have_count(0)
    assert sideways(page) == 0
