"""What a policy approved is asked again when the policy no longer stands, and then only a person lets it go on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.cycle import cycle
from agents.models import Attempt, Goal, IntentPlan
from agents.states import GoalState, PlanState
from people.models import User
from review.deciding import decisions, gate
from review.models import PolicyEvaluation, ReviewPolicy
from review.policies import writing
from review.policy.verdict import Action
from tests.review.some_policies import in_force, tried

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def passed(cases: None, owner: User, propose_plan: Callable[..., IntentPlan], keeper: User) -> IntentPlan:
    """A plan that a policy approved; nothing of it has run."""
    in_force(Action.AUTO_APPROVE, keeper, "harmless", tools=["simple_coder"])
    plan = tried(propose_plan(owner))
    assert plan.state == PlanState.APPROVED
    return plan


def suspend(keeper: User) -> str:
    writing.suspend(ReviewPolicy.objects.get(name="harmless"), by=keeper, reason="a doubt")
    return "policy “harmless” (version 1), which approved it, is suspended"


def ask_for_a_person(keeper: User) -> str:
    in_force(Action.REQUIRE_REVIEW, keeper, "look at writing", commands=["write"])
    return "A person must decide: policy “look at writing”"


@pytest.mark.parametrize("change", [suspend, ask_for_a_person])
def test_a_policy_that_no_longer_stands_asks_a_person(
    passed: IntentPlan, judge: User, keeper: User, change: Callable[[User], str]
) -> None:
    words = change(keeper)
    verdict = gate.check(IntentPlan.objects.get(pk=passed.pk))
    assert (verdict.allowed, verdict.asks) == (False, True)
    cycle.work(passed.goal_id)
    assert not Attempt.objects.exists()
    left = IntentPlan.objects.get(goal=passed.goal_id, state=PlanState.AWAITING_REVIEW)
    assert words in left.plan.evidence["delta"]["why"]
    decisions.approve(left, by=judge, digest=left.digest)
    cycle.work(passed.goal_id)
    assert Goal.objects.get(pk=passed.goal_id).state == GoalState.ACHIEVED


def test_no_policy_lets_it_go_on_either(passed: IntentPlan, keeper: User) -> None:
    suspend(keeper)
    cycle.work(passed.goal_id)
    writing.enable(ReviewPolicy.objects.get(), by=keeper, number=1)
    left = tried(IntentPlan.objects.get(goal=passed.goal_id, state=PlanState.AWAITING_REVIEW))
    assert left.state == PlanState.AWAITING_REVIEW
    declined = PolicyEvaluation.objects.filter(intent_plan=left).latest("pk").declined
    assert "stopped on its way" in declined[0]["why"]
