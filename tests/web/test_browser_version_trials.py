"""An operator plans an A/B trial in Chromium, sees its figures change, starts it and reads how it ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agents.evolution import replaying
from agents.models import VersionTrial
from library.components import services as library
from library.models import ComponentVersion
from people.models import User
from tests.agents.evolution.conftest import repeated, rule, strict, totalled  # fixtures  # noqa: F401
from tests.web.test_browser_tuning import looked_at

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_replayed_trial_is_started_from_the_form_and_ends(
    operator: User,
    reviewer: User,
    strict: ComponentVersion,  # noqa: F811
    totalled: Callable[..., Any],  # noqa: F811
    repeated: Callable[[int], None],  # noqa: F811
    open_page: Callable[..., Page],
) -> None:
    library.publish("rule", "total a list", rule("lenient"), by=reviewer, changes="blank lines")
    totalled("1\n\n2\n", give_it_up=False)
    repeated(8)
    page = open_page(operator, f"/rules/{strict.component_id}/")
    page.get_by_role("link", name="New trial").click()
    plan = page.locator("#trial-plan")
    expect(plan).to_contain_text("8 cases, which is all there are; a power of 80 % needs 85")
    found = looked_at(page, "trial-new")
    page.get_by_label("Smallest difference worth noticing, in points").fill("1")
    expect(plan).to_contain_text("Choose a smallest difference of 2 to 60 points.")
    page.get_by_label("Smallest difference worth noticing, in points").fill("60")
    expect(plan).to_contain_text("at least 60 of 100 cases end differently")
    page.get_by_label("end differently").fill("100")
    page.get_by_label("Chance of error").select_option("10")
    expect(plan).to_contain_text("10 % chance at most, over the whole trial, to call one better")
    expect(plan).to_contain_text("8 cases")
    assert not VersionTrial.objects.exists(), "nothing begins before somebody starts it"
    page.get_by_role("button", name="Start trial").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    found += looked_at(page, "trial-waiting")
    replaying.work()
    expect(page.get_by_text("B (1.1.0) is better")).to_be_visible()
    expect(page.get_by_text("6 of at most")).to_be_visible()
    expect(page.get_by_role("img", name="Lead: after 6 cases B is ahead, by 6; 6 decide")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Stop trial")).to_have_count(0)
    found += looked_at(page, "trial-ended")
    page.get_by_role("link", name="A/B trials").first.click()
    expect(page.get_by_role("link", name="total a list: A 1.0.0, B 1.1.0")).to_be_visible()
    found += looked_at(page, "trials")
    assert found == []
    assert ComponentVersion.objects.get(component=strict.component, version="1.1.0").status == "candidate"


def test_it_works_without_scripts_and_is_stopped(
    operator: User,
    reviewer: User,
    strict: ComponentVersion,  # noqa: F811
    totalled: Callable[..., Any],  # noqa: F811
    repeated: Callable[[int], None],  # noqa: F811
    open_page: Callable[..., Page],
) -> None:
    library.publish("rule", "total a list", rule("lenient"), by=reviewer, changes="blank lines")
    totalled("1\n2\n")
    repeated(12)
    page = open_page(operator, f"/evolution/trials/new?component={strict.component_id}", scripts=False)
    page.get_by_label("Smallest difference worth noticing, in points").fill("25")
    page.get_by_role("button", name="Calculate").click()
    expect(page.locator("#trial-plan")).to_contain_text("if B is better by 25 points")
    assert not VersionTrial.objects.exists()
    page.get_by_role("button", name="Start trial").click()
    page.get_by_role("button", name="Stop trial").click()
    expect(page.get_by_text("Stopped before the answer was known.")).to_be_visible()
