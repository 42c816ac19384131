"""People tell an agent what is so: who may, what outweighs what, and what the agent does about it."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from agents.bdi.intentions.reacting import Does
from agents.cycle import cycle
from agents.goals import goals
from agents.models import Belief, FailureRecord, Goal, RecoveryPolicy
from agents.planning import planning
from agents.plans import proposals
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.record.moves import move_goal
from agents.recovery import told_beliefs
from agents.states import GoalState, PlanState
from agents.workspaces import workspaces
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)

PROJECT = "Create a Python project named tides"
THERE = "There is a folder named tides."


@pytest.fixture(autouse=True)
def starters(transactional_db: None) -> None:
    call_command("load_starters", verbosity=0)


@pytest.fixture
def in_review(owner: User, make_goal: Callable[..., Goal]) -> Goal:
    goal = make_goal(owner, PROJECT)
    cycle.one(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW
    return goal


def test_a_word_against_what_the_plan_stands_on_has_it_planned_again(in_review: Goal, owner: User) -> None:
    plan = in_review.intent_plans.get()
    belief, does = told_beliefs.tell(in_review, by=owner, sentence=THERE, confidence=0.9)
    plan.refresh_from_db()
    in_review.refresh_from_db()
    assert does is Does.PLAN_AGAIN
    assert (plan.state, in_review.state) == (PlanState.SUPERSEDED, GoalState.PENDING)
    assert (belief.by, belief.source, belief.confidence) == (owner, "person", 0.9)
    line = in_review.log_lines.get(stage="reconsider")
    assert line.text.startswith("somebody told the agent something: the plan depended on")
    cycle.one(in_review.pk)
    in_review.refresh_from_db()
    # Its word outweighs what the agent sees: no plan makes that folder any more.
    assert (in_review.state, in_review.reason) == (GoalState.MANUAL, "no_applicable_rule")


def test_a_word_that_changes_nothing_of_the_plan_leaves_it_in_review(in_review: Goal, owner: User) -> None:
    _, does = told_beliefs.tell(in_review, by=owner, sentence="The tide is high.")
    in_review.refresh_from_db()
    assert (does, in_review.state) == (Does.NOTHING, GoalState.AWAITING_REVIEW)
    assert in_review.intent_plans.get().state == PlanState.AWAITING_REVIEW


@pytest.mark.parametrize("word", ["The goal is not wanted.", "The goal is impossible.", "The goal is achieved."])
def test_a_word_about_the_goal_itself_drops_it_while_its_plan_is_in_review(
    word: str, in_review: Goal, owner: User
) -> None:
    plan = in_review.intent_plans.get()
    _, does = told_beliefs.tell(in_review, by=owner, sentence=word)
    plan.refresh_from_db()
    in_review.refresh_from_db()
    assert does is Does.DROP
    assert (plan.state, in_review.state) == (PlanState.SUPERSEDED, GoalState.DROPPED)
    assert word.rstrip(".") in in_review.reason


STEPS = [
    {"tool": "simple_coder", "command": "cp", "params": {"path": "a.txt", "to": "b.txt"}},
    {"tool": "simple_coder", "command": "mkdir", "params": {"path": "notes"}},
    {"tool": "simple_coder", "command": "write", "params": {"path": "notes/c.txt", "content": "c"}},
]


@pytest.mark.parametrize(
    ("word", "withdrawn"),
    [
        ("There is no file named a.txt.", True),
        ("There is a file named b.txt.", True),
        ("There is a folder named notes.", True),
        ("There is a file named other.txt.", False),
        ("There is no folder named notes.", False),
    ],
)
def test_a_plan_that_no_rule_made_stands_on_what_its_steps_need(
    word: str, withdrawn: bool, owner: User, make_goal: Callable[..., Goal]
) -> None:
    goal = make_goal(owner, "Keep a copy")
    workspaces.put_file(goal.workspace, by=owner, path="a.txt", source=io.BytesIO(b"a"))
    goal = Goal.objects.get(pk=goal.pk)
    move_goal(goal, GoalState.PLANNING, by="a test")
    draft, problems = proposals.draft_by_hand(goal, STEPS, [], by=owner)
    assert problems == []
    plan = proposals.propose(goal, draft, by=owner)
    _, does = told_beliefs.tell(goal, by=owner, sentence=word)
    plan.refresh_from_db()
    assert (does is Does.PLAN_AGAIN, plan.state == PlanState.SUPERSEDED) == (withdrawn, withdrawn)


def test_taking_it_back_wakes_a_goal_that_found_no_plan(in_review: Goal, owner: User) -> None:
    belief, _ = told_beliefs.tell(in_review, by=owner, sentence=THERE)
    cycle.one(in_review.pk)
    assert told_beliefs.retract(in_review, by=owner, belief_id=belief.pk) is Does.PLAN_AGAIN
    cycle.one(in_review.pk)
    in_review.refresh_from_db()
    assert in_review.state == GoalState.AWAITING_REVIEW


def test_a_belief_of_the_agents_own_can_be_denied_without_a_plan(in_review: Goal, reviewer: User) -> None:
    seen = in_review.beliefs.filter(source="perception", sentence__contains="Python").first()
    assert seen is not None
    new, _ = told_beliefs.contradict(in_review, by=reviewer, belief_id=seen.pk)
    seen.refresh_from_db()
    assert seen.retracted_by == "denied by rita"
    assert (new.denies, new.source) == (seen.sentence, "person")
    with pytest.raises(NotPossibleNow, match="does not hold this belief"):
        told_beliefs.contradict(in_review, by=reviewer, belief_id=seen.pk)
    with pytest.raises(NotPossibleNow, match="says the same"):
        told_beliefs.contradict(in_review, by=reviewer, belief_id=new.pk, instead=new.sentence)


def test_of_two_words_that_contradict_each_other_one_is_held(in_review: Goal, owner: User, reviewer: User) -> None:
    sure, _ = told_beliefs.tell(in_review, by=owner, sentence="The door is open.", confidence=0.9)
    with pytest.raises(NotPossibleNow, match="outweighed by “The door is open"):
        told_beliefs.tell(in_review, by=reviewer, sentence="The door is closed.", confidence=0.5)
    told_beliefs.tell(in_review, by=reviewer, sentence="The door is closed.", confidence=0.95)
    sure.refresh_from_db()
    assert sure.retracted_by == "outweighed by rita"
    held = set(in_review.beliefs.filter(source="person", retracted_by="").values_list("sentence", flat=True))
    assert held == {"The door is closed."}


def test_what_the_agent_sees_itself_cannot_be_taken_back(in_review: Goal, owner: User) -> None:
    seen = in_review.beliefs.filter(source="perception", retracted_by="").first()
    assert seen is not None
    with pytest.raises(NotPossibleNow, match="would perceive it again"):
        told_beliefs.retract(in_review, by=owner, belief_id=seen.pk)


def test_only_its_owner_and_reviewers_tell_an_agent_what_is_so(in_review: Goal, outsider: User, operator: User) -> None:
    some = in_review.beliefs.filter(retracted_by="").first()
    assert some is not None
    for who in (outsider, operator):
        with pytest.raises(NotYours):
            told_beliefs.tell(in_review, by=who, sentence="The door is open.")
        with pytest.raises(NotYours):
            told_beliefs.contradict(in_review, by=who, belief_id=some.pk)
        with pytest.raises(NotYours):
            told_beliefs.retract(in_review, by=who, belief_id=some.pk)
    assert not in_review.beliefs.filter(source="person").exists()


@pytest.mark.parametrize(
    ("field", "also"),
    [
        ("sentence", {"sentence": "  "}),
        ("sentence", {"sentence": "x" * 501}),
        ("sentence", {"sentence": "a\x07b"}),
        ("confidence", {"confidence": 0.0}),
        ("confidence", {"confidence": 1.5}),
        ("confidence", {"confidence": float("nan")}),
        ("expires_at", {"expires_at": timezone.now() - timedelta(seconds=1)}),
    ],
)
def test_what_cannot_be_believed_is_refused_by_its_field(
    field: str, also: dict[str, object], in_review: Goal, owner: User
) -> None:
    with pytest.raises(GoalRefused) as refused:
        told_beliefs.tell(in_review, by=owner, **{"sentence": "The door is open.", **also})  # type: ignore[arg-type]
    assert refused.value.field == field


def test_a_goal_that_has_ended_and_a_belief_of_another_goal_are_refused(
    in_review: Goal, owner: User, make_goal: Callable[..., Goal]
) -> None:
    other = make_goal(owner, "Read the tides")
    foreign, _ = told_beliefs.tell(other, by=owner, sentence="The door is open.")
    with pytest.raises(NotPossibleNow):
        told_beliefs.retract(in_review, by=owner, belief_id=foreign.pk)
    goals.cancel(other, by=owner)
    with pytest.raises(NotPossibleNow, match="has ended"):
        told_beliefs.tell(other, by=owner, sentence="The tide is high.")


def test_what_is_told_while_it_is_planned_is_not_planned_past(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = make_goal(owner, PROJECT)
    real, once = planning._find, [True]

    def interrupted(*rest: object) -> object:
        found = real(*rest)  # type: ignore[arg-type]
        if once.pop() if once else False:
            told_beliefs.tell(Goal.objects.get(pk=goal.pk), by=owner, sentence="The tide is high.")
        return found

    monkeypatch.setattr(planning, "_find", interrupted)
    cycle.one(goal.pk)
    goal.refresh_from_db()
    assert (goal.state, goal.reason) == (GoalState.PENDING, "a belief changed")
    assert not goal.intent_plans.exists()
    cycle.one(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW
    sentences = {each["sentence"] for each in goal.intent_plans.get().plan.evidence["beliefs"]}
    assert "The tide is high." in sentences


def test_what_is_seen_outweighs_a_word_of_somebody_who_was_not_shown_it(
    owner: User, make_goal: Callable[..., Goal]
) -> None:
    goal = make_goal(owner, PROJECT)
    told_beliefs.tell(goal, by=owner, sentence=THERE)
    cycle.one(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW, "the agent sees that there is none"


def test_a_word_whose_time_is_over_is_not_held_even_before_the_sweep(
    owner: User, make_goal: Callable[..., Goal]
) -> None:
    goal = make_goal(owner, PROJECT)
    told_beliefs.tell(goal, by=owner, sentence=THERE, expires_at=timezone.now() + timedelta(hours=1))
    Belief.objects.filter(goal=goal).update(expires_at=timezone.now())
    cycle.one(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW


def test_what_agint_saw_is_no_ground_to_look_again_for_a_plan_that_nobody_has(
    owner: User, operator: User, make_goal: Callable[..., Goal]
) -> None:
    """Each planning in vain would have AGInt look, and each look would be over one day: it never ended."""
    RecoveryPolicy.objects.create(failure_class="GOAL_PARSE_ERROR", number=1, pinned="escalate_to_agint", by=operator)
    for _ in range(3):
        goal = make_goal(owner, "Reconcile the ledger")
        cycle.one(goal.pk)
    assert FailureRecord.objects.filter(failure_class="GOAL_PARSE_ERROR").count() == 3
    looked = Belief.objects.filter(goal=goal, about__startswith="agint:", retracted_by="")
    assert "GOAL_PARSE_ERROR came 3 times lately." in looked.values_list("sentence", flat=True)
    looked.update(expires_at=timezone.now())
    assert told_beliefs.expire() > 0
    goal.refresh_from_db()
    assert (goal.state, looked.count()) == (GoalState.MANUAL, 0)
    # What a person said may be what a rule lacks, or what stands against one.
    told_beliefs.tell(goal, by=owner, sentence=THERE, expires_at=timezone.now() + timedelta(hours=1))
    cycle.one(goal.pk)
    Belief.objects.filter(goal=goal, source="person").update(expires_at=timezone.now())
    told_beliefs.expire()
    goal.refresh_from_db()
    assert goal.state == GoalState.PENDING


def test_the_log_says_why_a_goal_was_adopted_and_its_rule_chosen(in_review: Goal) -> None:
    adopted = in_review.log_lines.get(stage="deliberate")
    assert adopted.text == f"adopted goal {in_review.pk}: priority 3, and no other goal is waiting"
    assert adopted.data["priority"] == 3
    chosen = in_review.log_lines.get(stage="plan")
    assert chosen.data["rule"]["name"] == "start a python project"
    assert chosen.data["weakest"] > 0.9
    assert len(chosen.data["contexts"]) == 2
