"""Policies in the database: versions, replay before use, what they forbid, and what history suggests."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from agents.cycle import cycle
from agents.goals import goals
from agents.models import Goal, IntentPlan, ShadowRun
from agents.plans import proposals
from agents.record import gate as gates
from agents.record.errors import PlanInvalid
from agents.record.moves import move_plan
from agents.states import GoalState, PlanState
from people.journal import Event
from people.models import User
from review.deciding import decisions, gate
from review.errors import DecisionRefused, WordsRefused
from review.models import AuditEntry, Decision, PolicyEvaluation, PolicyVersion, ReviewPolicy
from review.policies import replay, writing
from review.policies.writing import Draft
from review.policy.conditions import Conditions
from review.policy.verdict import Action
from review.reading import journal_lines
from tests.cast import STEPS
from tests.review.plans import WRITE, goal_of, proposed
from tests.review.some_policies import draft, in_force

pytestmark = pytest.mark.django_db(transaction=True)
Propose = Callable[..., IntentPlan]


def test_a_change_is_a_new_version_out_of_force_and_the_old_one_stays(keeper: User) -> None:
    policy = in_force(Action.FORBID, keeper, commands=["rm"])
    policy = writing.write(draft(Action.FORBID, commands=["rm", "mv"]), by=keeper, policy=policy)
    assert (policy.number, policy.state) == (2, "draft")
    assert [each.conditions["commands"] for each in policy.versions.order_by("number")] == [["rm"], ["mv", "rm"]]
    with pytest.raises(DecisionRefused, match="Replay"):
        writing.enable(policy, by=keeper, number=2)
    with pytest.raises(DecisionRefused, match="in the meantime"):
        writing.enable(policy, by=keeper, number=1)
    events = list(policy.changes.order_by("pk").values_list("event", "by__username"))
    assert events == [("written", "kim"), ("replayed", "kim"), ("enabled", "kim"), ("written", "kim")]


def test_the_database_itself_keeps_versions_and_refuses_what_was_not_replayed(keeper: User) -> None:
    policy = writing.write(draft(Action.FORBID, commands=["rm"]), by=keeper)
    with pytest.raises(IntegrityError), transaction.atomic():
        PolicyVersion.objects.update(conditions={})
    with pytest.raises(IntegrityError), transaction.atomic():
        ReviewPolicy.objects.filter(pk=policy.pk).update(state="enabled")


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (draft(Action.AUTO_APPROVE), "action"),
        (draft(Action.AUTO_APPROVE, budget=0, tools=["simple_coder"]), "budget"),
        (draft(Action.AUTO_APPROVE, tools=["simple_coder"], risk_at_least="low"), "risk_at_least"),
        (draft(Action.FORBID, risk_at_most="low"), "risk_at_most"),
        (draft(Action.FORBID, shadow_clean=True), "shadow_clean"),
        (draft(Action.FORBID, commands=["ls"], reading_calls=True), "reading_calls"),
        (draft(Action.AUTO_APPROVE, reading_calls=True), "action"),
        (draft(Action.AUTO_APPROVE, tools=["simple_coder"], asks_model=True), "asks_model"),
        (draft(Action.FORBID, ""), "name"),
        (draft(Action.FORBID, "a\u202eb"), "name"),
        (Draft("x", Action.AUTO_APPROVE, Conditions(tools=("a",)), budget=1), "expires_at"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused_by_its_field(keeper: User, wrong: Draft, field: str) -> None:
    with pytest.raises(WordsRefused) as refused:
        writing.write(wrong, by=keeper)
    assert refused.value.field == field


def test_only_operators_write_and_only_a_reviewer_lets_something_pass(judge: User, operator: User) -> None:
    with pytest.raises(DecisionRefused, match="operator"):
        writing.write(draft(Action.FORBID, commands=["rm"]), by=judge)
    with pytest.raises(WordsRefused, match="reviewer"):
        writing.write(draft(Action.AUTO_APPROVE, tools=["simple_coder"]), by=operator)


def test_nobody_enables_an_approving_policy_in_another_persons_name(keeper: User, admin: User) -> None:
    policy = writing.write(draft(Action.AUTO_APPROVE, tools=["simple_coder"]), by=keeper)
    writing.replay(policy, by=admin)
    with pytest.raises(DecisionRefused, match="in the name of Kim Aas"):
        writing.enable(policy, by=admin, number=1)


def test_a_forbidden_plan_reaches_neither_the_queue_nor_a_copy(
    keeper: User, owner: User, make_goal: Callable[..., Goal]
) -> None:
    in_force(Action.FORBID, keeper, "no folders", commands=["mkdir"])
    call_command("load_starters", verbosity=0)
    goal = make_goal(owner, "create a python project named weather")
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.MANUAL
    assert goal.reason.startswith("forbidden_by_policy: Forbidden by policy “no folders” (version 1) at step ")
    assert "command simple_coder.mkdir" in goal.reason
    assert not IntentPlan.objects.exists()
    assert not ShadowRun.objects.exists()
    assert goal.plans.get().problems[0].startswith("Forbidden by policy “no folders”")


def test_nothing_is_sent_to_a_model_where_a_policy_forbids_it(
    keeper: User, owner: User, make_goal: Callable[..., Goal]
) -> None:
    sends = {"tool": "summarization", "command": "send_text_to_model", "params": {"text": "A long text."}}
    chooses = {"tool": "summarization", "command": "key_sentences_of_text", "params": {"text": "A long text."}}
    goal = make_goal(owner)
    assert proposals.draft_by_hand(goal, [sends], (), by=owner)[1] == []
    in_force(Action.FORBID, keeper, "nothing leaves", asks_model=True)
    assert proposals.draft_by_hand(goal, [chooses], (), by=owner)[1] == []
    (problem,) = proposals.draft_by_hand(goal, [sends], (), by=owner)[1]
    assert problem.code == "forbidden_by_policy"
    assert "it asks a language model" in problem.message


def test_a_person_cannot_propose_what_a_policy_forbids_either(keeper: User, owner: User, propose_plan: Propose) -> None:
    plan = propose_plan(owner)
    in_force(Action.FORBID, keeper, paths=["secrets/*"])
    steps = [
        {"tool": "simple_coder", "command": "mkdir", "params": {"path": "secrets"}},
        {"tool": "simple_coder", "command": "cd", "params": {"path": "secrets"}},
        {"tool": "simple_coder", "command": "write", "params": {"path": "key", "content": "x"}},
    ]
    with pytest.raises(PlanInvalid, match="Forbidden by policy"):
        goals.supply_plan(plan.goal, by=owner, steps=steps)
    plan.refresh_from_db()
    assert plan.state == PlanState.AWAITING_REVIEW, "the plan that waited still waits"


def test_editing_a_plan_to_another_tool_is_asked_about_again(keeper: User, owner: User, propose_plan: Propose) -> None:
    in_force(Action.FORBID, keeper, tools=["note_taking"])
    plan = propose_plan(owner)
    edited = [{"tool": "note_taking", "command": "write_note", "params": {"name": "one", "text": "x"}}]
    _, problems = proposals.draft_by_hand(plan.goal, edited, (), by=owner)
    assert [problem.code for problem in problems] == ["forbidden_by_policy"]


def test_a_policy_that_forbids_since_stops_an_approved_plan_at_its_claim(
    plan: IntentPlan, judge: User, keeper: User
) -> None:
    approved = decisions.approve(plan, by=judge, digest=plan.digest)
    assert gate.check(approved).allowed
    in_force(Action.FORBID, keeper, "no writing", commands=["write"])
    verdict = gate.check(IntentPlan.objects.get(pk=plan.pk))
    assert (verdict.allowed, verdict.waits) == (False, False)
    assert "no writing" in verdict.reason
    assert PolicyEvaluation.objects.get(moment="claim").action == "forbid"


def test_what_a_policy_forbids_nobody_approves(plan: IntentPlan, judge: User, keeper: User) -> None:
    in_force(Action.FORBID, keeper, commands=["write"])
    with pytest.raises(DecisionRefused, match="Forbidden by policy"):
        decisions.approve(plan, by=judge, digest=plan.digest)
    assert not Decision.objects.exists()


def test_with_nothing_wired_nothing_is_proposed(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gates, "_wired", None)
    _, problems = proposals.draft_by_hand(make_goal(owner), STEPS, (), by=owner)
    assert [problem.code for problem in problems] == ["forbidden_by_policy"]


def test_a_replay_lists_what_people_decided_otherwise(submitter: User, judge: User, keeper: User) -> None:
    kept = proposed(goal_of(submitter, "kept"))
    decisions.approve(kept, by=judge, digest=kept.digest)
    refused = proposed(goal_of(submitter, "refused"))
    decisions.reject(refused, by=judge, digest=refused.digest, reason="no")
    policy = writing.write(draft(Action.FORBID, commands=["write"]), by=keeper)
    writing.replay(policy, by=keeper)
    policy.refresh_from_db()
    assert (policy.replay["plans"], policy.replay["spoke"], policy.replay["agreed"]) == (2, 2, 1)
    found = policy.replay["disagreements"]
    assert [(each["plan_id"], each["person"]) for each in found] == [(kept.pk, "Jo Lindt approved it")]


def test_history_proposes_a_shape_that_was_always_approved_and_ended_well_ten_times(
    submitter: User, judge: User
) -> None:
    def ended_well(text: str) -> None:
        plan = proposed(goal_of(submitter, text), [WRITE])
        approved = decisions.approve(plan, by=judge, digest=plan.digest)
        move_plan(move_plan(approved, PlanState.EXECUTING, by="w"), PlanState.COMPLETE, by="w")

    for number in range(9):
        ended_well(f"note {number}")
    assert replay.proposals() == []
    ended_well("note 9")
    (found,) = replay.proposals()
    assert (found.cases, found.conditions.commands) == (10, ("simple_coder.write",))
    newest = Goal.objects.order_by("-pk").first()
    assert newest is not None
    Goal.objects.filter(pk=newest.pk).update(state="achieved", outcome="nothing_changed")
    assert replay.proposals() == [], "one of them missed what was asked for"
    Goal.objects.filter(pk=newest.pk).update(outcome="achieved")
    assert len(replay.proposals()) == 1
    refused = proposed(goal_of(submitter, "no"), [WRITE])
    decisions.reject(refused, by=judge, digest=refused.digest, reason="no")
    assert replay.proposals() == []


def test_every_change_of_a_policy_is_in_the_journal_once(keeper: User) -> None:
    writing.write(draft(Action.FORBID, commands=["rm"]), by=keeper)
    entry = AuditEntry.objects.get(event=Event.POLICY)
    assert entry.by == keeper
    assert "(written)" in journal_lines.sentence(entry.event, entry.subject, entry.data)
