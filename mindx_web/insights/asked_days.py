"""A range of days (UTC) in an address, as the pages of the insights take it, and the bars that it is drawn with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

from django.utils import timezone

DAYS, MOST_DAYS, MOST_BARS = 30, 366, 53
RANGES = (7, 30, 90, 365)
_TEXT_MAX = 200


def today() -> date:
    """By UTC, as all days here are."""
    return timezone.now().astimezone(UTC).date()


def read(query: Mapping[str, str]) -> tuple[date, date, str]:
    """The first day and the last one, and in words what could not be read as it stands ("": nothing)."""
    first, last = _day(query.get("from", "")), _day(query.get("to", ""))
    trouble = next(
        (
            f"Write the day “{name}” as 2026-01-31."
            for name, day in (("from", first), ("to", last))
            if query.get(name) and day is None
        ),
        "",
    )
    last = last or max(today(), first or today())
    first = first or last - timedelta(days=DAYS - 1)
    if first > last:
        first, last, trouble = last, first, "The first day was after the last day, so they were swapped."
    if (last - first).days >= MOST_DAYS:
        first, trouble = last - timedelta(days=MOST_DAYS - 1), f"At most {MOST_DAYS} days are shown at once."
    return first, last, trouble


def bins(first: date, last: date) -> list[tuple[date, date]]:
    """The days, some of them together where each would be too thin a bar."""
    count = (last - first).days + 1
    width = math.ceil(count / MOST_BARS)
    starts = (first + timedelta(days=start) for start in range(0, count, width))
    return [(start, min(start + timedelta(days=width - 1), last)) for start in starts]


def text(query: Mapping[str, str], name: str) -> str:
    """A text of the address, bounded, as a database can hold it."""
    return query.get(name, "").strip()[:_TEXT_MAX].replace("\0", "")


def cursor(text: str) -> tuple[datetime, int] | None:
    """What a page of a list goes on after: a moment and a number, as `after` writes them; None for anything else."""
    at, _, last = text.partition("~")
    pk = int(last) if last.isascii() and last.isdigit() and len(last) < 19 else None
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        return None
    return (found, pk) if pk is not None and found.tzinfo is not None else None


def after(at: datetime, pk: int) -> str:
    """The cursor of the next page."""
    return f"{at.isoformat()}~{pk}"


def _day(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    # Days far away would leave the calendar when others are counted from them.
    return found if 2000 <= found.year < 2200 else None
