"""The columns of a table: read from its first lines, and found by what somebody calls one. Part of the jail's code."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ARTICLE = re.compile(r"\A(?:the|an?) ")


def delimiter_of(text: str) -> str:
    """What stands between the cells of a CSV file, as its first line shows."""
    first = text.split("\n", 1)[0]
    return max(",;\t|", key=first.count)


def column_named(columns: Sequence[str], said: str) -> str | None:
    """The column that is meant; a name that begins with an article comes first. None: there is no such column."""
    asked = said.strip().casefold()
    spellings = dict.fromkeys((asked, _ARTICLE.sub("", asked)))
    return next((name for spelling in spellings for name in columns if name.casefold() == spelling), None)
