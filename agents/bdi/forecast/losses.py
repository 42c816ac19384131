"""Which files lose their current content, from the forecast of a plan. Pure.

A removal says of itself that it destroys; writing and moving do so only where something is in the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agents.bdi.forecast.consequences import Content, Forecast, Overwriting, Transfer, Writing

# A file's bytes today, or None when they cannot be compared: missing, or too large to read here.
Today = Callable[[str], bytes | None]


def replaced(forecast: Forecast, today: Today) -> tuple[str, ...]:
    """The paths whose content of today a main step puts other content over, in the order of the steps.

    What cannot be told counts: a file too large to compare, and what a program may have put there before.
    """
    return tuple(dict.fromkeys(_replaced(forecast, today)))


def _replaced(forecast: Forecast, today: Today) -> Iterator[str]:
    for one in forecast.consequences:
        if one.cleanup:
            continue
        if isinstance(one, Writing) and one.before == "base" and not (one.appends or one.patches):
            if today(one.origin or one.path) != one.content.encode():
                yield one.path
        elif isinstance(one, Overwriting):
            if one.lost.text is None and not _same(one.lost, one.comes, today):
                yield one.path
        elif isinstance(one, Transfer) and one.may_replace:
            yield one.path


def _same(lost: Content, comes: Content, today: Today) -> bool:
    before = today(lost.origin) if lost.origin else None
    after = comes.text.encode() if comes.text is not None else today(comes.origin) if comes.origin else None
    return before is not None and before == after
