"""A missing value that a model on loopback finds in the goal's words, as whoever decides reads it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from agents.cycle import cycle
from agents.models import Goal
from people.models import User
from tests.models.server import Provider
from tests.web.test_browser_tuning import looked_at

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_value_of_a_model_stands_with_the_words_it_was_taken_from(
    provider: Provider, owner: User, reviewer: User, make_goal: Callable[..., Goal], open_page: Callable[..., Page]
) -> None:
    provider.will_say(json.dumps({"message": {"value": "everything", "quote": "everything"}}))
    goal = make_goal(owner, "commit everything")
    cycle.work(goal.pk)
    plan = goal.intent_plans.get()
    page = open_page(reviewer, f"/review/{plan.pk}/")
    found = looked_at(page, "extracted-review")
    expect(page.get_by_text("“everything”").first).to_be_visible()
    expect(page.get_by_text("model", exact=True).first).to_be_visible()
    page.goto(page.url.split("/review/")[0] + f"/goals/{goal.pk}/")
    found += looked_at(page, "extracted-goal")
    assert found == []
