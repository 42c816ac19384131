"""After a restore nothing that was approved runs by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from agents.cycle import cycle
from agents.models import Attempt, Goal, HandCommand, Intent, IntentPlan
from agents.record.lease import claim
from agents.states import GoalState, HandState, IntentState, PlanState
from mindx_web.backup.settling import settle
from people.models import User
from review.deciding import decisions
from review.models import AuditEntry, HeldDecision, TypedEvent
from review.policy.states import PolicyState
from review.policy.verdict import Action
from tests.agents.execution.taking import take_up
from tests.review import some_policies as policies

AS_OF = "2026-01-31T12:00:00+00:00"

pytestmark = pytest.mark.django_db(transaction=True)


def settled() -> dict[str, int]:
    return {one.words: one.count for one in settle(AS_OF)}


@pytest.fixture
def approved(propose_plan: Callable[..., IntentPlan], owner: User, reviewer: User, valkey: object) -> IntentPlan:
    plan = propose_plan(owner)
    return decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")


def begun(plan: IntentPlan, position: int, effect: str) -> Attempt:
    """The plan as a dump shows it whose worker is in the middle of a step of this effect class."""
    lease = claim(plan.goal_id)
    assert lease is not None
    assert take_up(lease) is not None
    plan.intents.filter(position__lt=position).update(state=IntentState.SUCCEEDED.value, result={})
    plan.intents.filter(position=position).update(state=IntentState.RUNNING.value, effect=effect)
    IntentPlan.objects.filter(pk=plan.pk).update(position=position)
    intent = plan.intents.get(position=position)
    fields = {"number": 1, "fence": lease.fence, "worker": "gone", "started": timezone.now(), "snapshot_before": ""}
    return Attempt.objects.create(intent=intent, **fields)


def test_an_approved_plan_waits_for_a_person_again(approved: IntentPlan) -> None:
    assert settled()["approved plans went back to review"] == 1
    approved.refresh_from_db()
    assert approved.state == PlanState.SUPERSEDED
    again = approved.goal.intent_plans.get(state=PlanState.AWAITING_REVIEW.value)
    assert AS_OF in again.plan.evidence["delta"]["why"]
    cycle.work(approved.goal_id)
    assert not Attempt.objects.exists()
    assert Goal.objects.get(pk=approved.goal_id).state == GoalState.AWAITING_REVIEW


@pytest.mark.parametrize("effect", ["once", "workspace", "keyed"])
def test_a_step_that_was_under_way_is_lost_and_runs_only_when_somebody_says_so(
    approved: IntentPlan, effect: str
) -> None:
    attempt = begun(approved, 2, effect)
    settled()
    attempt.refresh_from_db()
    assert (attempt.outcome, attempt.intent.state) == ("lost", IntentState.SKIPPED)
    again = approved.goal.intent_plans.get(state=PlanState.AWAITING_REVIEW.value)
    assert again.intents.filter(phase=Intent.Phase.MAIN).count() == 1, "what had been done is not asked about"
    cycle.work(approved.goal_id)
    assert Attempt.objects.count() == 1, "nothing ran"


def test_a_plan_that_only_cleaned_up_has_failed(approved: IntentPlan) -> None:
    begun(approved, 1, "workspace")
    IntentPlan.objects.filter(pk=approved.pk).update(aborting="a step failed")
    settled()
    approved.refresh_from_db()
    goal = Goal.objects.get(pk=approved.goal_id)
    assert (approved.state, goal.state) == (PlanState.FAILED, GoalState.FAILED)
    assert goal.reason.startswith("a step failed")


def test_a_plan_that_waits_says_that_it_may_have_run(propose_plan: Any, owner: User, valkey: object) -> None:
    plan = propose_plan(owner)
    assert settled()["plans waiting for review got a warning in their log"] == 1
    plan.refresh_from_db()
    assert plan.state == PlanState.AWAITING_REVIEW
    assert plan.goal.log_lines.filter(text__contains="already run").exists()


def test_only_policies_that_approve_are_suspended(reviewer: User) -> None:
    reviewer.roles = [*reviewer.roles, "operator"]
    reviewer.save()
    approves = policies.in_force(Action.AUTO_APPROVE, reviewer, name="pass", commands=["mkdir"])
    forbids = policies.in_force(Action.FORBID, reviewer, name="forbid", commands=["rm"])
    settled()
    approves.refresh_from_db()
    forbids.refresh_from_db()
    assert approves.state == PolicyState.SUSPENDED
    assert "restored" in approves.reason
    assert forbids.state == PolicyState.ENABLED


def test_what_waited_for_its_moment_is_dropped(
    propose_plan: Any, owner: User, reviewer: User, client_of: Callable[[User], Client], valkey: object
) -> None:
    plan = propose_plan(owner)
    held = HeldDecision.objects.create(
        intent_plan=plan, by=reviewer, digest=plan.digest, verdict="approve", ruling={}, due_at=Now()
    )
    client_of(reviewer)
    command = HandCommand.objects.create(
        goal=plan.goal, workspace=plan.workspace, by=owner, text="ls", params={}, limits={}, session_before={}
    )
    settled()
    held.refresh_from_db()
    command.refresh_from_db()
    assert AS_OF in held.dropped
    assert command.state == HandState.CANCELLED
    assert not Session.objects.exists()
    assert TypedEvent.objects.filter(command=command, what="cancelled").exists()
    assert AuditEntry.objects.filter(event="restored").exists()
