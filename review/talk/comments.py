"""Comments and questions about a plan: written, answered, resolved. They never change the plan's state or digest."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from agents.bdi.plans import document as documents
from agents.models import Goal, IntentPlan
from agents.plans import plans
from agents.plans.plans import Said
from agents.record import logs, wake_ups
from agents.record.errors import NotPossibleNow, NotYours
from agents.record.selectors import plans_visible_to
from agents.states import PLAN_ENDED
from people.models import User
from review import words
from review.errors import WordsRefused
from review.models import Answer, Comment
from review.notices import notify
from review.reading import anchors
from review.talk.moves import move_comment

# Per goal. Nobody reads more, and the page must not become endless.
MOST = 300
MOST_ANSWERS = 50
Kind, State = Comment.Kind, Comment.State


def why_closed(plan: IntentPlan) -> str:
    """Why this plan can no longer be commented on; empty while it can."""
    if plan.state in PLAN_ENDED:
        return f"This plan is {plan.state}, so its discussion is closed. Comment on the goal's newest plan instead."
    return ""


def say(plan: IntentPlan, *, by: User, text: str, anchor: str = "", kind: Comment.Kind = Kind.NOTE) -> Comment:
    """Store a note or a question about the plan, a step ("intent:2") or an argument ("intent:2:path").

    Whoever may see the plan may comment. The submitter and the authors of the steps or the rule are told of a question.
    Raises WordsRefused, NotYours, and NotPossibleNow when the plan has ended.
    """
    _check_sees(by, plan)
    said = words.taken(text, "text", required=True)
    with transaction.atomic():
        # The lock prevents a new revision between the check and the insert.
        locked = plans.locked(plan)
        if closed := why_closed(locked):
            raise NotPossibleNow(closed)
        place = anchors.place_at(_document(locked), anchor)
        if place is None:
            raise WordsRefused("anchor", "This plan has no such step or argument. Choose one that it has.")
        if Comment.objects.filter(goal_id=locked.goal_id).count() >= MOST:
            raise WordsRefused("text", f"A goal can have at most {MOST} comments.")
        comment = Comment.objects.create(
            goal_id=locked.goal_id,
            intent_plan=locked,
            by=by,
            kind=kind,
            text=said,
            anchor=anchor,
            about=place.words,
            anchor_now=anchor,
            revision_now=locked.revision,
        )
        what = "asked about" if kind == Kind.QUESTION else "commented on"
        _log(locked.goal_id, f"{by.username} {what} {place.words}: {said}")
        if kind == Kind.QUESTION:
            notify.tell_question(comment)
    return comment


def answer(question: Comment, *, by: User, text: str) -> Answer:
    """Answer a question, whatever the plan's state. Whoever may see the plan may answer; the asker is told."""
    _check_sees(by, question.intent_plan)
    if not question.is_question:
        raise WordsRefused("text", "This is a comment. Only questions can be answered.")
    said = words.taken(text, "text", required=True)
    with transaction.atomic():
        Goal.objects.select_for_update(no_key=True).get(pk=question.goal_id)
        if question.answers.count() >= MOST_ANSWERS:
            raise WordsRefused("text", f"A question can have at most {MOST_ANSWERS} answers.")
        made = Answer.objects.create(question=question, by=by, text=said)
        move_comment(question, State.ADDRESSED)
        _log(question.goal_id, f"{by.username} answered about {question.about or 'the plan'}: {said}")
        notify.tell_answer(question, by=by)
    question.refresh_from_db()
    return made


def settle(comment: Comment, *, by: User, is_settled: bool) -> Comment:
    """Resolve one's own comment or question, or open it again. Raises NotYours; NotPossibleNow for an ended goal."""
    _check_sees(by, comment.intent_plan)
    if comment.by_id != by.pk:
        raise NotYours("Only the author of a comment can resolve or reopen it.")
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(pk=comment.goal_id)
        if goal.has_ended:
            raise NotPossibleNow("This goal has ended, so its comments can no longer be changed.")
        new = State.RESOLVED if is_settled else State.OPEN
        comment.refresh_from_db()
        if comment.state == State.STALE and not is_settled:
            raise NotPossibleNow("The step or argument that this comment was about is gone. Write a new comment.")
        if move_comment(comment, new, settled_in=None):
            done = "resolved" if is_settled else "reopened"
            _log(goal.pk, f"{by.username} {done} what they said about {comment.about or 'the plan'}")
        comment.refresh_from_db()
    return comment


def open_notes(goal_id: int) -> Sequence[Comment]:
    """The notes that go to the planner with the next decision, oldest first."""
    notes = Comment.objects.filter(goal_id=goal_id, kind=Kind.NOTE, state=State.OPEN)
    return list(notes.select_related("by").order_by("pk"))


def is_open(goal_id: int) -> bool:
    """Whether a comment or question is open: then no policy approves the plan."""
    return Comment.objects.filter(goal_id=goal_id, state=State.OPEN).exists()


def as_said(notes: Sequence[Comment]) -> list[Said]:
    """The notes in the planner's format."""
    return [Said(note.text, note.by, note.about if note.anchor else "") for note in notes]


def as_kept(notes: Sequence[Comment]) -> list[dict[str, object]]:
    """The notes in a decision's format, so that the decision itself says which were sent with it."""
    return [
        {"comment": note.pk, "anchor": note.anchor_now, "about": note.about, "text": note.text, "by": note.by.username}
        for note in notes
    ]


def _check_sees(by: User, plan: IntentPlan) -> None:
    if not by.is_active or not plans_visible_to(by).filter(pk=plan.pk).exists():
        raise NotYours("You cannot see this plan, so you cannot comment on it.")


def _document(plan: IntentPlan) -> documents.Document:
    try:
        return documents.read(bytes(plan.document))
    except ValueError as error:
        raise NotPossibleNow("The stored plan cannot be read, so its steps cannot be commented on.") from error


def _log(goal_id: int, text: str) -> None:
    logs.say(goal_id, "review", "review", text)
    wake_ups.goal_changed(goal_id)
    wake_ups.queue_changed()
