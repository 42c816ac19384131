"""Held decisions under the two-person rule: what is kept, who is first, and what counts when the time has come."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.models import Goal, IntentPlan
from agents.record.errors import StaleDigest
from people import sealing
from people.models import User
from review.audit import decision_chain
from review.deciding import decisions, editing, gate, holding
from review.deciding.ruling import Ruling
from review.errors import DecisionRefused
from review.models import Approval, Decision, HeldDecision
from review.policies import evaluation
from review.policy.verdict import Action
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db(transaction=True)
TWO = tuple({"tool": "simple_coder", "command": "mkdir", "params": {"path": path}} for path in "ab")


@pytest.fixture(autouse=True)
def _held(settings: Any, keeper: User) -> None:
    settings.HOLD_S = 600
    in_force(Action.REQUIRE_TWO, keeper, commands=["mkdir"])


@pytest.fixture
def plan(owner: User, propose_plan: Callable[..., IntentPlan]) -> IntentPlan:
    return propose_plan(owner, TWO)


def hold(plan: IntentPlan, by: User, **also: Any) -> None:
    holding.decide(plan, Ruling("approve", plan.digest, **also), by=by)


def settle() -> None:
    HeldDecision.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    holding.settle_due()


def verdicts() -> list[tuple[str, str]]:
    return list(Decision.objects.order_by("pk").values_list("verdict", "by__username"))


def state_of(plan: IntentPlan) -> str:
    return IntentPlan.objects.get(pk=plan.pk).state


def test_a_held_first_approval_becomes_the_first_of_two(plan: IntentPlan, judge: User, second_judge: User) -> None:
    hold(plan, judge)
    assert HeldDecision.objects.get().words == f"Plan {plan.pk} is approved as the first of two"
    assert (verdicts(), evaluation.first_approvals(plan)) == ([], [])
    settle()
    assert verdicts() == [("first_approval", "jo")]
    assert state_of(plan) == "awaiting_review"
    hold(plan, second_judge)
    settle()
    assert verdicts() == [("first_approval", "jo"), ("approve", "kai")]
    assert gate.check(IntentPlan.objects.get(pk=plan.pk)).allowed
    assert decision_chain.walk().broken is None


def test_while_the_first_one_is_held_the_second_is_told_and_comes_after(
    plan: IntentPlan, judge: User, second_judge: User
) -> None:
    hold(plan, judge)
    with pytest.raises(StaleDigest, match="Jo Lindt was first"):
        hold(plan, second_judge)
    with pytest.raises(StaleDigest, match="Jo Lindt was first"):
        decisions.approve(plan, by=second_judge, digest=plan.digest, via="api")
    settle()
    decisions.approve(plan, by=second_judge, digest=plan.digest, via="api")
    assert state_of(plan) == "approved"


def test_a_first_approval_that_is_taken_back_while_it_is_held_was_none(
    plan: IntentPlan, judge: User, second_judge: User
) -> None:
    hold(plan, judge)
    assert holding.undo(HeldDecision.objects.get().pk, plan, by=judge)
    hold(plan, second_judge)
    settle()
    assert verdicts() == [("first_approval", "kai")]
    assert state_of(plan) == "awaiting_review"


def test_a_second_approval_that_is_taken_back_while_it_is_held_leaves_the_first(
    plan: IntentPlan, judge: User, second_judge: User
) -> None:
    hold(plan, judge)
    settle()
    hold(plan, second_judge)
    assert holding.undo(HeldDecision.objects.get().pk, plan, by=second_judge)
    settle()
    assert (verdicts(), state_of(plan)) == ([("first_approval", "jo")], "awaiting_review")


def test_who_approved_cannot_hold_a_second_approval(plan: IntentPlan, judge: User) -> None:
    hold(plan, judge)
    settle()
    with pytest.raises(DecisionRefused, match="second person"):
        hold(plan, judge)
    assert not HeldDecision.objects.exists()


def test_a_held_part_is_a_revision_that_the_second_person_completes(
    plan: IntentPlan, judge: User, second_judge: User
) -> None:
    hold(plan, judge, intents=(1,), words="only this", rest="drop")
    assert plan.goal.intent_plans.count() == 1, "the rehearsal leaves nothing"
    settle()
    part = IntentPlan.objects.get(goal=plan.goal_id, revision=2)
    assert (state_of(plan), part.state) == ("superseded", "awaiting_review")
    assert [row.by for row in evaluation.first_approvals(part)] == [judge]
    hold(part, second_judge)
    settle()
    assert state_of(part) == "approved"
    assert Approval.objects.get().intent_plan == part


def test_an_edit_of_another_person_is_refused_while_a_decision_is_held_and_takes_first_approvals_with_it(
    plan: IntentPlan, judge: User, second_judge: User
) -> None:
    hold(plan, judge)
    with pytest.raises(StaleDigest, match="was first"):
        editing.edit(plan, by=second_judge, digest=plan.digest, position=1, params={"path": "c"})
    settle()
    edited = editing.edit(plan, by=second_judge, digest=plan.digest, position=1, params={"path": "c"})
    assert evaluation.first_approvals(edited) == [], "what jo approved was other bytes"
    decisions.approve(edited, by=second_judge, digest=edited.digest)
    assert state_of(edited) == "awaiting_review"


def test_ones_own_edit_drops_ones_held_decision_with_the_reason(plan: IntentPlan, judge: User) -> None:
    hold(plan, judge)
    editing.edit(plan, by=judge, digest=plan.digest, position=1, params={"path": "c"})
    settle()
    assert verdicts() == [("edit", "jo")]
    assert "already superseded by jo" in HeldDecision.objects.get().dropped


@pytest.mark.parametrize("change", ["roles", "is_active", "four_eyes"])
@pytest.mark.parametrize("who", ["first", "second"])
def test_rights_that_were_taken_away_meanwhile_count_neither_as_first_nor_as_second(
    plan: IntentPlan, judge: User, second_judge: User, settings: Any, change: str, who: str
) -> None:
    hold(plan, judge)
    settle()
    hold(plan, second_judge)
    loses = judge if who == "first" else second_judge
    if change == "roles":
        User.objects.filter(pk=loses.pk).update(roles=["submitter"])
    elif change == "is_active":
        User.objects.filter(pk=loses.pk).update(is_active=False)
    else:
        settings.FOUR_EYES = True
        Goal.objects.filter(pk=plan.goal_id).update(submitted_by=loses)
        sealing.seal(plan.goal)
    settle()
    assert state_of(plan) == "awaiting_review"
    assert not Approval.objects.exists()
    if who == "second":
        assert verdicts() == [("first_approval", "jo")]
        assert HeldDecision.objects.get().dropped
    else:
        assert verdicts() == [("first_approval", "jo"), ("first_approval", "kai")], "kai is the first one now"


def test_a_policy_that_asks_for_two_since_makes_a_held_approval_the_first(
    plan: IntentPlan, judge: User, keeper: User
) -> None:
    from review.models import ReviewPolicy
    from review.policies import writing

    policy = ReviewPolicy.objects.get()
    writing.suspend(policy, by=keeper, reason="a pause")
    hold(plan, judge)
    writing.enable(ReviewPolicy.objects.get(), by=keeper, number=1)
    settle()
    assert (verdicts(), state_of(plan)) == ([("first_approval", "jo")], "awaiting_review")
