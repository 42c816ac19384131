"""The browser warns of nothing: neither in a plan's dry run, nor after an approval was held up."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from agents.models import IntentPlan
from people.models import User
from tests.browser import chromium, open_page  # noqa: F401  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ONE = [{"tool": "simple_coder", "command": "run", "params": {"command_line": "python job.py"}}]


def test_a_plan_of_one_step_is_looked_at_again_without_a_warning(
    owner: User,
    reviewer: User,
    propose_plan: Callable[..., IntentPlan],
    open_page: Callable[..., Page],  # noqa: F811
) -> None:
    plan = propose_plan(owner, ONE)
    page = open_page(reviewer, plan.get_absolute_url())
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))

    def looked_again() -> None:
        with page.expect_response(lambda response: "/shadow/" in response.url):
            pass

    looked_again()
    page.locator("body").press("a")  # its dry run has not ended, so it is asked once more
    expect(page).to_have_url(re.compile("/decide/$"))
    looked_again()
    looked_again()
    assert [text for text in said if "returned no matches" in text or "Content Security Policy" in text] == []
    page.goto(page.url)
    assert page.url.endswith(plan.get_absolute_url()), "who opens the address of the form comes to the plan"
