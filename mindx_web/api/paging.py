"""Keyset pages: `?after=` names the last item seen, `?limit=` how many more."""

from __future__ import annotations

from typing import Annotated

from ninja import Query

from mindx_web.api.problems import Problem, invalid

LARGEST_PAGE = 100
_LARGEST_ID = 2**63 - 1

After = Annotated[str, Query(description="`next` of the page before", max_length=200)]
Limit = Annotated[int, Query(ge=1, le=LARGEST_PAGE, description="how many items at most")]


def row_id(text: str) -> int | None:
    """The database id that an opaque id stands for, or None when it stands for none."""
    if not (text.isascii() and text.isdigit()) or len(text) > 19 or (len(text) > 1 and text[0] == "0"):
        return None
    number = int(text)
    return number if number <= _LARGEST_ID else None


def after_id(after: str) -> int | None:
    """The id to go on after; None for the first page. Raises Problem 422 for what no page has ever answered."""
    if not after:
        return None
    number = row_id(after)
    if number is None:
        raise invalid("after", "Use `next` of the page before.")
    return number


def next_after(number: int | None) -> str | None:
    """`next` as the API spells it."""
    return None if number is None else str(number)


def found_id(text: str, missing: Problem) -> int:
    """The database id in an address; raises `missing` when there can be no such row."""
    number = row_id(text)
    if number is None:
        raise missing
    return number
