"""`experiences?q=`: what was learned from finished goals, by meaning."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import datetime
from typing import Annotated, Any

from django.db.models import prefetch_related_objects
from ninja import Field, Query, Router, Schema

from library.errors import LibraryRefused
from library.memory import merging, ratings, selectors
from library.models import Experience, ExperienceRating
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, found_id
from mindx_web.api.protocol.problems import Problem, invalid, not_found
from people.scopes import Scope

router = Router(tags=["experiences"])

# Where a page ended: score and id of its last item, or its time and id when nothing was searched for.
_Mark = tuple[Any, int]


class RatingOut(Schema):
    """A rating by a person: 1 (useless) to 5 (exactly right)."""

    by: str
    stars: int
    comment: str


class RatingIn(Schema):
    """Your rating; it replaces your earlier one."""

    stars: int = Field(ge=1, le=5)
    comment: str = Field("", max_length=ratings.COMMENT_MAX)


class PartedOut(Schema):
    """How many were parted."""

    parted: int


class ExperienceOut(Schema):
    """One experience. `similarity` is a cosine; null if it was found by its words, or without a search."""

    id: str
    goal: str
    kind: str
    owner: str
    primary_goal_description: str
    sub_task_description: str
    final_outcome: str
    output_summary: str
    input_context_summary: str
    involved_components: list[str]
    key_decisions_made: list[str]
    feedback_signals: dict[str, Any]
    ratings: list[RatingOut]
    tags: list[str]
    timestamp: datetime
    similarity: float | None


class ExperiencePage(Schema):
    """Most similar first, or newest first without `q`."""

    items: list[ExperienceOut]
    next: str | None


@router.get("", response=ExperiencePage, auth=BearerToken(Scope.MEMORY_READ), operation_id="search_experiences")
def search(
    request: ApiRequest,
    q: Annotated[str, Query(max_length=selectors.QUERY_MAX_CHARACTERS, description="what it was about")] = "",
    outcome: Annotated[Experience.Outcome | None, Query()] = None,
    after: After = "",
    limit: Limit = 20,
) -> ExperiencePage:
    """The experiences of the goals you may see."""
    user = request.auth.user
    ended = outcome.value if outcome is not None else ""
    mark = _read_mark(after)
    if q.strip():
        found = selectors.search(q, user=user, limit=limit + 1, after=_similarity(mark), outcome=ended)
    else:
        newest = selectors.recent(user=user, outcome=ended, limit=limit + 1, after=_time(mark))
        found = [(row, None) for row in newest]
    prefetch_related_objects([row for row, _ in found], "ratings__by")
    following = None
    if len(found) > limit:
        last, _ = found[limit - 1]
        following = _write_mark(last.score if q.strip() else last.timestamp.isoformat(), last.pk)
    return ExperiencePage(items=[_out(row, similarity) for row, similarity in found[:limit]], next=following)


@router.post(
    "/{experience_id}/rate",
    response=RatingOut,
    auth=BearerToken(Scope.MEMORY_WRITE),
    operation_id="rate_experience",
)
def rate(request: ApiRequest, experience_id: str, payload: RatingIn) -> RatingOut:
    """Rate an experience that you may read. This changes nothing else."""
    return _rating(ratings.rate(_found(request, experience_id), request.auth.user, payload.stars, payload.comment))


@router.post(
    "/{experience_id}/part",
    response=PartedOut,
    auth=BearerToken(Scope.MEMORY_WRITE),
    operation_id="part_experience",
)
def part(request: ApiRequest, experience_id: str) -> PartedOut:
    """Part what was merged into this one: your own, or as an admin anybody's."""
    try:
        return PartedOut(parted=merging.part(_found(request, experience_id), request.auth.user))
    except LibraryRefused as refused:
        raise Problem(403, str(refused), kind="forbidden") from refused


def _found(request: ApiRequest, experience_id: str) -> Experience:
    missing = not_found("experience")
    row = selectors.visible_to(request.auth.user).filter(pk=found_id(experience_id, missing)).first()
    if row is None:
        raise missing
    return row


def _rating(row: ExperienceRating) -> RatingOut:
    return RatingOut(by=row.by.username, stars=row.stars, comment=row.comment)


def _out(row: Experience, similarity: float | None) -> ExperienceOut:
    return ExperienceOut(
        id=str(row.pk),
        goal=row.goal_ref,
        kind=row.kind,
        owner=row.owner.username,
        primary_goal_description=row.primary_goal_description,
        sub_task_description=row.sub_task_description,
        final_outcome=row.final_outcome,
        output_summary=row.output_summary,
        input_context_summary=row.input_context_summary,
        involved_components=row.involved_components,
        key_decisions_made=row.key_decisions_made,
        feedback_signals=row.feedback_signals,
        ratings=[_rating(one) for one in row.ratings.all()],
        tags=row.tags,
        timestamp=row.timestamp,
        similarity=similarity,
    )


_NO_MARK = "Use `next` of the page before, with the same `q`."


def _write_mark(place: float | str | None, pk: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([place, pk]).encode()).decode().rstrip("=")


def _read_mark(after: str) -> _Mark | None:
    if not after:
        return None
    try:
        place, pk = json.loads(base64.urlsafe_b64decode(after + "=" * (-len(after) % 4)))
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise invalid("after", _NO_MARK) from error
    if type(pk) is not int or not 0 <= pk < 2**63:
        raise invalid("after", _NO_MARK)
    return place, pk


def _similarity(mark: _Mark | None) -> tuple[float, int] | None:
    if mark is None:
        return None
    place, pk = mark
    if not isinstance(place, int | float) or isinstance(place, bool) or not -2 <= place <= 2:
        raise invalid("after", _NO_MARK)
    return place, pk


def _time(mark: _Mark | None) -> tuple[datetime, int] | None:
    if mark is None:
        return None
    place, pk = mark
    try:
        when = datetime.fromisoformat(place)
    except (TypeError, ValueError) as error:
        raise invalid("after", _NO_MARK) from error
    if when.tzinfo is None:
        raise invalid("after", _NO_MARK)
    return when, pk
