"""Risk as rows, and plans that a policy lets pass: within budget and time, until the first bad outcome."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from agents.bdi.plans.document import read
from agents.cycle import cycle
from agents.models import Agent, FailureRecord, Goal, HandItem, IntentPlan, ShadowRun
from agents.record.moves import move_plan
from agents.states import PlanState
from people.models import User
from review import upkeep
from review.audit import decision_chain
from review.deciding import auto_approval, decisions, gate
from review.entries import risks
from review.models import Comment, Decision, PlanRisk, PolicyDay, PolicyEvaluation, PolicyVersion
from review.policies import evaluation as policing
from review.policies import track_record, writing
from review.policy.verdict import Action
from review.talk import comments
from tests.cast import STEPS
from tests.review.plans import MKDIR, goal_of, proposed, step
from tests.review.some_policies import draft, in_force, tried

pytestmark = pytest.mark.django_db(transaction=True)
Propose = Callable[..., IntentPlan]


def test_the_risk_is_stored_when_a_plan_is_proposed_and_again_after_its_shadow_run(
    cases: None, owner: User, propose_plan: Propose
) -> None:
    run = {"tool": "simple_coder", "command": "run", "params": {"command_line": "python -c pass"}}
    plan = propose_plan(owner, [*STEPS, run])
    before = PlanRisk.objects.get(intent_plan=plan)
    assert (before.level, before.rank, before.shadow_run) == ("unknown", 1, None)
    assert "it has had no dry run" in " ".join(before.reasons)
    tried(plan)
    after = PlanRisk.objects.get(intent_plan=plan)
    assert (after.level, after.rank) == ("medium", 2)
    assert after.shadow_run == ShadowRun.objects.get(intent_plan=plan)
    assert [each["failures"]["cases"] for each in after.steps] == [12, 12, 12]


def test_the_sweep_finds_a_plan_that_no_hint_reached_and_leaves_it_alone_afterwards(plan: IntentPlan) -> None:
    assert not PlanRisk.objects.exists()
    upkeep.sweep()
    assert PlanRisk.objects.get(intent_plan=plan).level == "unknown"
    assert not auto_approval.not_looked_at()


def test_a_cancelled_step_is_no_case_of_failure(submitter: User) -> None:
    plan = proposed(goal_of(submitter))
    plan.intents.filter(position=1).update(state="failed", reason="cancelled")
    plan.intents.filter(position=2).update(state="failed", reason="exit code 1")
    assert risks.counts() == {("simple_coder", "write", ".txt"): (1, 1)}


def test_no_policy_approves_for_an_agent_whose_plans_people_decide(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, "notes pass", commands=["mkdir", "write"], risk_at_most="low")
    approved = tried(propose_plan(owner))
    assert gate.check(approved).allowed
    Agent.objects.update(people_only=True)
    assert tried(propose_plan(owner)).state == PlanState.AWAITING_REVIEW
    stopped = gate.check(IntentPlan.objects.get(pk=approved.pk))
    assert not stopped.allowed
    assert "decided by people only" in stopped.reason


def test_a_policy_approves_in_its_owners_name_by_the_same_path_and_it_runs(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, "notes pass", commands=["mkdir", "write"], risk_at_most="low")
    plan = tried(propose_plan(owner))
    assert plan.state == PlanState.APPROVED
    decision = Decision.objects.get()
    assert (decision.by, decision.policy, decision.via) == (keeper, policy.versions.get(), "policy")
    assert decision_chain.walk().broken is None
    assert gate.check(plan).minimum == "L3"
    assert PolicyDay.objects.get(policy=policy).used == 1
    evaluation = PolicyEvaluation.objects.get()
    assert (evaluation.action, evaluation.outcome) == ("auto_approve", "approved")
    cycle.work(plan.goal_id)
    assert IntentPlan.objects.get(pk=plan.pk).state == PlanState.COMPLETE
    policy.refresh_from_db()
    assert (policy.state, policy.reason) == ("enabled", "")


@pytest.mark.parametrize("kind", list(Comment.Kind))
def test_what_is_being_talked_about_needs_a_person(
    cases: None, owner: User, propose_plan: Propose, keeper: User, kind: Comment.Kind
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, commands=["mkdir", "write"], risk_at_most="low")
    plan = propose_plan(owner)
    said = comments.say(plan, by=owner, text="Is this right?", anchor="intent:1", kind=kind)
    assert tried(plan).state == PlanState.AWAITING_REVIEW
    assert "a person decides" in PolicyEvaluation.objects.get().outcome
    comments.settle(said, by=owner, is_settled=True)
    auto_approval.look(plan.pk)
    assert IntentPlan.objects.get(pk=plan.pk).state == PlanState.APPROVED


def test_nothing_is_approved_without_a_policy_nor_by_one_that_is_not_in_force(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    writing.write(draft(Action.AUTO_APPROVE, tools=["simple_coder"]), by=keeper)
    assert tried(propose_plan(owner)).state == PlanState.AWAITING_REVIEW


def test_a_stricter_policy_wins_over_one_that_approves(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, "passes", tools=["simple_coder"])
    in_force(Action.REQUIRE_REVIEW, keeper, "a person", commands=["mkdir"])
    assert tried(propose_plan(owner)).state == PlanState.AWAITING_REVIEW


@pytest.mark.parametrize("change", [{"is_active": False}, {"roles": ["operator"]}])
def test_an_owner_who_may_not_decide_approves_nothing(
    cases: None, owner: User, propose_plan: Propose, keeper: User, change: Mapping[str, Any]
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, tools=["simple_coder"])
    plan = tried(propose_plan(owner))
    assert gate.check(plan).allowed
    other = propose_plan(owner)
    User.objects.filter(pk=keeper.pk).update(**change)
    assert tried(other).state == PlanState.AWAITING_REVIEW
    assert not gate.check(IntentPlan.objects.get(pk=plan.pk)).allowed, "nor does what they approved before still run"


def test_four_eyes_keep_the_owners_own_goals_from_their_policy(
    cases: None, propose_plan: Propose, keeper: User, settings: Any
) -> None:
    settings.FOUR_EYES = True
    User.objects.filter(pk=keeper.pk).update(roles=["operator", "reviewer", "submitter"])
    keeper.refresh_from_db()
    in_force(Action.AUTO_APPROVE, keeper, tools=["simple_coder"])
    assert tried(propose_plan(keeper)).state == PlanState.AWAITING_REVIEW
    assert "four eyes" in PolicyEvaluation.objects.get().outcome
    assert not PolicyDay.objects.filter(used__gt=0).exists(), "a refused approval costs nothing of the budget"


def test_a_workspace_that_moved_since_the_shadow_run_stops_what_a_policy_approved(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, tools=["simple_coder"])
    plan = tried(propose_plan(owner))
    plan.workspace.head = "0" * 64
    plan.workspace.save()
    assert "has changed since the dry run" in gate.check(IntentPlan.objects.get(pk=plan.pk)).reason


def test_a_value_out_of_a_tools_answer_needs_a_person(plan: IntentPlan, submitter: User) -> None:
    filled = proposed(goal_of(submitter), [MKDIR, step("write", path="a", content="{{intents.1.message}}")])
    assert policing.holds_tool_output(filled, read(bytes(filled.document)))
    assert not policing.holds_tool_output(plan, read(bytes(plan.document)))


def test_a_models_plan_needs_a_person_unless_it_says_that_no_tool_spoke(plan: IntentPlan) -> None:
    document = read(bytes(plan.document))
    plan.plan.source, plan.plan.evidence = "model", {"prompt": "…"}
    assert policing.holds_tool_output(plan, document)
    plan.plan.evidence = {"prompt_has_tool_output": False}
    assert not policing.holds_tool_output(plan, document)


def test_the_budget_of_a_day_is_kept_by_two_sweepers_at_once(keeper: User) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, tools=["simple_coder"])
    version = policy.versions.get()
    together = threading.Barrier(4)
    got: list[bool] = []

    def sweeper() -> None:
        together.wait()
        try:
            for _ in range(3):
                with transaction.atomic():
                    got.append(auto_approval.spend(version))
        finally:
            connection.close()

    threads = [threading.Thread(target=sweeper) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (sum(got), len(got)) == (version.budget, 12)
    assert PolicyDay.objects.get().used == version.budget


def test_over_the_budget_a_person_decides(cases: None, owner: User, propose_plan: Propose, keeper: User) -> None:
    in_force(Action.AUTO_APPROVE, keeper, budget=1, tools=["simple_coder"])
    assert tried(propose_plan(owner)).state == PlanState.APPROVED
    assert tried(propose_plan(owner)).state == PlanState.AWAITING_REVIEW
    assert "used up" in PolicyEvaluation.objects.last().outcome  # type: ignore[union-attr]


def test_a_policy_that_expired_approves_nothing(
    cases: None,
    owner: User,
    propose_plan: Propose,
    keeper: User,
    without_guard: Callable[[str, str], AbstractContextManager[None]],
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, tools=["simple_coder"])
    with without_guard("review_policyversion", "review_policyversion_is_append_only"):
        PolicyVersion.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert tried(propose_plan(owner)).state == PlanState.AWAITING_REVIEW


def test_the_first_plan_that_fails_suspends_the_policy(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, tools=["simple_coder"])
    plan = tried(propose_plan(owner))
    other = propose_plan(owner)
    with transaction.atomic():
        executing = move_plan(plan, PlanState.EXECUTING, by="a worker")
        move_plan(executing, PlanState.FAILED, by="a worker", reason="exit code 1")
    policy.refresh_from_db()
    assert policy.state == "suspended"
    assert "failed" in policy.reason
    assert policy.changes.first().event == "suspended"  # type: ignore[union-attr]
    assert tried(other).state == PlanState.AWAITING_REVIEW
    writing.enable(policy, by=keeper, number=1)
    upkeep.sweep()
    auto_approval.judge(plan.pk)
    policy.refresh_from_db()
    assert policy.state == "enabled", "what a person has looked at does not suspend it again"


def test_a_plan_that_failed_and_waits_for_a_person_suspends_the_policy(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, tools=["simple_coder"])
    plan = tried(propose_plan(owner))
    with transaction.atomic():
        move_plan(plan, PlanState.EXECUTING, by="a worker")
    Goal.objects.filter(pk=plan.goal_id).update(state="manual", reason="needs_a_hand: step 1 failed, exit code 1")
    failure = FailureRecord.objects.create(
        goal=plan.goal,
        stage="execution",
        position=1,
        classified_as="UNKNOWN_ERROR",
        failure_class="UNKNOWN_ERROR",
        strategy="manual_fallback",
    )
    HandItem.objects.create(goal=plan.goal, intent_plan=plan, failure=failure, position=1)
    (case,) = track_record.of(policy)
    assert case.case.is_bad
    upkeep.sweep()
    policy.refresh_from_db()
    assert (policy.state, "which it approved, failed" in policy.reason) == ("suspended", True)


@pytest.mark.parametrize(
    ("outcome", "is_suspended"),
    [("nothing_changed", True), ("check_failed", True), ("achieved", False), ("not_checked", False)],
)
def test_a_plan_that_ran_and_missed_what_was_asked_for_suspends_the_policy(
    cases: None, owner: User, propose_plan: Propose, keeper: User, outcome: str, is_suspended: bool
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, tools=["simple_coder"])
    plan = tried(propose_plan(owner))
    IntentPlan.objects.filter(pk=plan.pk).update(state="complete")
    Goal.objects.filter(pk=plan.goal_id).update(state="achieved", outcome=outcome)
    upkeep.sweep()
    policy.refresh_from_db()
    assert (policy.state == "suspended") is is_suspended
    assert ("which it approved, ran, but" in policy.reason) is is_suspended


def test_a_plan_that_went_otherwise_than_its_shadow_run_suspends_the_policy(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, tools=["simple_coder"])
    plan = tried(propose_plan(owner))
    plan.shadow_runs.update(surprises={"steps": ["Step 1 was expected to succeed; it ended as failed."], "paths": []})
    auto_approval.judge(plan.pk)
    policy.refresh_from_db()
    assert (policy.state, "did not go as its dry run had shown" in policy.reason) == ("suspended", True)


def test_a_person_who_says_no_to_a_sample_suspends_the_policy(
    cases: None, owner: User, propose_plan: Propose, keeper: User, judge: User
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, sampling=100, tools=["simple_coder"])
    plan = tried(propose_plan(owner))
    assert plan.state == PlanState.AWAITING_REVIEW
    assert PolicyEvaluation.objects.get().is_sample
    decisions.reject(plan, by=judge, digest=plan.digest, reason="not like this")
    policy.refresh_from_db()
    assert policy.state == "suspended"
    assert "rejected" in policy.reason


def test_a_policy_cannot_be_put_into_a_decision_afterwards(
    plan: IntentPlan,
    judge: User,
    keeper: User,
    without_guard: Callable[[str, str], AbstractContextManager[None]],
) -> None:
    decisions.approve(plan, by=judge, digest=plan.digest)
    policy = writing.write(draft(Action.FORBID, commands=["rm"]), by=keeper)
    assert decision_chain.walk().broken is None
    with without_guard("review_decision", "review_decision_is_append_only"):
        Decision.objects.update(policy=policy.versions.get())
    assert decision_chain.walk().broken is not None
