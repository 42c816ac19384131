"""The page of a report: who sees it, that foreign text stays text, and how a goal comes to one."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from agents.cycle import cycle
from agents.goals import goals
from agents.models import Goal, Intent, IntentPlan, LogLine, Workspace
from agents.states import GoalState
from agents.workspaces import workspaces
from review.deciding import decisions
from tests.agents.presentation.reports import report

if TYPE_CHECKING:
    from django.test import Client

    from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[["User"], "Client"]
HOSTILE = "<img src=x>\u202e.py"


def reported(plan: IntentPlan, result: dict[str, Any]) -> Intent:
    step = plan.intents.order_by("position")[0]
    Intent.objects.filter(pk=step.pk).update(result=result)
    return Intent.objects.get(pk=step.pk)


def page(client: Client, step: Intent, goal: int | None = None) -> tuple[int, str]:
    address = reverse("goal-report", args=[goal or step.intent_plan.goal_id, step.pk])
    answer = client.get(address)
    return answer.status_code, answer.content.decode()


def test_only_who_sees_the_goal_sees_its_reports(
    owner: User, reviewer: User, outsider: User, propose_plan: Callable[..., IntentPlan], client_of: ClientOf
) -> None:
    step = reported(propose_plan(owner), {"message": "looked", "report": report()})
    assert page(client_of(owner), step)[0] == 200
    assert page(client_of(reviewer), step)[0] == 200
    assert page(client_of(outsider), step)[0] == 404
    # A step of another goal is not had through one's own.
    own = propose_plan(outsider)
    assert page(client_of(outsider), step, own.goal_id)[0] == 404


def test_names_and_messages_from_the_jail_are_shown_as_text(
    owner: User, propose_plan: Callable[..., IntentPlan], client_of: ClientOf
) -> None:
    step = reported(propose_plan(owner), {"message": HOSTILE, "report": report(HOSTILE, HOSTILE)})
    for said in (
        page(client_of(owner), step)[1],
        client_of(owner).get(reverse("goal", args=[step.intent_plan.goal_id])).content.decode(),
    ):
        assert "<img src=x>" not in said
        assert "\u202e" not in said
        assert "&lt;img src=x&gt;" in said


def test_a_proposal_is_a_page_with_its_diff_as_text(
    owner: User, propose_plan: Callable[..., IntentPlan], client_of: ClientOf
) -> None:
    fixes = {
        "kind": "fixes", "path": ".", "target": "3.9", "applied": False, "file_count": 1, "without_diff": 2,
        "files": [{"path": HOSTILE, "deleted": 1, "added": 1}], "rules": [{"code": "E713", "name": "x", "count": 1}],
        "left_alone": [{"path": HOSTILE, "why": HOSTILE}], "left_out": [], "notes": [HOSTILE], "analysers": {},
    }  # fmt: skip
    diff = f"--- a/{HOSTILE}\n+++ b/{HOSTILE}\n@@ -1 +1 @@\n-{HOSTILE}\n+new\n"
    step = reported(propose_plan(owner), {"message": "m", "report": fixes, "diff": diff})
    status, said = page(client_of(owner), step)
    assert status == 200
    assert "<img src=x>" not in said
    assert "\u202e" not in said
    assert '<li class="a"><b></b><b>1</b><code>new</code></li>' in said
    assert "2 more files" in said


@pytest.mark.parametrize("result", [None, {}, {"report": None}, {"report": {"kind": "analysis"}}, {"report": "x"}])
def test_a_step_without_a_report_has_no_such_page_and_nothing_leads_there(
    owner: User, propose_plan: Callable[..., IntentPlan], client_of: ClientOf, result: dict[str, Any]
) -> None:
    step = reported(propose_plan(owner), result)
    assert page(client_of(owner), step)[0] == 404
    said = client_of(owner).get(reverse("goal", args=[step.intent_plan.goal_id])).content.decode()
    assert reverse("goal-report", args=[step.intent_plan.goal_id, step.pk]) not in said


def test_a_goal_in_english_leads_to_a_report_with_charts(
    owner: User, reviewer: User, valkey: object, client_of: ClientOf
) -> None:
    call_command("load_starters", verbosity=0)
    workspace = workspaces.create(by=owner, name="code")
    content = b"import os\n\n\ndef f(a):\n    return eval(a)\n"
    workspaces.put_file(workspace, by=owner, path="app/a.py", source=BytesIO(content))
    goal = goals.submit(by=owner, text="Analyze the code in app", workspace=Workspace.objects.get(pk=workspace.pk))
    cycle.work(goal.pk)
    plan = IntentPlan.objects.get(goal=goal)
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    cycle.work(goal.pk)
    goal = Goal.objects.get(pk=goal.pk)
    assert goal.state == GoalState.ACHIEVED, goal.reason
    assert LogLine.objects.filter(goal=goal, text__startswith="1 file to look at").exists()
    step = plan.intents.get()
    status, said = page(client_of(owner), step)
    assert status == 200
    assert "app/a.py:5" in said
    assert reverse("goal-report", args=[goal.pk, step.pk]) in client_of(owner).get(
        reverse("goal-attempts", args=[goal.pk])
    ).content.decode()  # fmt: skip
    assert Workspace.objects.get(pk=workspace.pk).head == plan.workspace.head  # looking changes no file
