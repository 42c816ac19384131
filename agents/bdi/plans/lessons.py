"""How a value names the lesson that set it: by its number only, because not everybody may read who taught it. Pure."""

from __future__ import annotations

import re

# As Postgres reads it too: the note of a default that a lesson settled.
DEFAULT_NOTE = r"^lesson [1-9][0-9]{0,17} says so$"
_NUMBERED = re.compile(r"\Alesson ([1-9][0-9]{0,17}) says ")
# Origins that mindX alone gives. Their notes are its own words, with what people said behind the number.
_ORIGINS = frozenset({"mapping", "default"})


def of_mapping(lesson: int, said: str, path: str) -> str:
    """The note of a path that a lesson settled."""
    return f"lesson {lesson} says that “{said}” is “{path}”"


def of_default(lesson: int) -> str:
    """The note of a default that a lesson settled."""
    return f"lesson {lesson} says so"


def named_in(origin: str, note: str) -> int | None:
    """The number of the lesson that settled a value; None where none did."""
    found = _NUMBERED.match(note) if origin in _ORIGINS else None
    return int(found[1]) if found else None
