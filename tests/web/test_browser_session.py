"""The session page in real Chromium: it follows the goal by itself, reads well everywhere, and survives a log-out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import Page, expect

from agents.goals import goals
from agents.models import Attempt, IntentPlan, TerminalSession
from people.models import User
from sandbox.contract import SessionState
from tests.axe import violations
from tests.browser import sideways

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
LONG = "averylongwordwithoutspaces" * 6
RUN = {"tool": "simple_coder", "command": "run", "params": {"command_line": f"python {LONG}.py"}}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def tried(plan: IntentPlan, number: int, outcome: str, **result: Any) -> None:
    Attempt.objects.create(
        intent=plan.intents.get(),
        number=number,
        fence=1,
        worker="worker-1",
        started=timezone.now(),
        finished=timezone.now(),
        outcome=outcome,
        result=result,
        snapshot_before=plan.workspace.head,
    )


def test_the_page_follows_the_goal_by_itself_until_it_has_ended(
    owner: User, propose_plan: Callable[..., IntentPlan], open_page: OpenPage
) -> None:
    plan = propose_plan(owner, [RUN])
    page = open_page(owner, f"/goals/{plan.goal_id}/session/")
    expect(page.locator("#goal-transcript")).to_contain_text("No command has run")
    tried(plan, 1, "failed", stdout="\x1b[31mred\x1b[0m words", return_code=1)
    expect(page.locator("#goal-transcript .a-r")).to_have_text("red")
    tried(plan, 2, "succeeded", stdout="second", return_code=0)
    expect(page.locator("#goal-transcript")).to_contain_text("second")
    goals.cancel(plan.goal, by=owner)
    expect(page.locator("#goal-state")).to_contain_text("dropped")
    expect(page.locator("#goal-session[hx-get]")).to_have_count(0)


def test_who_was_logged_out_meanwhile_keeps_what_was_there(
    owner: User, propose_plan: Callable[..., IntentPlan], open_page: OpenPage
) -> None:
    plan = propose_plan(owner, [RUN])
    tried(plan, 1, "succeeded", stdout="kept words", return_code=0)
    page = open_page(owner, f"/goals/{plan.goal_id}/session/")
    Session.objects.all().delete()
    expect(page.locator("#messages .notice")).to_contain_text("no longer logged in")
    expect(page.locator("#goal-transcript")).to_contain_text("kept words")


@pytest.mark.parametrize("width", [1440, 360])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    width: int, owner: User, propose_plan: Callable[..., IntentPlan], open_page: OpenPage
) -> None:
    plan = propose_plan(owner, [RUN])
    state = SessionState(cwd=LONG, venv=LONG, env={LONG: LONG}, autonomous=True)
    TerminalSession.objects.filter(intent_plan=plan).update(state=state.to_json())
    tried(plan, 1, "failed", stdout=LONG, stderr=f"\x1b[1;34m{LONG}", return_code=1, limit="memory", level="L3")
    page = open_page(owner, f"/goals/{plan.goal_id}/session/", width=width)
    assert sideways(page) == 0
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == [], scheme
