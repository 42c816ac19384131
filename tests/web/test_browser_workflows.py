"""A workflow in real Chromium: written with a fault, mended, processed, reviewed with every value, approved and run."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from agents.cycle import cycle
from agents.models import IntentPlan
from people.models import User
from tests.agents.bdi.workflows.workflow_texts import GREET, execute, parallel, text
from tests.browser import approve, sideways

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]


def test_a_workflow_is_written_mended_processed_approved_and_returns_its_result(
    reviewer: User, open_page: OpenPage, valkey: object
) -> None:
    page = open_page(reviewer, "/workflows/")
    page.get_by_role("link", name="New workflow").click()
    area = page.get_by_label("Text of the workflow")
    area.fill(GREET.replace("{{greeting.content}}", "{{greeting.text}}", 1))
    expect(page.locator("#checked")).to_contain_text("Line 22: {{greeting.text}}: there is no “text” in it.")
    expect(page.locator("#checked")).to_contain_text("It gives content")
    page.get_by_role("button", name="Save as candidate").click()
    expect(page.locator(".notice.nt-bad")).to_contain_text("Not saved. Line 22")
    page.get_by_label("Text of the workflow").fill(GREET)
    expect(page.locator("#checked")).to_contain_text("can be processed")
    expect(page.locator("#checked .flow-step")).to_have_count(4)
    page.get_by_role("button", name="Save as candidate").click()

    page.get_by_label("name", exact=True).fill("moon; rm -rf /")
    page.get_by_role("button", name="Process 1.0.0").click()
    expect(page).to_have_url(re.compile(r"/review/\d+/"))
    plan = IntentPlan.objects.get()
    main = page.locator("main")
    for value in ("Hello moon; rm -rf /", "grep -c 'moon; rm -rf /' hello.txt", "the value of {{greeting.content}}"):
        expect(main).to_contain_text(value)
    expect(page.locator("#flow .flow-step[data-s=pending]")).to_have_count(4)
    assert plan.intents.filter(state="pending").count() == 4
    approve(page)

    expect(page).to_have_url(re.compile(rf"/goals/{plan.goal_id}/$"))
    expect(page.locator("#goal-way .flow-step[data-s=pending]")).to_have_count(4)
    cycle.work(plan.goal_id)
    # Nothing is loaded again: the picture follows the run.
    expect(page.locator("#goal-way .flow-step[data-s=succeeded]")).to_have_count(4)
    expect(page.locator("#flow-returned")).to_have_text("Hello moon; rm -rf /")
    page.set_viewport_size({"width": 360, "height": 800})
    assert sideways(page) == 0
    page.locator("#goal-way").get_by_role("link", name="Greet 1.0.0").click()
    expect(page.locator("h1 ~ span").last).to_contain_text("1 of 1 uses worked")


def test_branches_stand_side_by_side_and_a_failed_one_is_seen_beside_those_that_went_on(
    reviewer: User, open_page: OpenPage, valkey: object
) -> None:
    fails = execute("simple_coder.run", "input: {command_line: \"python -c 'raise SystemExit(3)'\"}", "retries: 0")
    body = text(parallel(fails, execute("simple_coder.mkdir", "input: {path: made}")), name="Two ways")
    page = open_page(reviewer, "/workflows/new/", width=390, scheme="dark")
    page.get_by_label("Text of the workflow").fill(
        body.replace("retries: 0", "output_var: x").replace("made}", "'{{x}}'}")
    )
    expect(page.locator("#checked")).to_contain_text("is a result of branch 1a, which does not wait for this one")
    page.get_by_label("Text of the workflow").fill(body)
    expect(page.locator("#checked")).to_contain_text("Branches do not wait for each other")
    boxes = page.locator("#checked .flow-step rect")
    expect(boxes).to_have_count(2)
    assert [boxes.nth(at).get_attribute("x") for at in (0, 1)] == ["4", "4"]
    page.get_by_role("button", name="Save as candidate").click()
    page.get_by_role("button", name="Process 1.0.0").click()
    expect(page.locator("#intent-1")).to_contain_text("Branch 1a if it fails, the branches beside it go on first")
    expect(page.locator("#intent-1")).to_contain_text("Retries 0 tried at most 1 time, and never more often")
    approve(page)
    plan = IntentPlan.objects.get()
    expect(page).to_have_url(re.compile(rf"/goals/{plan.goal_id}/$"))
    cycle.work(plan.goal_id)
    expect(page.locator("#goal-way .flow-step[data-s=failed]")).to_contain_text("1a.1 run")
    expect(page.locator("#goal-way .flow-step[data-s=succeeded]")).to_contain_text("1b.1 mkdir")
    assert sideways(page) == 0


def test_a_step_whose_condition_does_not_hold_is_shown_as_skipped(
    reviewer: User, open_page: OpenPage, valkey: object
) -> None:
    page = open_page(reviewer, "/workflows/new/", width=360)
    page.get_by_label("Text of the workflow").fill(GREET.replace("return_code}} == 0", "return_code}} == 7"))
    page.get_by_role("button", name="Save as candidate").click()
    page.get_by_role("button", name="Process 1.0.0").click()
    approve(page)
    plan = IntentPlan.objects.get()
    expect(page).to_have_url(re.compile(rf"/goals/{plan.goal_id}/$"))
    cycle.work(plan.goal_id)
    expect(page.locator("#goal-way .flow-step[data-s=skipped]")).to_have_count(1)
    expect(page.locator("#goal-way .flow-step[data-s=succeeded]")).to_have_count(3)
    assert sideways(page) == 0
