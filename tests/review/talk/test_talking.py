"""Comments and questions: who may speak, what becomes of it in later revisions, and where it goes with a decision."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.test import Client

from agents.models import Belief, Goal, IntentPlan, LogLine
from agents.record.errors import NotPossibleNow, NotYours
from library.models import Component, ComponentVersion
from people.models import User
from people.roles import Role
from review.audit import decision_chain
from review.deciding import decisions, editing, rounds
from review.errors import WordsRefused
from review.models import Answer, AuditEntry, Comment, Decision, Notice, RoundLimit
from review.talk import carrying, comments, threads
from tests.review.plans import MKDIR, WRITE, goal_of, person, proposed, step

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
Off = Callable[[str, str], AbstractContextManager[None]]
RUN = step("run", command_line="ls -l")
QUESTION = Comment.Kind.QUESTION


def said_about(plan: IntentPlan) -> list[tuple[str, str, str]]:
    """Every comment of the goal as text, state and where it stands now."""
    rows = Comment.objects.filter(goal_id=plan.goal_id)
    return [(row.text, row.state, row.anchor_now) for row in rows]


def revised(plan: IntentPlan, *steps: Any) -> IntentPlan:
    """The next revision, with the comments carried to it."""
    made = proposed(plan.goal, steps)
    carrying.carry_to(made.pk)
    return made


# --- speaking ---


@pytest.mark.parametrize("kind", list(Comment.Kind))
def test_speaking_changes_neither_state_nor_digest(plan: IntentPlan, judge: User, kind: Comment.Kind) -> None:
    before = IntentPlan.objects.values().get(pk=plan.pk), Goal.objects.values().get(pk=plan.goal_id)
    comments.say(plan, by=judge, text="Why this folder?", anchor="intent:1:path", kind=kind)
    assert (IntentPlan.objects.values().get(pk=plan.pk), Goal.objects.values().get(pk=plan.goal_id)) == before
    assert not Decision.objects.exists()
    assert LogLine.objects.filter(goal=plan.goal, text__contains="step 1, mkdir: path: Why this folder?").exists()


@pytest.mark.parametrize(
    "anchor", ["intent:9", "intent:1:content", "intent:", "plan", "intent:1:path ", "<b>", "x" * 400]
)
def test_an_anchor_that_this_plan_does_not_have_is_refused(plan: IntentPlan, judge: User, anchor: str) -> None:
    with pytest.raises(WordsRefused, match="no such step") as refused:
        comments.say(plan, by=judge, text="No", anchor=anchor)
    assert refused.value.field == "anchor"
    assert not Comment.objects.exists()


@pytest.mark.parametrize("text", ["", "  \n", "x" * 4_001, "left \u202egnp", "a \x1b[31mred\x1b[0m word", "nul \x00"])
def test_words_that_hide_or_are_too_many_or_none_are_refused(plan: IntentPlan, judge: User, text: str) -> None:
    question = comments.say(plan, by=judge, text="Why?", kind=QUESTION)
    with pytest.raises(WordsRefused):
        comments.say(plan, by=judge, text=text)
    with pytest.raises(WordsRefused):
        comments.answer(question, by=judge, text=text)
    assert (Comment.objects.count(), Answer.objects.count()) == (1, 0)


def test_who_may_not_see_the_plan_may_not_speak_answer_or_settle(plan: IntentPlan, judge: User, stranger: User) -> None:
    question = comments.say(plan, by=judge, text="Why?", kind=QUESTION)
    gone = person("gone", Role.REVIEWER, is_active=False)
    for nobody in (stranger, gone):
        with pytest.raises(NotYours):
            comments.say(plan, by=nobody, text="Me too")
        with pytest.raises(NotYours):
            comments.answer(question, by=nobody, text="Because")
        with pytest.raises(NotYours):
            comments.settle(question, by=nobody, is_settled=True)
    assert said_about(plan) == [("Why?", "open", "")]
    assert not Answer.objects.exists()


def test_nothing_is_said_about_a_plan_that_has_ended(plan: IntentPlan, judge: User, submitter: User) -> None:
    question = comments.say(plan, by=judge, text="Why?", kind=QUESTION)
    decisions.reject(plan, by=judge, digest=plan.digest, reason="No")
    with pytest.raises(NotPossibleNow, match="rejected"):
        comments.say(plan, by=judge, text="And another thing")
    with pytest.raises(NotPossibleNow, match="has ended"):
        comments.settle(question, by=judge, is_settled=True)
    # Whoever was asked may still answer: the answer stays with the plan.
    comments.answer(question, by=submitter, text="It was a slip")
    assert said_about(plan) == [("Why?", "addressed", "")]


def test_only_so_much_is_kept_of_one_goal(plan: IntentPlan, judge: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comments, "MOST", 2)
    for number in range(2):
        comments.say(plan, by=judge, text=f"{number}")
    with pytest.raises(WordsRefused, match="at most"):
        comments.say(plan, by=judge, text="one more")


def test_only_its_writer_resolves_a_comment_and_opens_it_again(
    plan: IntentPlan, judge: User, second_judge: User
) -> None:
    note = comments.say(plan, by=judge, text="Hm", anchor="intent:1")
    with pytest.raises(NotYours):
        comments.settle(note, by=second_judge, is_settled=True)
    assert comments.settle(note, by=judge, is_settled=True).state == "resolved"
    assert not comments.open_notes(plan.goal_id)
    assert comments.settle(note, by=judge, is_settled=False).state == "open"


# --- later revisions ---


def test_comments_are_carried_to_later_revisions_with_their_state(plan: IntentPlan, judge: User) -> None:
    for text, anchor in (
        ("plan", ""),
        ("mkdir", "intent:1"),
        ("path", "intent:2:path"),
        ("content", "intent:2:content"),
    ):
        comments.say(plan, by=judge, text=text, anchor=anchor)
    comments.say(plan, by=judge, text="asked", anchor="intent:2:path", kind=QUESTION)
    revised(plan, RUN, MKDIR, step("write", path="docs/one.txt", content=WRITE.params["content"]))
    assert said_about(plan) == [
        ("plan", "addressed", ""),
        ("mkdir", "open", "intent:2"),
        ("path", "addressed", "intent:3:path"),
        ("content", "open", "intent:3:content"),
        ("asked", "open", "intent:3:path"),
    ]
    third = revised(plan, RUN)
    assert [(text, state) for text, state, _ in said_about(plan)] == [
        ("plan", "addressed"),
        ("mkdir", "stale"),
        ("path", "addressed"),
        ("content", "stale"),
        ("asked", "stale"),
    ]
    assert set(Comment.objects.values_list("revision_now", flat=True)) == {third.revision}


def test_what_no_hint_reached_is_carried_by_the_sweep_over_several_revisions(plan: IntentPlan, judge: User) -> None:
    comments.say(plan, by=judge, text="mkdir", anchor="intent:1")
    proposed(plan.goal, [RUN, MKDIR])
    proposed(plan.goal, [RUN, RUN, MKDIR])
    carrying.sweep()
    assert said_about(plan) == [("mkdir", "open", "intent:3")]


def test_a_comment_that_its_writer_resolved_meanwhile_stays_resolved(plan: IntentPlan, judge: User) -> None:
    note = comments.say(plan, by=judge, text="mkdir", anchor="intent:1")
    comments.settle(note, by=judge, is_settled=True)
    revised(plan, RUN)
    assert said_about(plan) == [("mkdir", "resolved", "gone")]


def test_a_stale_comment_is_not_opened_again(plan: IntentPlan, judge: User) -> None:
    note = comments.say(plan, by=judge, text="mkdir", anchor="intent:1")
    revised(plan, RUN)
    with pytest.raises(NotPossibleNow, match="gone"):
        comments.settle(note, by=judge, is_settled=False)


def test_stored_bytes_that_are_no_plan_stop_neither_the_sweep_nor_the_other_goals(
    plan: IntentPlan, judge: User, submitter: User, without_guard: Off
) -> None:
    other = proposed(goal_of(submitter, "another"))
    for each in (plan, other):
        comments.say(each, by=judge, text="mkdir", anchor="intent:1")
        proposed(each.goal, [RUN, MKDIR])
    with without_guard("agents_intentplan", "intent_plan_immutable"):
        IntentPlan.objects.filter(goal=plan.goal).update(document=b"{}")
    carrying.sweep()
    assert said_about(plan) == [("mkdir", "open", "intent:1")]
    assert said_about(other) == [("mkdir", "open", "intent:2")]
    assert not Comment.objects.exclude(revision_now=2).exists()


@pytest.mark.django_db(transaction=True)
def test_an_edit_by_hand_addresses_the_comment_on_what_it_changed(judge: User, propose_plan: Any) -> None:
    plan = propose_plan(judge)
    comments.say(plan, by=judge, text="Other words", anchor="intent:2:content")
    editing.edit(plan, by=judge, digest=plan.digest, position=2, params={"path": "notes/one.txt", "content": "other\n"})
    assert said_about(plan) == [("Other words", "addressed", "intent:2:content")]


def test_each_page_shows_a_comment_where_it_stands_in_that_revision(plan: IntentPlan, judge: User) -> None:
    from agents.bdi.plans import document as documents

    comments.say(plan, by=judge, text="mkdir", anchor="intent:1")
    second = revised(plan, RUN, MKDIR)
    third = revised(plan, RUN, RUN, MKDIR)
    pages = [
        threads.of(page, documents.read(bytes(page.document)), judge).by_position for page in (plan, second, third)
    ]
    found = [{at: [one.comment.text for one in said] for at, said in page.items()} for page in pages]
    assert found == [{1: ["mkdir"]}, {}, {3: ["mkdir"]}]


# --- with a decision ---


def test_a_request_for_changes_takes_every_open_note_to_the_planner_and_keeps_which(
    plan: IntentPlan, judge: User, second_judge: User
) -> None:
    comments.say(plan, by=second_judge, text="Use docs", anchor="intent:1:path")
    comments.settle(comments.say(plan, by=judge, text="Never mind"), by=judge, is_settled=True)
    comments.say(plan, by=judge, text="Is it needed?", kind=QUESTION)
    decisions.request_changes(plan, by=judge, digest=plan.digest, comment="Shorter please")
    held = Belief.objects.filter(goal=plan.goal).values_list("sentence", "about", "by__username")
    assert list(held) == [("Shorter please", "", "jo"), ("Use docs", "step 1, mkdir: path", "kai")]
    kept = Decision.objects.get().edits["notes"]
    assert [(one["anchor"], one["text"], one["by"]) for one in kept] == [("intent:1:path", "Use docs", "kai")]
    assert decision_chain.walk().broken is None
    assert LogLine.objects.filter(text__contains="Shorter please; step 1, mkdir: path: Use docs").exists()


def test_open_notes_are_words_enough_for_a_request(plan: IntentPlan, judge: User) -> None:
    with pytest.raises(WordsRefused):
        decisions.request_changes(plan, by=judge, digest=plan.digest, comment="")
    comments.say(plan, by=judge, text="Use docs", anchor="intent:1:path")
    decided = decisions.request_changes(plan, by=judge, digest=plan.digest, comment="")
    assert decided.reason == "changes requested: step 1, mkdir: path: Use docs"
    assert [belief.sentence for belief in Belief.objects.all()] == ["Use docs"]


def test_comments_given_before_an_approval_reach_planner_decision_and_log(plan: IntentPlan, judge: User) -> None:
    comments.say(plan, by=judge, text="Mind the umlauts", anchor="intent:2")
    decisions.approve(plan, by=judge, digest=plan.digest)
    assert Belief.objects.get(goal=plan.goal).about == "step 2, write"
    assert Decision.objects.get().edits["notes"][0]["text"] == "Mind the umlauts"
    assert LogLine.objects.filter(text__contains="; step 2, write: Mind the umlauts").exists()


def test_a_note_that_stays_open_is_told_to_the_planner_once(plan: IntentPlan, judge: User) -> None:
    comments.say(plan, by=judge, text="Use docs", anchor="intent:1:path")
    decisions.request_changes(plan, by=judge, digest=plan.digest, comment="One")
    Goal.objects.filter(pk=plan.goal_id).update(state="awaiting_review")
    second = proposed(Goal.objects.get(pk=plan.goal_id), [MKDIR])
    decisions.request_changes(second, by=judge, digest=second.digest, comment="Two")
    assert sorted(Belief.objects.values_list("sentence", flat=True)) == ["One", "Two", "Use docs"]


# --- rounds ---


def sent_back(goal: Goal, judge: User) -> Goal:
    """Send the goal's next plan back."""
    Goal.objects.filter(pk=goal.pk).update(state="awaiting_review")
    plan = proposed(Goal.objects.get(pk=goal.pk))
    decisions.request_changes(plan, by=judge, digest=plan.digest, comment="Again")
    return Goal.objects.get(pk=goal.pk)


def test_when_the_rounds_are_used_up_a_person_is_asked_instead(submitter: User, judge: User) -> None:
    goal = goal_of(submitter)
    RoundLimit.objects.create(rounds=2)
    assert [sent_back(goal, judge).state for _ in range(2)] == ["pending", "pending"]
    assert rounds.of(goal).is_over
    ended = sent_back(goal, judge)
    assert (ended.state, ended.reason.split(":")[0]) == ("manual", "rounds_used_up")
    assert "after 2 requests for changes" in ended.reason
    assert LogLine.objects.filter(goal=goal, text__contains="does not plan again").exists()


def test_the_limit_of_the_goals_agent_counts_before_the_one_of_all(submitter: User) -> None:
    goal = goal_of(submitter)
    assert rounds.of(goal).most == rounds.USUAL
    RoundLimit.objects.create(rounds=9)
    assert rounds.of(goal).most == 9
    RoundLimit.objects.create(rounds=1, agent=goal.agent)
    assert rounds.of(goal).most == 1


def test_admins_set_the_rounds_and_their_changes_stand_in_the_journal(
    admin: User, operator: User, client_of: ClientOf
) -> None:
    add = "/admin/review/roundlimit/add/"
    assert client_of(operator).post(add, {"rounds": "2"}).status_code in {302, 403}
    assert not RoundLimit.objects.exists()
    client = client_of(admin)
    assert b"From 1 to 50 rounds." in client.post(add, {"rounds": "0"}).content
    client.post(add, {"rounds": "2"})
    assert b"There is a limit for this agent already" in client.post(add, {"rounds": "3"}).content
    row = RoundLimit.objects.get()
    client.post(f"/admin/review/roundlimit/{row.pk}/change/", {"rounds": "7"})
    made, changed = AuditEntry.objects.filter(event="round_limit")
    assert made.data["after"]["rounds"] == 2
    assert changed.data == {"before": {"rounds": 2}, "after": {"rounds": 7}}


# --- questions ---


def told(kind: str) -> list[str]:
    return sorted(Notice.objects.filter(kind=kind).values_list("user__username", flat=True))


def test_a_question_is_told_to_the_submitter_and_to_the_rules_author_who_may_see_it(
    submitter: User, judge: User, second_judge: User, stranger: User
) -> None:
    component = Component.objects.create(name="a rule", kind="rule")
    for author, expected in ((second_judge, ["kai", "sue"]), (stranger, ["sue"])):
        version = ComponentVersion.objects.create(
            component=component, version=author.username, body="…", created_by=author
        )
        evidence = {"rule": {"name": "a rule", "version": "1", "component_version_id": str(version.pk)}}
        asked = comments.say(
            proposed(goal_of(submitter), evidence=evidence), by=judge, text="Why a folder?", kind=QUESTION
        )
        assert sorted(asked.notices.values_list("user__username", flat=True)) == expected
        assert "Why a folder" not in "".join(Notice.objects.values_list("text", flat=True))


def test_each_of_two_questions_is_told_and_answered(plan: IntentPlan, judge: User, submitter: User) -> None:
    first, second = [comments.say(plan, by=judge, text=text, kind=QUESTION) for text in ("Why?", "When?")]
    assert told("question") == ["sue", "sue"]
    for question in (first, second):
        comments.answer(question, by=submitter, text="Because")
        comments.answer(question, by=submitter, text="As I said")
    assert told("answer") == ["jo", "jo"]
    assert [row.state for row in Comment.objects.all()] == ["addressed", "addressed"]
    assert first.answers.count() == 2


def test_a_note_is_not_answered_and_an_answer_of_ones_own_tells_nobody(plan: IntentPlan, judge: User) -> None:
    with pytest.raises(WordsRefused, match="Only questions can be answered"):
        comments.answer(comments.say(plan, by=judge, text="Hm"), by=judge, text="Mhm")
    comments.answer(comments.say(plan, by=judge, text="Why?", kind=QUESTION), by=judge, text="I see now")
    assert told("answer") == []
