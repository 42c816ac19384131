"""`intent-plans/{id}/comments`, `…/questions`, `…/beliefs`: what people say about a plan and its beliefs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.db.models import QuerySet
from ninja import Body, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.models import Belief, IntentPlan
from agents.recovery import contradictions as corrections
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, found_id, oldest_first
from mindx_web.api.protocol.problems import not_found
from mindx_web.api.protocol.shapes import Nothing, Strict, said_digest
from mindx_web.api.review.intent_plans import PlanOut, plan_out, plan_to_read
from people.scopes import Scope
from review.deciding import contradicting
from review.models import Comment
from review.talk import comments as talking

router = Router(tags=["intent plans"])

_MAY_READ = BearerToken(Scope.REVIEW_READ)
_MAY_TALK = BearerToken(Scope.REVIEW_TALK)
_ANCHOR = 'what it is about: "" the plan, "intent:2" a step, "intent:2:path" an argument of it'


class AnswerOut(Schema):
    """An answer to a question."""

    by: str
    text: str
    at: datetime


class CommentOut(Schema):
    """A comment or a question. `anchor`: its place when it was written; `anchor_now`: that place in `revision_now`."""

    id: str
    kind: str
    intent_plan: str
    anchor: str
    about: str
    anchor_now: str
    revision_now: int
    state: str
    by: str
    text: str
    at: datetime
    answers: list[AnswerOut]


class CommentPage(Schema):
    """Comments, oldest first."""

    items: list[CommentOut]
    next: str | None


class SayIn(Strict):
    """A text about the plan, a step or an argument."""

    text: str
    anchor: str = Field("", description=_ANCHOR)


class AnswerIn(Strict):
    """An answer to a question."""

    text: str


class BeliefOut(Schema):
    """What the agent holds true, or held. `denies` is the sentence that this one denies."""

    id: str
    sentence: str
    source: str
    confidence: float
    by: str | None
    at: datetime
    about: str
    denies: str
    retracted_by: str


class BeliefPage(Schema):
    """Beliefs of the plan's goal, oldest first."""

    items: list[BeliefOut]
    next: str | None


class ContradictIn(Strict):
    """`digest` is that of the plan as you read it; `instead` is what is true instead, by default the opposite."""

    digest: Any = Field(json_schema_extra={"type": "string"})
    instead: str = ""


@router.get("/{plan_id}/comments", response=CommentPage, auth=_MAY_READ, operation_id="list_comments")
def comments(request: ApiRequest, plan_id: str, after: After = "", limit: Limit = 20) -> CommentPage:
    """Comments on all plans of this plan's goal, including questions."""
    return _page(_of(plan_to_read(request.auth.user, plan_id)), after, limit)


@router.post("/{plan_id}/comments", response={201: CommentOut}, auth=_MAY_TALK, operation_id="comment")
def comment(request: ApiRequest, plan_id: str, payload: SayIn) -> Status[CommentOut]:
    """Comment on the plan. Every open comment goes to the planner with the next decision."""
    return _said(request, plan_id, payload, Comment.Kind.NOTE)


@router.post("/{plan_id}/comments/{comment_id}/resolve", response=CommentOut, auth=_MAY_TALK, operation_id="resolve")
def resolve(
    request: ApiRequest, plan_id: str, comment_id: str, payload: Annotated[Nothing | None, Body()] = None
) -> CommentOut:
    """Resolve your own comment or question."""
    return _settled(request, plan_id, comment_id, is_settled=True)


@router.post("/{plan_id}/comments/{comment_id}/reopen", response=CommentOut, auth=_MAY_TALK, operation_id="reopen")
def reopen(
    request: ApiRequest, plan_id: str, comment_id: str, payload: Annotated[Nothing | None, Body()] = None
) -> CommentOut:
    """Reopen your own comment or question."""
    return _settled(request, plan_id, comment_id, is_settled=False)


@router.get("/{plan_id}/questions", response=CommentPage, auth=_MAY_READ, operation_id="list_questions")
def questions(request: ApiRequest, plan_id: str, after: After = "", limit: Limit = 20) -> CommentPage:
    """The questions on all plans of this plan's goal, with their answers."""
    return _page(_of(plan_to_read(request.auth.user, plan_id)).filter(kind=Comment.Kind.QUESTION), after, limit)


@router.post("/{plan_id}/questions", response={201: CommentOut}, auth=_MAY_TALK, operation_id="ask")
def ask(request: ApiRequest, plan_id: str, payload: SayIn) -> Status[CommentOut]:
    """Ask the people behind the plan. It changes neither the plan's state nor its digest."""
    return _said(request, plan_id, payload, Comment.Kind.QUESTION)


@router.post(
    "/{plan_id}/questions/{comment_id}/answers", response={201: CommentOut}, auth=_MAY_TALK, operation_id="answer"
)
def answer(request: ApiRequest, plan_id: str, comment_id: str, payload: AnswerIn) -> Status[CommentOut]:
    """Answer a question; the asker is told."""
    user = request.auth.user
    question = _one(plan_to_read(user, plan_id), comment_id)
    talking.answer(question, by=user, text=payload.text)
    return Status(201, _out(_one(question.intent_plan, comment_id)))


@router.get("/{plan_id}/beliefs", response=BeliefPage, auth=_MAY_READ, operation_id="list_beliefs")
def beliefs(request: ApiRequest, plan_id: str, after: After = "", limit: Limit = 20) -> BeliefPage:
    """Everything that the agent held true for the plan's goal; beliefs with `retracted_by` are no longer held."""
    held = plan_to_read(request.auth.user, plan_id).goal.beliefs.select_related("by")
    rows, following = oldest_first(held, after, limit)
    return BeliefPage(items=[_belief(row) for row in rows], next=following)


@router.post(
    "/{plan_id}/beliefs/{belief_id}/contradict", response=PlanOut, auth=_MAY_TALK, operation_id="contradict_belief"
)
def contradict(request: ApiRequest, plan_id: str, belief_id: str, payload: ContradictIn) -> PlanOut:
    """Say that a belief is wrong: the agent drops it and plans again. The answer is the superseded plan."""
    user = request.auth.user
    plan = plan_to_read(user, plan_id)
    sentence = _belief_of(plan, belief_id).sentence
    digest = said_digest(payload.digest)
    contradicting.contradict(plan, by=user, digest=digest, sentence=sentence, instead=payload.instead)
    return plan_out(plan_to_read(user, plan_id))


@router.post("/{plan_id}/beliefs/{belief_id}/put-back", response=BeliefOut, auth=_MAY_TALK, operation_id="put_back")
def put_back(
    request: ApiRequest, plan_id: str, belief_id: str, payload: Annotated[Nothing | None, Body()] = None
) -> BeliefOut:
    """Undo a denial, by the id of the denying belief: the denied one is held again, and the agent plans again."""
    user = request.auth.user
    plan = plan_to_read(user, plan_id)
    corrections.put_back(plan.goal, by=user, belief_id=_belief_of(plan, belief_id).pk)
    return _belief(_belief_of(plan, belief_id))


def _said(request: ApiRequest, plan_id: str, payload: SayIn, kind: Comment.Kind) -> Status[CommentOut]:
    user = request.auth.user
    plan = plan_to_read(user, plan_id)
    made = talking.say(plan, by=user, text=payload.text, anchor=payload.anchor, kind=kind)
    return Status(201, _out(_one(plan, str(made.pk))))


def _settled(request: ApiRequest, plan_id: str, comment_id: str, *, is_settled: bool) -> CommentOut:
    user = request.auth.user
    plan = plan_to_read(user, plan_id)
    talking.settle(_one(plan, comment_id), by=user, is_settled=is_settled)
    return _out(_one(plan, comment_id))


def _of(plan: IntentPlan) -> QuerySet[Comment]:
    found = Comment.objects.filter(goal_id=plan.goal_id).select_related("by", "intent_plan")
    return found.defer("intent_plan__document").prefetch_related("answers__by").order_by("pk")


def _one(plan: IntentPlan, comment_id: str) -> Comment:
    """A comment on this plan's goal; those of other goals are not found."""
    found = _of(plan).filter(pk=found_id(comment_id, not_found("comment"))).first()
    if found is None:
        raise not_found("comment")
    return found


def _belief_of(plan: IntentPlan, belief_id: str) -> Belief:
    found = plan.goal.beliefs.select_related("by").filter(pk=found_id(belief_id, not_found("belief"))).first()
    if found is None:
        raise not_found("belief")
    return found


def _page(rows: QuerySet[Comment], after: str, limit: int) -> CommentPage:
    found, following = oldest_first(rows, after, limit)
    return CommentPage(items=[_out(row) for row in found], next=following)


def _out(row: Comment) -> CommentOut:
    return CommentOut(
        id=str(row.pk),
        kind=row.kind,
        intent_plan=str(row.intent_plan_id),
        anchor=row.anchor,
        about=row.about,
        anchor_now=row.anchor_now,
        revision_now=row.revision_now,
        state=row.state,
        by=row.by.username,
        text=row.text,
        at=row.at,
        answers=[AnswerOut(by=one.by.username, text=one.text, at=one.at) for one in row.answers.all()],
    )


def _belief(row: Belief) -> BeliefOut:
    return BeliefOut(
        id=str(row.pk),
        sentence=row.sentence,
        source=row.source,
        confidence=row.confidence,
        by=row.by.username if row.by is not None else None,
        at=row.at,
        about=row.about,
        denies=row.denies,
        retracted_by=row.retracted_by,
    )
