"""Writing a policy in real Chromium, and what it does to a plan, wide and on a phone; axe finds nothing serious."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from agents.models import IntentPlan
from library.components import services as library
from people.models import User
from review.deciding import auto_approval
from review.models import ReviewPolicy
from review.policy.verdict import Action
from tests.agents.toolkit.made_texts import WORD_COUNT
from tests.axe import violations
from tests.browser import chromium, open_page, sideways  # noqa: F401  # the first two are fixtures
from tests.review.some_policies import in_force

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]


def shot(page: Page, name: str) -> None:
    """Keep a picture for people, where a folder for them is named."""
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.mark.parametrize("width", [1440, 390])
def test_a_policy_is_written_replayed_enabled_and_asks_for_two(
    width: int,
    plan: IntentPlan,
    keeper: User,
    judge: User,
    second_judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    auto_approval.look(plan.pk)
    page = open_page(keeper, "/review/policies/", width=width)
    expect(page.locator("h2", has_text="No policy yet")).to_be_visible()
    page.get_by_role("link", name="Write a policy").first.click()
    page.get_by_label("Name", exact=True).fill("two for writing")
    page.get_by_label("Action").select_option("auto_approve")
    with page.expect_navigation():
        page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Add at least one condition")).to_be_visible()
    assert sideways(page) == 0
    shot(page, f"policy-form-{width}")
    page.get_by_label("Action").select_option("require_two")
    page.get_by_label("Commands").fill("write")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("h1")).to_have_text("two for writing")
    page.get_by_role("button", name="Replay on history").click()
    with page.expect_navigation():
        page.get_by_role("button", name="Enable version 1").click()
    expect(page.locator(".page-head .state")).to_have_text("enabled")
    assert sideways(page) == 0
    shot(page, f"policy-{width}")
    page.goto("/review/policies/?history=1")
    assert sideways(page) == 0
    shot(page, f"policies-{width}")
    one = open_page(judge, plan.get_absolute_url(), width=width)
    expect(one.get_by_text("Two people must approve this.")).to_be_visible()
    expect(one.get_by_text("fewer than 10 cases so far")).to_be_visible()
    assert sideways(one) == 0
    shot(one, f"plan-two-{width}")
    with one.expect_navigation():
        one.get_by_role("button", name="Approve").click()
    one.goto(plan.get_absolute_url())
    expect(one.get_by_text("1 of 2 approvals")).to_be_visible()
    shot(one, f"plan-first-{width}")
    other = open_page(second_judge, plan.get_absolute_url(), width=width)
    with other.expect_navigation():
        other.get_by_role("button", name="Approve").click()
    other.goto(plan.get_absolute_url())
    expect(other.locator("#standing")).to_contain_text("This plan is approved")
    expect(other.get_by_text("Approved as the first of two")).to_be_visible()
    queue = open_page(judge, "/review/", width=width)
    assert sideways(queue) == 0


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_on_what_history_proposes_nor_on_a_plan_that_needs_two(
    width: int,
    plan: IntentPlan,
    keeper: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    in_force(Action.REQUIRE_TWO, keeper, "two for writing", commands=["write"])
    in_force(Action.AUTO_APPROVE, keeper, "notes pass", paths=["notes/*"])
    auto_approval.look(plan.pk)
    for address in ("/review/policies/?history=1", plan.get_absolute_url()):
        page = open_page(keeper, address, width=width)
        assert sideways(page) == 0, address
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == [], (address, scheme)


@pytest.mark.parametrize("width", [1440, 390])
def test_an_approving_policy_is_written_without_json(
    width: int,
    keeper: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(keeper, "/review/policies/new/", width=width, scripts=False)
    page.get_by_label("Name", exact=True).fill("notes pass")
    page.get_by_label("Action").select_option("auto_approve")
    page.get_by_label("Paths").fill("notes/*")
    page.get_by_label("Risk at most (for approving)").select_option("medium")
    page.get_by_label("Its dry run did every step and deleted nothing").check()
    page.get_by_label("Plans a day").fill("4")
    page.get_by_label("Until").fill((timezone.now() + timedelta(days=9)).date().isoformat())
    page.get_by_label("Share still reviewed by a person, in %").fill("25")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("h1")).to_have_text("notes pass")
    version = ReviewPolicy.objects.get().versions.get()
    assert version.conditions == {"paths": ["notes/*"], "risk_at_most": "medium", "shadow_clean": True}
    assert (version.budget, version.sampling_percent, version.owner) == (4, 25, keeper)


@pytest.mark.parametrize("width", [1440, 390])
def test_a_changed_tool_is_seen_where_it_is_activated_and_confirmed_where_the_policy_is(
    width: int,
    operator: User,
    keeper: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    library.publish("tool", "word_count", WORD_COUNT, by=operator, status="active")
    policy = in_force(Action.AUTO_APPROVE, keeper, "counting passes", commands=["word_count.count_words"])
    changed = WORD_COUNT.replace("Counts the words of text files.", "Counts words.")
    version = library.publish("tool", "word_count", changed, by=operator)
    page = open_page(keeper, f"/tools/word_count/?version={version.pk}", width=width)
    expect(page.locator("#asked-again")).to_contain_text("1 policy asks a person again once version 1.1.0 is active")
    assert sideways(page) == 0
    assert violations(page) == []
    shot(page, f"policy-asked-again-{width}")
    library.activate(version, operator)
    page.reload()
    page.get_by_role("link", name="counting passes").click()
    expect(page.locator("#changed-tools")).to_contain_text("word_count 1.1.0 (looked at: 1.0.0)")
    assert sideways(page) == 0
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []
        shot(page, f"policy-changed-tools-{scheme}-{width}")
    page.get_by_role("button", name="I looked at it").click()
    expect(page.locator("#tools")).to_contain_text("approved")
    expect(page.locator("#changed-tools")).to_have_count(0)
    shot(page, f"policy-confirmed-{width}")
    policy.refresh_from_db()
    assert sorted(policy.looked_at["word_count"].values()) == ["1.0.0", "1.1.0"]
