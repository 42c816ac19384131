"""Where a policy asks for two people: both approve, in any order, never one of them twice."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.db import connection

from agents.cycle import cycle
from agents.models import Goal, IntentPlan, Transition
from agents.record.errors import StaleDigest
from agents.states import GoalState, PlanState
from people.models import User
from review.audit import decision_chain
from review.deciding import decisions, gate
from review.errors import DecisionRefused
from review.models import Decision
from review.policies import evaluation
from review.policy.verdict import Action
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db(transaction=True)
Propose = Callable[..., IntentPlan]


def test_two_people_approve_and_both_stand_in_the_chain(
    plan: IntentPlan, judge: User, second_judge: User, keeper: User
) -> None:
    in_force(Action.REQUIRE_TWO, keeper, commands=["write"])
    waiting = decisions.approve(plan, by=judge, digest=plan.digest)
    assert waiting.state == PlanState.AWAITING_REVIEW
    assert not hasattr(IntentPlan.objects.get(pk=plan.pk), "approval")
    with pytest.raises(DecisionRefused, match="second person"):
        decisions.approve(plan, by=judge, digest=plan.digest)
    done = decisions.approve(plan, by=second_judge, digest=plan.digest)
    assert done.state == PlanState.APPROVED
    assert list(Decision.objects.values_list("verdict", "by__username")) == [
        ("first_approval", "jo"),
        ("approve", "kai"),
    ]
    moved = Transition.objects.get(intent_plan=plan, new=PlanState.APPROVED.value)
    assert (moved.by, moved.reason) == ("kai", "after jo as the first of two")
    assert decision_chain.walk().broken is None
    assert gate.check(IntentPlan.objects.get(pk=plan.pk)).allowed


def test_two_people_at_one_moment_are_a_first_and_a_second(
    plan: IntentPlan, judge: User, second_judge: User, keeper: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_force(Action.REQUIRE_TWO, keeper, commands=["write"])
    read_both, asked = threading.Barrier(2), evaluation.first_approvals

    def read_then_wait(of: IntentPlan) -> list[Decision]:
        found = asked(of)
        # Without the lock both have read by now that nobody was first; with it one comes alone and goes on.
        with contextlib.suppress(threading.BrokenBarrierError):
            read_both.wait(timeout=1)
        return found

    monkeypatch.setattr(evaluation, "first_approvals", read_then_wait)

    def approve(by: User) -> None:
        try:
            decisions.approve(plan, by=by, digest=plan.digest)
        finally:
            connection.close()

    threads = [threading.Thread(target=approve, args=[by]) for by in (judge, second_judge)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(Decision.objects.values_list("verdict", flat=True)) == ["first_approval", "approve"]


def test_an_approval_taken_back_does_not_count(plan: IntentPlan, judge: User, second_judge: User, keeper: User) -> None:
    in_force(Action.REQUIRE_TWO, keeper, commands=["write"])
    decisions.approve(plan, by=judge, digest=plan.digest)
    decisions.withdraw(plan, by=judge, digest=plan.digest)
    with pytest.raises(DecisionRefused, match="no approval that can be withdrawn"):
        decisions.withdraw(plan, by=judge, digest=plan.digest)
    assert decisions.approve(plan, by=second_judge, digest=plan.digest).state == PlanState.AWAITING_REVIEW
    assert decisions.approve(plan, by=judge, digest=plan.digest).state == PlanState.APPROVED


def test_what_was_meant_as_the_first_of_two_is_never_the_last(
    plan: IntentPlan, judge: User, second_judge: User, keeper: User
) -> None:
    in_force(Action.REQUIRE_TWO, keeper, commands=["write"])
    decisions.approve(plan, by=judge, digest=plan.digest, as_first=True)
    with pytest.raises(StaleDigest, match="Nothing was approved"):
        decisions.approve(plan, by=second_judge, digest=plan.digest, as_first=True)
    assert list(Decision.objects.values_list("verdict", "by__username")) == [("first_approval", "jo")]


def test_a_first_approval_that_was_not_signed_by_mindx_does_not_count(
    plan: IntentPlan,
    judge: User,
    second_judge: User,
    keeper: User,
    without_guard: Callable[[str, str], AbstractContextManager[None]],
) -> None:
    in_force(Action.REQUIRE_TWO, keeper, commands=["write"])
    decisions.approve(plan, by=judge, digest=plan.digest)
    with without_guard("review_decision", "review_decision_is_append_only"):
        Decision.objects.update(by=second_judge)
    assert evaluation.first_approvals(plan) == []


def test_a_policy_that_asks_for_two_since_makes_an_approved_plan_wait_for_the_second_person(
    owner: User, propose_plan: Propose, judge: User, second_judge: User, keeper: User
) -> None:
    plan = propose_plan(owner)
    decisions.approve(plan, by=judge, digest=plan.digest)
    in_force(Action.REQUIRE_TWO, keeper, "two for writing", commands=["write"])
    cycle.work(plan.goal_id)
    plan.refresh_from_db()
    goal = Goal.objects.get(pk=plan.goal_id)
    assert (plan.state, plan.position) == (PlanState.EXECUTING, 1)
    assert goal.state == GoalState.RECOVERING
    assert "two for writing" in goal.reason
    assert [intent.state for intent in plan.intents.all()] == ["pending", "pending"]
    with pytest.raises(DecisionRefused, match="already"):
        decisions.approve_as_second(plan, by=judge, digest=plan.digest)
    decisions.approve_as_second(plan, by=second_judge, digest=plan.digest)
    cycle.work(plan.goal_id)
    plan.refresh_from_db()
    assert plan.state == PlanState.COMPLETE
    assert decision_chain.walk().broken is None
