"""Comments on a goal's plans for the page of one of them, each at its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from agents.bdi.plans.document import Document
from agents.models import IntentPlan
from people.models import User
from review.models import Answer, Comment
from review.reading import anchors
from review.reading.anchors import Place
from review.talk import comments


@dataclass(frozen=True)
class Said:
    """A comment or a question. `anchor` is its place on this page; None if the page does not have it."""

    comment: Comment
    anchor: str | None
    is_mine: bool
    answers: Sequence[Answer]

    @property
    def is_open(self) -> bool:
        """True while it is open."""
        return self.comment.state == Comment.State.OPEN

    @property
    def part(self) -> str:
        """The argument that it is about; "" for a step or the plan."""
        return anchors.parameter_of(self.anchor or "")


@dataclass(frozen=True)
class Talk:
    """All comments. `closed` says why no more are possible; `places` what can be commented on."""

    said: Sequence[Said] = ()
    places: Sequence[Place] = ()
    closed: str = ""
    by_position: dict[int, list[Said]] = field(default_factory=dict)

    @property
    def general(self) -> list[Said]:
        """Comments on the whole plan, and those whose place is not on this page."""
        return [one for one in self.said if not one.anchor]

    @property
    def notes(self) -> list[Said]:
        """The notes that go to the planner with the next decision."""
        return [one for one in self.said if one.is_open and not one.comment.is_question]

    @property
    def questions(self) -> list[Said]:
        """The open questions."""
        return [one for one in self.said if one.is_open and one.comment.is_question]

    @property
    def counts(self) -> list[str]:
        """What there is, in words: "2 open comments", "1 open question", "3 settled"."""
        settled = len(self.said) - len(self.notes) - len(self.questions)
        return [
            words
            for number, words in (
                (len(self.notes), _counted(len(self.notes), "open comment")),
                (len(self.questions), _counted(len(self.questions), "open question")),
                (settled, f"{settled} closed"),
            )
            if number
        ]

    def at(self, position: int) -> list[Said]:
        """The comments on a step and its arguments."""
        return self.by_position.get(position, [])


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def open_questions(goal: str) -> Coalesce:
    """The number of open questions, for rows of the queue; `goal` is the field with the goal's id."""
    questions = Comment.objects.filter(goal_id=OuterRef(goal), kind=Comment.Kind.QUESTION, state=Comment.State.OPEN)
    counted = questions.order_by().values("goal_id").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)


def of(plan: IntentPlan, document: Document | None, user: User) -> Talk:
    """Read the comments on the goal's plans, for the page of this one."""
    rows = Comment.objects.filter(goal_id=plan.goal_id).select_related("by", "intent_plan")
    rows = rows.defer("intent_plan__document").prefetch_related("answers__by")
    places = anchors.places(document) if document is not None else []
    known = {place.anchor for place in places}
    said = [Said(row, _anchor_on(plan, row, known), row.by_id == user.pk, list(row.answers.all())) for row in rows]
    by_position: dict[int, list[Said]] = {}
    for one in said:
        if one.anchor:
            by_position.setdefault(anchors.position_of(one.anchor), []).append(one)
    return Talk(said, places, comments.why_closed(plan), by_position)


def _anchor_on(plan: IntentPlan, row: Comment, known: set[str]) -> str | None:
    """Its place on this plan's page: where it was written, or where it was carried to."""
    if row.intent_plan_id == plan.pk:
        return row.anchor if row.anchor in known else None
    if row.revision_now == plan.revision and row.anchor_now in known:
        return row.anchor_now
    return None
