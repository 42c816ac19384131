"""Operators correct what a failure was classed as with a mouse, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from agents.bdi.failures import Facts
from agents.models import FailureRecord, Goal
from people.models import User
from tests.browser import COVERED

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_facts_of_a_failure_open_under_its_row_and_its_class_is_corrected(
    owner: User, operator: User, make_goal: Callable[..., Goal], open_page: Callable[..., Page]
) -> None:
    facts = Facts(tool="simple_coder", command="run", exit_code=3)
    failure = FailureRecord.objects.create(
        goal=make_goal(owner), stage="execution", tool="simple_coder", command="run", facts=facts.to_json(),
        classified_as="TOOL_EXECUTION_ERROR", failure_class="TOOL_EXECUTION_ERROR", reason="exit code 3",
        strategy="retry_with_delay",
    )  # fmt: skip
    page = open_page(operator, "/recovery/failures/")
    assert page.evaluate(COVERED) == []
    page.get_by_text("Facts and class").click()
    page.get_by_label("Class").select_option("NETWORK_ERROR")
    page.get_by_label("Why").fill("the net was down")
    page.get_by_role("button", name="Correct the class").click()
    page.get_by_text("was TOOL_EXECUTION_ERROR").wait_for()
    failure.refresh_from_db()
    assert failure.failure_class == "NETWORK_ERROR"
