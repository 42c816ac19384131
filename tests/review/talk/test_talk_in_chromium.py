"""Speaking about a plan in real Chromium: by keyboard, without scripts, on one screen and on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from agents.models import Belief, IntentPlan
from people.models import User
from review.models import Comment
from review.talk import comments
from tests.browser import chromium, open_page, sideways  # noqa: F401  # the first two are fixtures
from tests.review.plans import goal_of, proposed
from tests.review.test_review_in_chromium import FIVE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]
SAID = "There is a folder named old."
EVIDENCE = {
    "goal": "Tidy",
    "rule": {"name": "tidy", "version": "1.2.0", "component_version_id": None},
    "trigger": "tidy {folder}",
    "beliefs": [{"sentence": SAID, "source": "perception", "confidence": 1.0, "at": "2026-11-21T06:00:00+00:00"}],
    "contexts": [
        {
            "text": "there is a folder named {folder}",
            "holds": True,
            "decided_by": 0,
            "score": 0.98,
            "cells": [{"belief": 0, "answer": "yes", "score": 0.98}],
        }
    ],
}


@pytest.fixture
def talked_of(submitter: User, judge: User) -> IntentPlan:
    """Five steps with evidence, a note on an argument, one on the plan, and a question."""
    goal = goal_of(submitter, "Tidy the folder old and write a first note about it")
    Belief.objects.create(goal=goal, sentence=SAID, source="perception", at=timezone.now())
    plan = proposed(goal, FIVE, evidence=EVIDENCE)
    comments.say(plan, by=judge, text="Call it docs", anchor="intent:1:path")
    comments.say(plan, by=judge, text="Keep it short")
    comments.say(plan, by=submitter, text="Is old still needed?", anchor="intent:4", kind=Comment.Kind.QUESTION)
    return plan


def test_d_speaks_about_the_step_in_focus_and_escape_goes_back(
    talked_of: IntentPlan,
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, talked_of.get_absolute_url(), width=1440)
    page.locator("body").press("2")
    page.keyboard.press("d")
    expect(page.locator("#say-text")).to_be_focused()
    expect(page.locator("#say-anchor")).to_have_value("intent:2")
    page.keyboard.press("Escape")
    expect(page.locator("#say-text")).to_be_hidden()
    page.locator("[data-tick]").last.uncheck()
    page.get_by_role("link", name="Discuss step 3").click()
    page.keyboard.type("Why this mode?")
    with page.expect_navigation():
        page.get_by_role("button", name="Ask").click()
    expect(page.locator("#intent-3 .comment")).to_contain_text("Why this mode?")
    expect(page.locator("#decide")).to_contain_text("2 questions open.")
    expect(page.locator("[data-tick]").last).not_to_be_checked()
    expect(page.locator("[data-tick]").first).to_be_checked()
    page.locator("#intent-4 .answer-form summary").click()
    page.get_by_label("Your answer").last.press_sequentially("Yes")
    page.locator("#intent-4").get_by_role("button", name="Answer").click()
    expect(page.locator("#intent-4 .comment")).to_contain_text("answered")
    expect(page.locator("[data-tick]").last).not_to_be_checked()
    assert Comment.objects.get(text="Why this mode?").anchor == "intent:3"


def test_it_is_all_written_without_scripts(talked_of: IntentPlan, judge: User, open_page: OpenPage) -> None:  # noqa: F811
    page = open_page(judge, talked_of.get_absolute_url(), scripts=False)
    page.get_by_role("link", name="Discuss step 5").click()
    expect(page.locator("#say-anchor")).to_have_value("intent:5")
    page.locator("#say-text").fill("List all of them")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.locator("#intent-5 .comment")).to_contain_text("List all of them")
    page.locator("summary", has_text="This is wrong").click()
    page.get_by_placeholder("What is true instead, if you know it").fill("There is no folder named old.")
    page.get_by_role("button", name="Mark as wrong").click()
    expect(page).to_have_url(f"/goals/{talked_of.goal_id}/")
    assert Belief.objects.get(sentence=SAID).retracted_by == "denied by jo"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_five_steps_with_all_that_is_said_stay_on_one_screen_and_a_phone(
    scheme: str,
    talked_of: IntentPlan,
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, talked_of.get_absolute_url(), width=1440, scheme=scheme)
    page.set_viewport_size({"width": 1440, "height": 900})
    assert page.evaluate("document.scrollingElement.scrollHeight - innerHeight") <= 0
    assert sideways(page) == 0
    for position in range(1, 6):
        expect(page.locator(f"#intent-{position} .params")).to_be_in_viewport(ratio=1)
    page.locator("body").press("d")
    expect(page.get_by_role("button", name="Ask")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.scrollingElement.scrollHeight - innerHeight") <= 0
    phone = open_page(judge, talked_of.get_absolute_url(), width=390, scheme=scheme)
    assert sideways(phone) == 0
    phone.locator(".deny summary").click()
    phone.locator("#say summary").click()
    assert sideways(phone) == 0
    phone.locator("#say-text").scroll_into_view_if_needed()
    expect(phone.locator("#say-text")).to_be_in_viewport(ratio=1)
