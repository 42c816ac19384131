"""A plan whose files change while it waits is planned anew before anybody is asked about the old one."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.models import Goal, IntentPlan, Workspace
from agents.states import GoalState, PlanState
from agents.workspaces import workspaces
from people.models import User
from review.deciding import holding
from review.deciding.ruling import Ruling
from review.models import QueueEntry
from review.queue import renewing
from tests.review.plans import goal_of, proposed, step

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]


@pytest.fixture(autouse=True)
def _all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renewing, "_all_at", float("-inf"))


def waiting(owner: User, source: str = "rule") -> IntentPlan:
    """A plan that writes over a file of its workspace."""
    goal = goal_of(owner)
    put(goal.workspace, owner, "a.txt", "before")
    plan = proposed(Goal.objects.get(pk=goal.pk), [step("write", path="a.txt", content="x", mode="overwrite")])
    if source != "rule":
        type(plan.plan).objects.filter(pk=plan.plan_id).update(source=source)
    return IntentPlan.objects.get(pk=plan.pk)


def put(workspace: Workspace, by: User, path: str, content: str) -> None:
    workspaces.put_file(Workspace.objects.get(pk=workspace.pk), by=by, path=path, source=io.BytesIO(content.encode()))


def state_of(plan: IntentPlan) -> str:
    return IntentPlan.objects.get(pk=plan.pk).state


def test_a_change_elsewhere_is_looked_at_once_and_changes_nothing(submitter: User) -> None:
    plan = waiting(submitter)
    put(plan.workspace, submitter, "b.txt", "new")
    renewing.sweep()
    assert state_of(plan) == PlanState.AWAITING_REVIEW
    assert QueueEntry.objects.get(pk=plan.pk).stood_at == Workspace.objects.get(pk=plan.workspace_id).head
    assert list(renewing._unlooked()) == []


def test_what_a_rule_made_is_planned_again(submitter: User) -> None:
    plan = waiting(submitter)
    put(plan.workspace, submitter, "a.txt", "after")
    renewing.sweep()
    plan.refresh_from_db()
    assert (plan.state, plan.reason) == (
        PlanState.SUPERSEDED.value,
        "made anew: a.txt changed since it was tried",
    )
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.PENDING


@pytest.mark.parametrize("source", ["person", "model"])
def test_what_somebody_wrote_keeps_its_steps_and_says_what_changed(
    source: str, submitter: User, judge: User, client_of: ClientOf
) -> None:
    plan = waiting(submitter, source)
    put(plan.workspace, submitter, "a.txt", "after")
    renewing.sweep()
    assert state_of(plan) == PlanState.SUPERSEDED
    revision = plan.goal.intent_plans.get(revision=2)
    assert revision.state == PlanState.AWAITING_REVIEW
    page = client_of(judge).get(revision.get_absolute_url()).content.decode()
    assert "Made anew:</strong> a.txt changed since it was tried." in page


def test_a_plan_that_moves_its_workspace_or_is_just_decided_is_left_alone(
    submitter: User, judge: User, settings: Any
) -> None:
    settings.HOLD_S = 10
    plan = waiting(submitter)
    holding.decide(plan, Ruling("approve", plan.digest), by=judge)
    put(plan.workspace, submitter, "a.txt", "after")
    renewing.sweep()
    assert state_of(plan) == PlanState.AWAITING_REVIEW


def test_until_it_is_planned_anew_nobody_approves_the_old_one(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    plan = waiting(submitter)
    put(plan.workspace, submitter, "a.txt", "after")
    client = client_of(judge)
    assert "1 file changed since:" in client.get(plan.get_absolute_url()).content.decode()
    sent = {"verdict": "approve", "digest": plan.digest}
    answer = client.post(f"/review/{plan.pk}/decide/", sent)
    assert answer.status_code == 409
    assert "a.txt changed since it was tried. The plan is made anew." in answer.content.decode()
    assert state_of(plan) == PlanState.AWAITING_REVIEW


def test_one_plan_that_cannot_be_compared_does_not_keep_the_others(
    submitter: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, plan = waiting(submitter), waiting(submitter)
    for one in (broken, plan):
        put(one.workspace, submitter, "a.txt", "after")
    look = renewing.look

    def fails(one: IntentPlan) -> None:
        if one.pk == broken.pk:
            raise OSError("the store is away")
        look(one)

    monkeypatch.setattr(renewing, "look", fails)
    renewing.sweep()
    assert (state_of(broken), state_of(plan)) == (PlanState.AWAITING_REVIEW.value, PlanState.SUPERSEDED.value)


def test_what_moved_long_ago_is_found_by_the_whole_look(submitter: User, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = waiting(submitter)
    put(plan.workspace, submitter, "a.txt", "after")
    Workspace.objects.update(changed_at=timezone.now() - timedelta(hours=1))
    monkeypatch.setattr(renewing, "_all_at", time.monotonic())
    renewing.sweep()
    assert state_of(plan) == PlanState.AWAITING_REVIEW
    monkeypatch.setattr(renewing, "_all_at", float("-inf"))
    renewing.sweep()
    assert state_of(plan) == PlanState.SUPERSEDED
