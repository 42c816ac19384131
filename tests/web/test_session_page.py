"""The page of a goal's session: where it stands, what ran in it, and that it asks again only while it must."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse
from django.utils import timezone

from agents.goals import goals
from agents.models import Attempt, Goal, Intent, IntentPlan, TerminalSession
from agents.pages.sessions import session_page
from sandbox.contract import SessionState

if TYPE_CHECKING:
    from django.test import Client

    from people.models import User

ClientOf = Callable[["User"], "Client"]
Proposer = Callable[..., IntentPlan]
pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\u202e"
RUN = {"tool": "simple_coder", "command": "run", "params": {"command_line": "python --version"}}


def page_of(client: Client, goal_id: int) -> str:
    answer = client.get(reverse("goal-session", args=[goal_id]))
    assert answer.status_code == 200
    return str(answer.content.decode())


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def tried(intent: Intent, result: dict[str, Any], outcome: str = "succeeded", number: int = 1, **more: Any) -> Attempt:
    now = timezone.now()
    return Attempt.objects.create(
        intent=intent,
        number=number,
        fence=1,
        worker="worker-1",
        started=now,
        finished=now + timedelta(seconds=1),
        outcome=outcome,
        result=result,
        snapshot_before="a" * 64,
        **more,
    )


def test_before_anything_ran_the_page_says_so(owner: User, make_goal: Callable[..., Goal], client_of: ClientOf) -> None:
    shown = plain(page_of(client_of(owner), make_goal(owner).pk))
    assert "unknown until a step has run, at least L3 is required" in shown
    assert "No command has run" in shown
    assert "none is active" in shown


def test_the_session_stands_where_the_plan_left_it(owner: User, propose_plan: Proposer, client_of: ClientOf) -> None:
    plan = propose_plan(owner, [RUN])
    state = SessionState(cwd="src", venv="env", env={"COLOUR": HOSTILE}, autonomous=True)
    TerminalSession.objects.filter(intent_plan=plan).update(state=state.to_json())
    tried(plan.intents.get(), {"return_code": 0, "stdout": "Python 3\n", "level": "L2"}, snapshot_after="b" * 64)
    html = page_of(client_of(owner), plan.goal_id)
    shown = plain(html)
    assert "Isolation L2 , at least L3 is required" in shown
    assert "Folder ./src" in shown
    assert "Virtual environment env" in shown
    assert "Autonomous mode on" in shown
    assert "COLOUR=&lt;script&gt;" in html
    assert "<script>alert" not in html
    assert "Python 3" in shown
    assert "exit code 0, after 1.0 s, files changed" in shown


def test_only_the_newest_plan_and_its_newest_tries_are_shown(
    owner: User, propose_plan: Proposer, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_page, "TRIES_SHOWN", 2)
    plan = propose_plan(owner, [RUN])
    for number in (1, 2, 3):
        tried(plan.intents.get(), {"stdout": f"said in try {number}"}, "failed", number, reason="reached its end")
    shown = plain(page_of(client_of(owner), plan.goal_id))
    assert "1 earlier tries are not shown" in shown
    assert "said in try 1" not in shown
    assert shown.index("said in try 2") < shown.index("said in try 3")
    assert "failed, after 1.0 s, reached its end" in shown


def test_a_person_who_may_not_open_the_workspace_gets_no_way_into_it(
    owner: User, propose_plan: Proposer, client_of: ClientOf, make_workspace: Callable[..., Any], outsider: User
) -> None:
    plan = propose_plan(owner, [RUN])
    address = reverse("workspace", args=[plan.workspace.name])
    assert address in page_of(client_of(owner), plan.goal_id)
    plan.workspace.owner = outsider
    plan.workspace.save()
    assert address not in page_of(client_of(owner), plan.goal_id)


def test_the_page_asks_again_and_is_answered_only_when_it_would_look_different(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner, [RUN])
    client = client_of(owner)
    found = re.search(r'hx-get="([^"]+)"', page_of(client, plan.goal_id))
    assert found is not None
    address = found[1]
    assert client.get(address, headers={"HX-Request": "true"}).status_code == 204
    assert client.get(address).status_code == 200  # a person who opens this address sees the page
    tried(plan.intents.get(), {"stdout": "new"})
    fresh = client.get(address, headers={"HX-Request": "true"})
    assert fresh.status_code == 200
    assert "new" in fresh.content.decode()
    goals.cancel(plan.goal, by=owner)
    assert "hx-get" not in page_of(client, plan.goal_id)


def test_a_damaged_document_still_shows_what_ran(
    owner: User, propose_plan: Proposer, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = propose_plan(owner, [RUN])
    tried(plan.intents.get(), {"stdout": "here"})
    monkeypatch.setattr("agents.record.selectors.read_document", lambda plan: None)
    shown = plain(page_of(client_of(owner), plan.goal_id))
    assert "$ simple_coder.run" in shown
    assert "here" in shown
