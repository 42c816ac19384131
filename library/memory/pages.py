"""One page of memory at a time: the same for the page and the API, with a cursor that outsiders need not understand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.core.exceptions import BadRequest

from library.memory import selectors
from library.memory.selectors import Found
from people.models import User

T = TypeVar("T")


@dataclass(frozen=True)
class Page:
    """Rows with their similarity (None: found by words, or nothing was searched for); `next` is "" on the last page."""

    rows: list[Found]
    next: str


def find(*, user: User, query: str = "", outcome: str = "", after: str = "", limit: int = 20) -> Page:
    """Return what is nearest to the query, or the newest without one.

    BadRequest when `after` is not a cursor that this function made.
    """
    found: list[Found]
    if query.replace("\0", "").strip():
        start = _read(after, _similarity) if after else None
        found = selectors.search(query, user=user, outcome=outcome, limit=limit + 1, after=start)
        cursor = "" if len(found) <= limit else _score_cursor(found[limit - 1])
    else:
        moment = _read(after, _moment) if after else None
        newest = selectors.recent(user=user, outcome=outcome, limit=limit + 1, after=moment)
        found = [(row, None) for row in newest]
        cursor = "" if len(newest) <= limit else f"{newest[limit - 1].timestamp.isoformat()}~{newest[limit - 1].pk}"
    return Page(found[:limit], cursor)


def _score_cursor(found: Found) -> str:
    experience, _ = found
    return f"{experience.score!r}~{experience.pk}"


def _read(cursor: str, first: Callable[[str], T]) -> tuple[T, int]:
    """Take a cursor apart; its last part is an id."""
    value, _, pk = cursor.partition("~")
    try:
        number = int(pk)
        if not 0 < number < 1 << 63:
            raise ValueError("no id")
        return first(value), number
    except ValueError as error:
        raise BadRequest("This is not the address of a page.") from error


def _similarity(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not a similarity")
    return number


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a moment without its time zone")
    return moment
