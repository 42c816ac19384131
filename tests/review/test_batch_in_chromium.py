"""Several plans of one shape in Chromium, with four eyes: nobody's own goal is decided along, and the page says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agents.models import IntentPlan
from people.models import User
from review.models import Decision
from review.policy.verdict import Action
from tests.browser import chromium, open_page  # noqa: F401  # fixtures
from tests.review.policies import in_force
from tests.review.test_groups import group, note
from tests.web.test_browser_tuning import looked_at

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]


def test_with_four_eyes_ones_own_plan_cannot_be_ticked_and_the_others_are_decided(
    submitter: User,
    judge: User,
    open_page: OpenPage,  # noqa: F811
    settings: Any,
) -> None:
    settings.FOUR_EYES = True
    others = [note(submitter, name) for name in ("one", "two")]
    mine = note(judge, "mine")
    page = open_page(judge, group(mine))
    row = page.locator(f"#member-{mine.pk}")
    expect(row).to_contain_text("four eyes are required: someone else must decide")
    expect(row.get_by_role("checkbox")).to_have_count(0)
    found = looked_at(page, "batch-four-eyes")
    page.keyboard.press("t")
    expect(page.get_by_text("2 ticked")).to_be_visible()
    page.keyboard.press("a")
    expect(page.get_by_text("2 approved:")).to_be_visible()
    expect(page.locator("#batch")).to_have_count(0)  # nothing is left that this person could tick
    found += looked_at(page, "batch-four-eyes-decided")
    assert set(Decision.objects.values_list("intent_plan", flat=True)) == {plan.pk for plan in others}
    mine.refresh_from_db()
    assert mine.state == "awaiting_review"
    assert found == []


def test_two_people_approve_a_batch_one_after_the_other(
    submitter: User,
    judge: User,
    second_judge: User,
    keeper: User,
    open_page: OpenPage,  # noqa: F811
    settings: Any,
) -> None:
    settings.FOUR_EYES = True
    plans: list[IntentPlan] = [note(submitter, name) for name in ("one", "two")]
    in_force(Action.REQUIRE_TWO, keeper)
    page = open_page(judge, group(plans[0]))
    page.keyboard.press("t")
    page.keyboard.press("a")
    expect(page.get_by_text("2 approved as the first of two:")).to_be_visible()
    expect(page.get_by_text("You approved it as the first of two.")).to_have_count(2)
    found = looked_at(page, "batch-first-of-two")
    assert {plan.state for plan in IntentPlan.objects.all()} == {"awaiting_review"}
    page = open_page(second_judge, group(plans[0]))
    expect(page.get_by_text("You approved it as the first of two.")).to_have_count(0)
    page.keyboard.press("t")
    page.keyboard.press("a")
    expect(page.get_by_text("2 approved:")).to_be_visible()
    assert {plan.state for plan in IntentPlan.objects.all()} == {"approved"}
    assert found == []
