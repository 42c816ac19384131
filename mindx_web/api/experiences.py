"""`experiences?q=`: what finished goals taught, by meaning."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import datetime
from typing import Annotated, Any

from ninja import Query, Router, Schema

from library.memory import selectors
from library.models import Experience
from mindx_web.api.auth import ApiRequest, BearerToken
from mindx_web.api.paging import After, Limit
from mindx_web.api.problems import invalid
from people.scopes import Scope

router = Router(tags=["experiences"])

# Where a page ended: score and id of its last item, or its time and id when nothing was searched for.
_Mark = tuple[Any, int]


class ExperienceOut(Schema):
    """One experience. `similarity` is a cosine; null when it was found by its words, or nothing was searched for."""

    id: str
    goal: str
    owner: str
    primary_goal_description: str
    final_outcome: str
    output_summary: str
    input_context_summary: str
    involved_components: list[str]
    key_decisions_made: list[str]
    tags: list[str]
    timestamp: datetime
    similarity: float | None


class ExperiencePage(Schema):
    """Nearest in meaning first, or newest first without `q`."""

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
    following = None
    if len(found) > limit:
        last, _ = found[limit - 1]
        following = _write_mark(last.score if q.strip() else last.timestamp.isoformat(), last.pk)
    return ExperiencePage(items=[_out(row, similarity) for row, similarity in found[:limit]], next=following)


def _out(row: Experience, similarity: float | None) -> ExperienceOut:
    return ExperienceOut(
        id=str(row.pk),
        goal=row.goal_ref,
        owner=row.owner.username,
        primary_goal_description=row.primary_goal_description,
        final_outcome=row.final_outcome,
        output_summary=row.output_summary,
        input_context_summary=row.input_context_summary,
        involved_components=row.involved_components,
        key_decisions_made=row.key_decisions_made,
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


def _similarity(mark: _Mark | None) -> tuple[float | None, int] | None:
    if mark is None:
        return None
    place, pk = mark
    if place is not None and (type(place) not in (int, float) or not -2 <= place <= 2):
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
