"""A file that somebody named about a goal: “Use the file accounts.txt.” answers which file is meant.

People say it where they stand: with a request for changes, in a comment, among the beliefs. Only a sentence that says
nothing else is read so; what is forbidden, hangs on a condition or names two things is no answer. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_QUOTES = "\"'`“”‘’„"
_SAID = re.compile(
    r"(?:please\s+)?(?:use|take|i\s+mean|i\s+meant|it\s+is|it['’]s)\s+(?:the\s+)?(?:(?:file|folder|directory)\s+)?"
    rf"(?:called\s+|named\s+)?[{_QUOTES}]?(?P<path>[^\s{_QUOTES}]+?)[{_QUOTES}]?(?:\s+instead)?(?:,?\s+please)?[.!]?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Named:
    """What was named, in which words and by whom."""

    path: str
    sentence: str
    by: str


def named(said: Iterable[tuple[str, str]], is_there: Callable[[str], bool]) -> Named | None:
    """The newest of these sentences (each with its speaker, the newest first) that names what is there; None when none
    does.
    """
    for sentence, by in said:
        match = _SAID.fullmatch(" ".join(sentence.split()))
        if match is not None and is_there(match["path"]):
            return Named(match["path"], sentence, by)
    return None
