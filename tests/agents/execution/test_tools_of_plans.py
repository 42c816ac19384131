"""Tools that bring a program of their own, from a goal's words over the review to what is in the workspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command

from agents.cycle import cycle
from agents.models import Goal, IntentPlan
from agents.states import GoalState
from review.deciding import decisions
from tests.agents.execution.conftest import write
from tests.agents.toolkit.answering import answering, ok

if TYPE_CHECKING:
    from django.test import Client

    from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)


def git(command: str, **params: Any) -> dict[str, Any]:
    return {"tool": "git_tool", "command": command, "params": {"path": "work", **params}}


def results(plan: IntentPlan) -> list[dict[str, Any]]:
    return [dict(intent.result or {}) for intent in plan.intents.order_by("position")]


def test_a_goal_asks_an_approved_host_and_keeps_the_answer(
    make_goal: Callable[..., Goal],
    owner: User,
    reviewer: User,
    client_of: Callable[[User], Client],
    file_of: Callable[[IntentPlan, str], bytes],
) -> None:
    call_command("load_starters", verbosity=0)
    with answering() as server:
        server.answers["/status"] = ok("all is well <b>\u202e".encode())
        goal = make_goal(owner, f"Ask {server.address}/status and note the answer as answer")
        cycle.work(goal.pk)
        plan = goal.intent_plans.get()
        page = client_of(reviewer).get(plan.get_absolute_url()).content.decode()
        assert f"<code>{server.entry}</code>" in page[page.index("bound-reach") :]
        assert "runs its tool’s own code, and may reach" in page
        assert "It changes no file in the workspace." in page
        assert server.requests == []
        decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
        cycle.work(goal.pk)
        goal.refresh_from_db()
        assert goal.state == GoalState.ACHIEVED, results(plan)
        assert len(server.requests) == 1
    assert file_of(plan, "notes/answer.md").decode() == "all is well <b>\u202e\n"
    shown = client_of(owner).get(goal.get_absolute_url()).content.decode()
    assert "\u202e" not in shown


def test_a_plan_commits_and_the_next_one_finds_its_history_in_the_snapshot(
    approved: Callable[..., IntentPlan], reviewer: User, client_of: Callable[[User], Client]
) -> None:
    make = {"tool": "simple_coder", "command": "mkdir", "params": {"path": "work"}}
    who = {"author_name": "Ada", "author_email": "ada@example.org"}
    steps = [make, write("work/a.txt", "one\n"), git("init"), git("commit", message="first", **who), git("status")]
    plan = approved(steps)
    page = client_of(reviewer).get(plan.get_absolute_url()).content.decode()
    assert "Which files it changes is unknown before it runs." in page
    assert "ada@example.org" in page
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED, results(plan)
    assert results(plan)[-1]["clean"] is True
    commit = results(plan)[3]["commit"]
    goal = Goal.objects.get(pk=plan.goal_id)
    later = approved([git("log"), git("diff")], workspace=goal.workspace)
    cycle.work(later.goal_id)
    log, diff = results(later)
    assert [(each["commit"], each["author"]) for each in log["commits"]] == [(commit, "Ada")]
    assert diff["files"] == []
