"""Notices about designs and choices of rules: to reviewers that one waits, and to submitters how it was decided."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from agents.models import LevelDocument
from agents.states import LevelState
from people.models import User
from review import rights
from review.models import LevelTold, NoticeKind
from review.notices import notify

_AT_ONCE = 200
_WAITS = LevelState.AWAITING_REVIEW.value
# States that a person decided. Replaced ones, and those of ended goals, left the queue without a decision.
_DECIDED = [state.value for state in (LevelState.APPROVED, LevelState.SENT_BACK, LevelState.REJECTED)]


def sweep() -> None:
    """Send notices that were not sent yet; the notices and the mark that they were sent are one transaction."""
    for document in _documents(Q(state=_WAITS, told__isnull=True)):
        _tell_waiting(document)
    for document in _documents(Q(state__in=_DECIDED, told__end_at__isnull=True)):
        _tell_end(document)


def text_of(kind: NoticeKind, document: LevelDocument) -> str:
    """What is asked or was decided: the goal's first words, nothing from the document."""
    what, goal = document.get_kind_display(), notify.first_words(document.goal)
    if kind == NoticeKind.AWAITS:
        return f"A {what} is waiting for your review: {goal}"
    return f"The {what} is {document.state.replace('_', ' ')}: {goal}"


def _documents(which: Q) -> list[LevelDocument]:
    found = LevelDocument.objects.filter(which).select_related("goal__submitted_by", "by").defer("document")
    return list(found.order_by("pk")[:_AT_ONCE])


def _tell_waiting(document: LevelDocument) -> None:
    with transaction.atomic():
        _, new = LevelTold.objects.get_or_create(document=document)
        if new:
            known = rights.known_of({document.goal_id})
            deciders = [user for user in notify.active() if not rights.why_not_level(user, document, known)]
            _tell(NoticeKind.AWAITS, document, deciders)


def _tell_end(document: LevelDocument) -> None:
    with transaction.atomic():
        LevelTold.objects.get_or_create(document=document)
        if LevelTold.objects.filter(document=document, end_at__isnull=True).update(end_at=Now()):
            concerned = [document.goal.submitted_by, *([document.by] if document.by is not None else [])]
            _tell(NoticeKind.OUTCOME, document, [each for each in concerned if each.pk != document.decided_by_id])


def _tell(kind: NoticeKind, document: LevelDocument, people: list[User]) -> None:
    notify.tell(kind, text_of(kind, document), people, level_document=document)
