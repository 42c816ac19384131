"""Times and durations in the words of the pages."""

from __future__ import annotations

from datetime import datetime

MINUTE, HOUR, DAY = 60, 3600, 86_400


def clock_text(when: datetime, now: datetime) -> str:
    """The time of day; with the date from yesterday on, and with the year when it is another one."""
    if when.date() == now.date():
        return f"{when:%H:%M}"
    if when.year == now.year:
        return f"{when.day} {when:%b %H:%M}"
    return f"{when.day} {when:%b %Y}"


def day_text(when: datetime) -> str:
    """The date alone: `21 November 2026`."""
    return f"{when.day} {when:%B %Y}"


def exact_text(when: datetime) -> str:
    """The whole moment, for the tooltip: `21 November 2026, 09:03:12 UTC`."""
    return f"{when.day} {when:%B %Y, %H:%M:%S} {when.tzname() or ''}".rstrip()


def duration_text(seconds: float) -> str:
    """A duration as short as it stays useful: `0.04 s`, `6.2 s`, `1 min 51 s`, `42 min`, `3 h 18 min`, `2 days`."""
    seconds = max(0.0, seconds)
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < MINUTE:
        return f"{whole} s"
    if whole < 10 * MINUTE:
        return _two(whole, MINUTE, "min", 1, "s")
    if whole < HOUR:
        return f"{whole // MINUTE} min"
    if whole < 2 * DAY:
        return _two(whole, HOUR, "h", MINUTE, "min")
    return f"{whole // DAY} days"


def age_text(seconds: float) -> str:
    """How long ago something was; nobody compares tenths of a second there."""
    return "a moment" if seconds < 1 else duration_text(round(seconds)).replace(".0 s", " s")


def _two(whole: int, large: int, large_unit: str, small: int, small_unit: str) -> str:
    rest = whole % large // small
    return f"{whole // large} {large_unit}" + (f" {rest} {small_unit}" if rest else "")
