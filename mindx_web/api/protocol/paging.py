"""Keyset pages: `?after=` names the last item seen, `?limit=` the size of a page."""

from __future__ import annotations

from typing import Annotated, TypeVar

from django.db.models import Model, QuerySet
from ninja import Query

from mindx_web.api.protocol.problems import Problem, invalid

LARGEST_PAGE = 100
_LARGEST_ID = 2**63 - 1

Row = TypeVar("Row", bound=Model)
After = Annotated[str, Query(description="`next` of the page before", max_length=200)]
Limit = Annotated[int, Query(ge=1, le=LARGEST_PAGE, description="how many items at most")]


def row_id(text: str) -> int | None:
    """The database id for an opaque id, or None."""
    if not (text.isascii() and text.isdigit()) or len(text) > 19 or (len(text) > 1 and text[0] == "0"):
        return None
    number = int(text)
    return number if number <= _LARGEST_ID else None


def after_id(after: str) -> int | None:
    """The id after which to continue; None for the first page. Raises Problem 422 for a value that no page returns."""
    if not after:
        return None
    number = row_id(after)
    if number is None:
        raise invalid("after", "Use `next` of the page before.")
    return number


def newest_first(rows: QuerySet[Row], after: str, limit: int) -> tuple[list[Row], str | None]:
    """A page of rows, newest first, and `next`. Raises Problem 422 as `after_id` does."""
    return _page(rows.order_by("-pk"), "pk__lt", after, limit)


def oldest_first(rows: QuerySet[Row], after: str, limit: int) -> tuple[list[Row], str | None]:
    """As `newest_first`, oldest first."""
    return _page(rows.order_by("pk"), "pk__gt", after, limit)


def _page(rows: QuerySet[Row], beyond: str, after: str, limit: int) -> tuple[list[Row], str | None]:
    if (start := after_id(after)) is not None:
        rows = rows.filter(**{beyond: start})
    found = list(rows[: limit + 1])
    return found[:limit], next_after(found[limit - 1].pk if len(found) > limit else None)


def next_after(number: int | None) -> str | None:
    """`next` as the API spells it."""
    return None if number is None else str(number)


def found_id(text: str, missing: Problem) -> int:
    """The database id in an address; raises `missing` if there can be no such row."""
    number = row_id(text)
    if number is None:
        raise missing
    return number
