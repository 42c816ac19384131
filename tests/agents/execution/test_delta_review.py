"""A workspace that moved after the approval: nothing runs, and people are asked again with what changed."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.test import Client

from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.execution import shadow
from agents.models import Goal, IntentPlan, Workspace
from agents.states import GoalState, PlanState
from agents.workspaces import workspaces
from people.models import User
from review.deciding import decisions
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)
Approved = Callable[..., IntentPlan]
WithoutGuard = Callable[[str, str], AbstractContextManager[None]]


def _put(workspace: Workspace, owner: User, path: str) -> None:
    workspaces.put_file(workspace, by=owner, path=path, source=io.BytesIO(b"changed meanwhile"))


def _again(plan: IntentPlan) -> IntentPlan:
    return IntentPlan.objects.get(goal=plan.goal_id, state=PlanState.AWAITING_REVIEW)


def test_nothing_runs_on_files_that_nobody_saw(
    approved: Approved, owner: User, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    plan = approved([write("a.txt", "new"), run("cat other.txt")])
    _put(plan.workspace, owner, "other.txt")
    head = Workspace.objects.get(pk=plan.workspace_id).head
    cycle.work(plan.goal_id)
    plan.refresh_from_db()
    goal = Goal.objects.get(pk=plan.goal_id)
    assert (plan.state, goal.state) == (PlanState.SUPERSEDED, GoalState.AWAITING_REVIEW)
    assert Workspace.objects.get(pk=plan.workspace_id).head == head
    assert {intent.state for intent in plan.intents.all()} == {"pending"}
    again = _again(plan)
    document = documents.read(bytes(again.document))
    before = documents.read(bytes(plan.document))
    assert document.base == head
    assert [(spec.command, spec.params) for spec in document.intents] == [
        (spec.command, spec.params) for spec in before.intents
    ]
    delta = again.plan.evidence["delta"]
    assert (delta["revision"], delta["before"], delta["after"]) == (plan.revision, before.base, head)
    shadow.one()
    page = client_of(reviewer).get(again.get_absolute_url()).content.decode()
    assert "Approved before, needs approval again" in page
    assert "changed meanwhile" in page
    decisions.approve(again, by=reviewer, digest=again.digest)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED


def test_the_page_names_the_files_it_stands_on_and_no_others(
    proposed_by_hand: Approved, owner: User, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    """What else changed in the workspace, here before the approval, makes nobody read the plan again."""
    plan = proposed_by_hand([run("cat f5.txt")])
    _put(plan.workspace, owner, "f0.txt")
    _put(plan.workspace, owner, "f5.txt")
    shadow.one()
    plan.refresh_from_db()
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    workspaces.put_file(plan.workspace, by=owner, path="f5.txt", source=io.BytesIO(b"once more"))
    cycle.work(plan.goal_id)
    page = client_of(reviewer).get(_again(plan).get_absolute_url()).content.decode()
    assert page.count("f5.txt changed since it was tried") == 2
    assert '<span class="path">f5.txt</span>' in page
    assert "f0.txt" not in page


def test_an_unmoved_workspace_asks_nobody_again(approved: Approved) -> None:
    plan = approved([write("a.txt")])
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert plan.goal.intent_plans.count() == 1


def test_a_plan_that_has_begun_is_not_asked_again_for_its_own_changes(
    approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agents.recovery import recovery_learning

    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 0.0)
    flaky = "python -c 'import os; raise SystemExit(0 if os.path.exists(\"a.txt\") else 1)'"
    plan = approved([write("a.txt"), run(flaky)])
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED


def test_changed_bytes_are_refused_and_not_asked_again(
    approved: Approved, owner: User, without_guard: WithoutGuard
) -> None:
    plan = approved([write("a.txt")])
    _put(plan.workspace, owner, "other.txt")
    data = bytes(plan.document).replace(b"a.txt", b"b.txt")
    with without_guard("agents_intentplan", "intent_plan_immutable"):
        IntentPlan.objects.filter(pk=plan.pk).update(document=data)
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert goal.state == GoalState.FAILED
    assert "refused_by_gate" in goal.reason
    assert goal.intent_plans.count() == 1
