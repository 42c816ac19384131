"""`memory/context`: what to know for a task within a budget of tokens. `memory/forget`: erasing experiences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from django.db import transaction
from django.http import StreamingHttpResponse
from ninja import Field, Query, Router, Schema
from pydantic import AwareDatetime

from agents.planning import messages
from agents.record.selectors import goals_visible_to
from library.errors import LibraryRefused
from library.memory import context, exporting, merging, questions, selectors, services
from library.memory.context import TOKENS_MAX, Item
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import found_id
from mindx_web.api.protocol.problems import Problem, invalid, not_found
from people import tokens
from people.models import ApiToken, User
from people.roles import Role
from people.scopes import Scope

router = Router(tags=["memory"])


class ItemOut(Schema):
    """One message, experience or component. `score` is null for a message and if it was found by its words; `why`
    says why it was included, or left out.
    """

    kind: str
    id: str
    text: str
    tokens: int
    score: float | None
    why: str


class ContextOut(Schema):
    """What fits, best first; what does not; and about how many tokens it uses."""

    items: list[ItemOut]
    left_out: list[ItemOut]
    tokens: int


class ForgetIn(Schema):
    """Exactly one of: an experience's id, a person's user name, or a moment before which everything is erased."""

    experience: str | None = None
    person: str | None = Field(None, max_length=150)
    before: AwareDatetime | None = None


class ForgottenOut(Schema):
    """How many experiences were deleted. The goals and their logs stay."""

    forgotten: int


class AskIn(Schema):
    """A question in words. `with_model` lets the language model write the answer from the sources."""

    question: str = Field(min_length=1, max_length=selectors.QUERY_MAX_CHARACTERS)
    with_model: bool = False


class SourceOut(Schema):
    """A source of the answer, which cites it by its number, as in [1]."""

    number: int
    id: str
    goal: str
    title: str
    outcome: str


class ReplyOut(Schema):
    """`counts` says how the experiences that were found had ended; empty, nothing was, and `sources` are the nearest.
    `model` wrote the answer, empty if none did; if you asked for one, `no_model` then says why.
    """

    answer: str
    sources: list[SourceOut]
    counts: dict[str, int]
    model: str
    no_model: str


class MergedOut(Schema):
    """How many were merged into others with the same content."""

    merged: int


@router.post("/ask", response=ReplyOut, auth=BearerToken(Scope.MEMORY_READ), operation_id="ask_memory")
def ask(request: ApiRequest, payload: AskIn) -> ReplyOut:
    """An answer from the experiences of the goals you may see, with its sources."""
    found = questions.reply(payload.question, user=request.auth.user, with_model=payload.with_model)
    return ReplyOut(
        answer=found.text,
        sources=[
            SourceOut(number=n, id=str(row.pk), goal=row.goal_ref, title=row.title, outcome=row.final_outcome)
            for n, row in enumerate(found.sources, 1)
        ],
        counts=found.counts,
        model=found.model,
        no_model=found.no_model,
    )


@router.post("/merge", response=MergedOut, auth=BearerToken(Scope.MEMORY_WRITE), operation_id="merge_memory")
def merge(request: ApiRequest) -> MergedOut:
    """Merge experiences of yours with the same content. Each can be parted again."""
    return MergedOut(merged=merging.merge(request.auth.user, request.auth.user))


@router.get("/export", auth=BearerToken(Scope.MEMORY_READ), operation_id="export_memory", response=dict[str, Any])
def export(request: ApiRequest) -> StreamingHttpResponse:
    """All that is remembered of your own goals, as one JSON object."""
    return StreamingHttpResponse(exporting.chunks(request.auth.user), content_type="application/json")


@router.post("/forget", response=ForgottenOut, auth=BearerToken(Scope.MEMORY_WRITE), operation_id="forget_memory")
def forget(request: ApiRequest, payload: ForgetIn) -> ForgottenOut:
    """Erase experiences: your own, or as an admin those of anybody."""
    by = request.auth.user
    if len(payload.model_fields_set) != 1 or (asked := payload.dict(exclude_none=True)) == {}:
        raise invalid("", "Say one of: experience, person, before.")
    try:
        with transaction.atomic():
            return ForgottenOut(forgotten=_forgotten(asked, by))
    except LibraryRefused as refused:
        raise Problem(403, str(refused), kind="forbidden") from refused


def _forgotten(asked: Mapping[str, Any], by: User) -> int:
    if "before" in asked:
        return services.forget_before(asked["before"], by)
    if "person" in asked:
        person = User.objects.filter(username=asked["person"]).first()
        # Only admins may learn whether a person exists.
        if person is None and not by.has_role(Role.ADMIN):
            raise LibraryRefused("Only an admin can have the experiences of others forgotten.")
        if person is None:
            raise invalid("person", "There is no user with this name.")
        return services.forget_of(person, by)
    row = selectors.visible_to(by).filter(pk=found_id(asked["experience"], not_found("experience"))).first()
    if row is None:
        raise not_found("experience")
    services.forget(row, by)
    return 1


@router.get("/context", response=ContextOut, auth=BearerToken(Scope.MEMORY_READ), operation_id="get_memory_context")
def get_context(
    request: ApiRequest,
    task: Annotated[str, Query(min_length=1, max_length=4_000, description="what is to be done")],
    query: Annotated[str, Query(max_length=1_000, description="what memory is searched by instead of the task")] = "",
    budget_tokens: Annotated[int, Query(ge=1, le=TOKENS_MAX)] = 2_000,
    goal: Annotated[str, Query(max_length=20, description="what was said about this goal is told as well")] = "",
) -> ContextOut:
    """Experiences of the goals you may see, and components in use if the token may read the library. With a `goal`
    also what was said about it and the goal that it is part of, if the token may read goals.
    """
    found = context.build(
        task,
        query,
        user=request.auth.user,
        budget_tokens=budget_tokens,
        with_components=tokens.allows(request.auth, Scope.LIBRARY_READ),
        without_goal=goal,
        messages=_messages(goal, request.auth) if goal else (),
    )
    return ContextOut(
        items=[_out(item) for item in found.items],
        left_out=[_out(item) for item in found.left_out],
        tokens=found.tokens,
    )


def _messages(goal: str, token: ApiToken) -> list[Item]:
    """What was said about a goal. Raises Problem if the token may not read goals, and for somebody else's goal."""
    if not tokens.allows(token, Scope.GOALS_READ):
        raise Problem(403, f"This token has no scope {Scope.GOALS_READ}.", kind="insufficient_scope")
    missing = not_found("goal")
    row = goals_visible_to(token.user).select_related("parent").filter(pk=found_id(goal, missing)).first()
    if row is None:
        raise missing
    return messages.of(row, token.user)


def _out(item: Item) -> ItemOut:
    return ItemOut(kind=item.kind, id=item.id, text=item.text, tokens=item.tokens, score=item.score, why=item.why)
