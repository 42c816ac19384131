"""What is reviewed before there is a plan: written designs and choices of rules, as services."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from agents.bdi.planning import levels as documents
from agents.goals import goals
from agents.models import Goal, LevelDocument
from agents.plans import designs
from agents.record.errors import GoalRefused, NotPossibleNow, StaleDigest
from agents.states import GoalState, LevelState
from people.models import User
from review.deciding import decisions
from review.errors import DecisionRefused, WordsRefused
from review.levels import decisions as level_decisions
from review.models import AuditEntry, Notice
from review.notices import levels
from tests.forging import forge
from tests.review.some_levels import DESIGN, GOAL, asked_choice, know_rules, switch_on, with_design, worked

pytestmark = pytest.mark.django_db
WithoutGuard = Callable[[str, str], AbstractContextManager[None]]
IN_FOLDER, AS_FILE = "keep a note in a folder", "keep a note as a file"


@pytest.fixture(autouse=True)
def _word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.library.vectors import install

    install(monkeypatch)


def choice_of(document: LevelDocument, rule: str) -> dict[str, str]:
    """The form's answer: this rule, by its name, for the goal itself."""
    choice = documents.read_selection(bytes(document.document)).choices[0]
    return {choice.key: next(one.version_id for one in choice.rules if one.name == rule)}


# -- designs ------------------------------------------------------------------------------------------------------


def test_with_the_level_on_nothing_is_planned_before_the_design_is_approved(submitter: User, judge: User) -> None:
    switch_on("design")
    know_rules()
    design = with_design(submitter)
    goal = worked(design.goal)
    assert (goal.state, goal.reason) == (GoalState.AWAITING_REVIEW, designs.AWAITS)
    assert not goal.plans.exists()
    assert not goal.beliefs.exists()
    level_decisions.approve(design, by=judge, digest=design.digest)
    goal = worked(goal)
    assert goal.intent_plans.get().plan.evidence["rule"]["name"] == IN_FOLDER
    said = list(goal.beliefs.filter(source="person").values_list("sentence", flat=True))
    assert said == ["How", "The note is kept in a folder", "Nothing is deleted"]
    design.refresh_from_db()
    assert (design.state, design.decided_by) == (LevelState.APPROVED, judge)


def test_with_the_level_off_a_design_is_believed_at_once_and_says_that_nobody_reviewed_it(submitter: User) -> None:
    know_rules()
    design = with_design(submitter)
    assert design.state == LevelState.UNREVIEWED
    goal = worked(design.goal)
    assert goal.intent_plans.exists()
    assert goal.beliefs.filter(sentence="Nothing is deleted", by=submitter).exists()


def test_a_rejected_design_drops_its_goal(submitter: User, judge: User) -> None:
    switch_on("design")
    design = with_design(submitter)
    with pytest.raises(WordsRefused):
        level_decisions.reject(design, by=judge, digest=design.digest, reason=" ")
    level_decisions.reject(design, by=judge, digest=design.digest, reason="Too large")
    goal = worked(design.goal)
    assert (goal.state, goal.reason) == (GoalState.DROPPED, "rejected: Too large")


def test_a_design_that_was_sent_back_is_sent_again_and_the_new_version_waits(submitter: User, judge: User) -> None:
    switch_on("design")
    first = with_design(submitter)
    level_decisions.request_changes(first, by=judge, digest=first.digest, comment="Say where")
    goal = worked(first.goal)
    assert (goal.state, goal.reason) == (GoalState.MANUAL, "design_sent_back: Say where")
    with pytest.raises(GoalRefused, match="same as the current version"):
        designs.revise(goal, DESIGN, by=submitter)
    second = designs.revise(goal, DESIGN + "- In the folder tides\n", by=submitter)
    assert second.number == 2
    assert second.digest != first.digest
    assert Goal.objects.get(pk=goal.pk).state == GoalState.AWAITING_REVIEW
    with pytest.raises(StaleDigest, match="already sent back by jo"):
        level_decisions.approve(first, by=judge, digest=first.digest)


def test_a_new_version_takes_the_place_of_the_one_that_waits_so_that_the_old_one_cannot_be_approved(
    submitter: User, judge: User
) -> None:
    switch_on("design")
    first = with_design(submitter)
    second = designs.revise(first.goal, "Another way", by=submitter)
    with pytest.raises(StaleDigest, match="superseded"):
        level_decisions.approve(first, by=judge, digest=first.digest)
    with pytest.raises(StaleDigest, match="digest"):
        level_decisions.approve(second, by=judge, digest=first.digest)
    level_decisions.approve(second, by=judge, digest=second.digest)
    with pytest.raises(NotPossibleNow):
        designs.revise(first.goal, "A third way", by=submitter)


def test_the_design_of_a_goal_that_waits_for_another_is_asked_for_when_its_turn_comes(
    submitter: User, judge: User
) -> None:
    switch_on("design")
    know_rules()
    before = goals.submit(by=submitter, text="Keep the note ebb")
    design = with_design(submitter, depends_on=[before])
    assert design.goal.state == GoalState.BLOCKED
    Goal.objects.filter(pk=before.pk).update(state=GoalState.ACHIEVED)
    goal = worked(design.goal)
    assert (goal.state, goal.reason) == (GoalState.AWAITING_REVIEW, designs.AWAITS)
    level_decisions.request_changes(design, by=judge, digest=design.digest, comment="Say where")
    assert worked(goal).state == GoalState.MANUAL


def test_a_plan_by_hand_is_no_way_around_the_design(submitter: User, judge: User) -> None:
    switch_on("design")
    design = with_design(submitter)
    level_decisions.request_changes(design, by=judge, digest=design.digest, comment="Say where")
    steps = [{"tool": "simple_coder", "command": "mkdir", "params": {"path": "notes"}}]
    with pytest.raises(NotPossibleNow, match="design"):
        goals.supply_plan(design.goal, by=submitter, steps=steps)


def test_a_design_leaves_the_queue_with_its_goal(submitter: User, judge: User) -> None:
    switch_on("design")
    design = with_design(submitter)
    goals.cancel(design.goal, by=submitter)
    design.refresh_from_db()
    assert design.state == LevelState.CANCELLED
    with pytest.raises(StaleDigest, match="cancelled"):
        level_decisions.approve(design, by=judge, digest=design.digest)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a" * (designs.DESIGN_MAX + 1), "is the most"),
        ("\n".join(f"Statement {number}" for number in range(documents.MOST_STATEMENTS + 1)), "is the most"),
        ("One\x07two", r"U\+0007"),
    ],
)
def test_what_is_no_design_is_refused_with_the_goal(text: str, why: str, submitter: User) -> None:
    with pytest.raises(GoalRefused, match=why) as refused:
        goals.submit(by=submitter, text=GOAL, design=text)
    assert refused.value.field == "design"
    assert not Goal.objects.exists()


# -- choices of rules -----------------------------------------------------------------------------------------------


def test_with_the_level_on_no_rule_becomes_a_plan_before_it_was_confirmed(submitter: User, judge: User) -> None:
    choice = asked_choice(submitter)
    goal = worked(choice.goal)
    assert (goal.state, goal.reason) == (GoalState.AWAITING_REVIEW, "selection_awaits_review")
    assert not goal.intent_plans.exists()
    level_decisions.approve(choice, by=judge, digest=choice.digest)
    evidence = worked(goal).intent_plans.get().plan.evidence
    assert evidence["rule"]["name"] == IN_FOLDER
    assert evidence["selection"] == {"id": choice.pk, "number": 1, "digest": choice.digest}


def test_the_plan_is_made_with_the_rule_that_the_reviewer_chose(submitter: User, judge: User) -> None:
    choice = asked_choice(submitter)
    level_decisions.approve(choice, by=judge, digest=choice.digest, choice=choice_of(choice, AS_FILE))
    plan = worked(choice.goal).intent_plans.get()
    assert plan.plan.evidence["rule"]["name"] == AS_FILE
    assert [intent.command for intent in plan.intents.all()] == ["write"]
    assert AuditEntry.objects.get(event="level").data["choice"] == choice_of(choice, AS_FILE)


def test_a_rule_that_was_not_shown_as_applicable_cannot_be_chosen(submitter: User, judge: User) -> None:
    choice = asked_choice(submitter)
    key = next(iter(choice_of(choice, AS_FILE)))
    for forged in ({key: "999"}, {"another goal": "1"}):
        with pytest.raises(WordsRefused, match="Choose one"):
            level_decisions.approve(choice, by=judge, digest=choice.digest, choice=forged)
    assert not AuditEntry.objects.filter(event="level").exists()


def test_a_confirmed_rule_counts_for_one_plan_and_is_asked_again_for_the_next(submitter: User, judge: User) -> None:
    choice = asked_choice(submitter)
    level_decisions.approve(choice, by=judge, digest=choice.digest, choice=choice_of(choice, AS_FILE))
    plan = worked(choice.goal).intent_plans.get()
    decisions.request_changes(plan, by=judge, digest=plan.digest, comment="Not as a file")
    goal = worked(choice.goal)
    assert goal.reason == "selection_awaits_review"
    assert goal.level_documents.count() == 2


def test_a_confirmed_rule_that_no_longer_applies_is_asked_about_again(submitter: User, judge: User) -> None:
    choice = asked_choice(submitter)
    level_decisions.approve(choice, by=judge, digest=choice.digest)
    from library.models import Component, ComponentVersion

    ComponentVersion.objects.filter(component=Component.objects.get(name=IN_FOLDER)).update(status="retired")
    goal = worked(choice.goal)
    again = goal.level_documents.order_by("-number").first()
    assert again is not None
    assert (again.number, again.state) == (2, LevelState.AWAITING_REVIEW)
    assert documents.read_selection(bytes(again.document)).choices[0].rules[0].name == AS_FILE
    assert not goal.intent_plans.exists()


def test_without_its_rule_the_goal_asks_for_a_plan_by_hand(submitter: User, judge: User) -> None:
    choice = asked_choice(submitter)
    level_decisions.reject(choice, by=judge, digest=choice.digest, reason="Neither")
    goal = worked(choice.goal)
    assert (goal.state, goal.reason) == (GoalState.MANUAL, "selection_rejected: Neither")


def test_a_comment_on_the_choice_reaches_the_planner_which_chooses_again(submitter: User, judge: User) -> None:
    choice = asked_choice(submitter)
    level_decisions.request_changes(choice, by=judge, digest=choice.digest, comment="The note is wanted twice")
    goal = worked(choice.goal)
    again = goal.level_documents.get(state=LevelState.AWAITING_REVIEW.value)
    assert documents.read_selection(bytes(again.document)).choices[0].rules[0].name == "keep a note twice"


# -- both -------------------------------------------------------------------------------------------------------------


def test_only_reviewers_decide_and_under_four_eyes_nobody_their_own(
    submitter: User, judge: User, second_judge: User, settings: Any
) -> None:
    switch_on("design")
    design = with_design(judge)
    with pytest.raises(DecisionRefused, match="reviewer role"):
        level_decisions.approve(design, by=submitter, digest=design.digest)
    settings.FOUR_EYES = True
    with pytest.raises(DecisionRefused, match="yours"):
        level_decisions.approve(design, by=judge, digest=design.digest)
    level_decisions.approve(design, by=second_judge, digest=design.digest)


def test_bytes_that_were_changed_cannot_be_decided(submitter: User, judge: User, without_guard: WithoutGuard) -> None:
    switch_on("design")
    design = with_design(submitter)
    with pytest.raises(IntegrityError, match="immutable"), transaction.atomic():
        LevelDocument.objects.filter(pk=design.pk).update(document=b"other")
    with without_guard("agents_leveldocument", "level_document_immutable"):
        other = documents.write_design(design.goal_id, "Delete everything")
        LevelDocument.objects.filter(pk=design.pk).update(document=other)
    with pytest.raises(StaleDigest, match="not the ones"):
        level_decisions.approve(design, by=judge, digest=design.digest)


def test_a_choice_whose_bytes_were_changed_after_it_was_approved_is_asked_about_again(
    submitter: User, judge: User, without_guard: WithoutGuard
) -> None:
    choice = asked_choice(submitter)
    level_decisions.approve(choice, by=judge, digest=choice.digest)
    with without_guard("agents_leveldocument", "level_document_immutable"):
        LevelDocument.objects.filter(pk=choice.pk).update(document=b"{}")
    goal = worked(choice.goal)
    assert not goal.intent_plans.exists()
    assert goal.level_documents.count() == 2


@pytest.mark.parametrize(
    ("state", "by"), [("approved", "jo"), ("rejected", "jo"), ("sent_back", "jo"), ("approved", None)]
)
def test_a_decision_that_nobody_made_is_not_told(
    state: str, by: str | None, submitter: User, judge: User, api_of: Any, client_of: Any
) -> None:
    switch_on("design")
    design = with_design(submitter)
    person = judge.pk if by else None
    forge(
        "UPDATE agents_leveldocument SET state = %s, decided_by_id = %s, decided_at = now() WHERE id = %s",
        state,
        person,
        design.pk,
    )
    told = api_of(submitter).get(f"levels/{design.pk}").json()
    assert (told["state"], told["decided_by"]) == ("cancelled", None)
    assert "Nobody decided this" in told["reason"]
    page = client_of(judge).get(f"/review/levels/{design.pk}/").content.decode()
    assert "h-decided" not in page


def test_a_decision_is_told_with_its_entry(submitter: User, judge: User, api_of: Any) -> None:
    switch_on("design")
    design = with_design(submitter)
    level_decisions.reject(design, by=judge, digest=design.digest, reason="Too large")
    told = api_of(submitter).get(f"levels/{design.pk}").json()
    assert (told["state"], told["decided_by"], told["reason"]) == ("rejected", judge.username, "Too large")
    with pytest.raises(DatabaseError, match="immutable"):
        forge("UPDATE agents_leveldocument SET state = 'approved' WHERE id = %s", design.pk)


def test_each_is_told_once_and_the_outcome_goes_back_to_who_wrote_the_design(submitter: User, judge: User) -> None:
    switch_on("design")
    design = with_design(submitter)
    levels.sweep()
    levels.sweep()
    assert list(Notice.objects.values_list("user", "text")) == [
        (judge.pk, f"A design is waiting for your review: “{GOAL}”")
    ]
    level_decisions.request_changes(design, by=judge, digest=design.digest, comment="Say where")
    levels.sweep()
    levels.sweep()
    back = Notice.objects.get(user=submitter)
    assert back.text == f"The design is sent back: “{GOAL}”"
    assert back.about == design
