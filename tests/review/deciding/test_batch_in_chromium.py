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
from tests.browser import chromium, open_page, sideways  # noqa: F401  # the first two are fixtures
from tests.review.plans import goal_of, proposed, step, tried
from tests.review.queue.test_groups import group, note, place_of
from tests.review.some_policies import in_force
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
    expect(page.get_by_text("2 selected")).to_be_visible()
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


@pytest.mark.parametrize("width", [1440, 390])
def test_nine_plans_their_shadow_runs_and_what_they_share_fit_the_screen(
    width: int,
    submitter: User,
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    names = ["rainfall", "gauges", "sluice", "weir", "basin", "levee", "flume", "spillway", "culvert"]
    plans = [project(submitter, name) for name in names]
    failed = project(submitter, "broken", failed_at=2)
    page = open_page(judge, group(plans[0]), width=width)
    page.set_viewport_size({"width": width, "height": 900})
    expect(page.locator(".member")).to_have_count(9)
    assert failed.goal.text not in page.locator(".members").inner_text()
    expect(page.get_by_text("1 more plan with the same steps")).to_be_visible()
    for at, name in enumerate(names):
        expect(page.locator(".member").nth(at)).to_contain_text(f"2 new {name}/README.md, {name}/run.py")
    expect(page.locator(".shared-card")).to_contain_text("‹1 path›/README.md")
    assert sideways(page) == 0
    if width == 1440:
        table, bar = (page.locator(which).bounding_box() for which in (".members", "#batch"))
        assert table is not None
        assert bar is not None
        assert table["y"] + table["height"] <= bar["y"]
    assert looked_at(page, "batch-nine") == []


def project(owner: User, name: str, failed_at: int = 0) -> IntentPlan:
    """A folder with two files in it that hold the folder's name."""
    steps = (
        step("mkdir", path=name),
        step("write", path=f"{name}/README.md", content=f"# {name}\n\nWhat {name} measures.\n"),
        step("write", path=f"{name}/run.py", content=f"print('{name}')\n"),
    )
    plan = proposed(
        goal_of(owner, f"Create a project named {name} with a readme and a program", workspace=place_of(owner)), steps
    )
    tried(plan, failed_at=failed_at, added=[f"{name}/README.md", f"{name}/run.py"])
    return plan
