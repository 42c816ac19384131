"""What a person sees in real Chromium when a language model answers otherwise than hoped, and what they can do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agents.cycle import cycle
from agents.goals import goals
from agents.models import Agent, Goal
from agents.states import GoalState
from library.language import generation
from people.models import User
from tests.models.conftest import KEY, provider
from tests.models.server import Provider, refusing

__all__ = ["provider"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PLAN = json.dumps(
    {"steps": [{"tool": "simple_coder", "command": "mkdir", "params": {"path": "harbour"}, "why": "It needs a place."}]}
)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "FIRST_WAIT_S", 0.0)


def planned(by: User) -> Goal:
    goal = goals.submit(by=by, text="Lay out the harbour ledger as you think best")
    cycle.work(goal.pk)
    goal.refresh_from_db()
    return goal


def test_a_spent_budget_is_told_and_after_it_was_raised_the_goal_goes_on(
    provider: Provider, owner: User, open_page: Any, valkey: object
) -> None:
    Agent.objects.update_or_create(name="mindx", defaults={"tokens_per_day": 100})
    provider.will_say(PLAN)
    goal = planned(owner)
    page: Page = open_page(owner, f"/goals/{goal.pk}/")
    expect(page.locator("main")).to_contain_text("0 of 100 tokens of today's budget are used")
    expect(page.locator("main")).to_contain_text("Ask an operator to raise it and plan again, or plan by hand.")
    expect(page.get_by_role("link", name="Plan by hand")).to_be_visible()
    Agent.objects.update(tokens_per_day=None)
    page.get_by_role("button", name="Plan now").click()
    expect(page.get_by_role("button", name="Plan now")).to_have_count(0)
    cycle.work(goal.pk)
    page.reload()
    expect(page.locator("main")).to_contain_text("awaiting review")


def test_who_waits_for_a_model_reads_until_when_and_may_plan_by_hand(
    provider: Provider, owner: User, open_page: Any, valkey: object
) -> None:
    provider.will_say(refusing(429, "slow down", retry_after="90"))
    goal = planned(owner)
    assert goal.wake_at is not None
    page: Page = open_page(owner, f"/goals/{goal.pk}/", width=390)
    expect(page.locator("main")).to_contain_text(f"planned automatically after {goal.wake_at:%H:%M:%S} UTC.")
    page.get_by_role("link", name="Plan by hand").click()
    page.locator("textarea[name=steps]").fill("create the folder harbour")
    page.get_by_role("button", name="Propose").click()
    expect(page.locator("main")).to_contain_text("awaiting review")
    goal.refresh_from_db()
    assert (goal.state, goal.wake_at) == (GoalState.AWAITING_REVIEW, None)


def test_the_fall_back_is_named_and_no_key_is_shown(
    provider: Provider, owner: User, open_page: Any, valkey: object, settings: Any
) -> None:
    settings.MODEL_FALLBACKS = ["openai/second-model"]
    provider.will_say(refusing(400, f"no such thing for {KEY}"), PLAN)
    goal = planned(owner)
    page: Page = open_page(owner, f"/goals/{goal.pk}/plans/")
    asked = page.locator("section", has=page.get_by_role("heading", name="Model requests"))
    expect(page.locator("main")).to_contain_text("in place of openai/test-model, which gave no answer")
    expect(asked).to_contain_text("openai/test-model: the provider refused the request (no such thing for [hidden])")
    for fold in asked.locator("summary").all():
        fold.click()
    expect(asked).to_contain_text("You plan for mindX.")
    assert KEY not in page.content()
