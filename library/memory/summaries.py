"""A long result as its most telling sentences. Which those are is decided by whoever registers: library knows no text.

Nothing is asked of a model here: a result is at most 1,500 characters, and a model would be asked for every goal.
"""

from __future__ import annotations

from collections.abc import Callable

from library.errors import EmbeddingUnavailable
from library.models import Experience

# What is shorter is told whole.
LONG_FROM = 600
SENTENCES = 3
# A text and at most so many sentences of it, in their order; "" where it has none that says something.
Summarise = Callable[[str, int], str]
_registered: list[Summarise] = []


def register(summarise: Summarise) -> None:
    """Set what makes the summaries; the last one counts."""
    _registered[:] = [summarise]


def of(row: Experience, long_from: int = LONG_FROM) -> str:
    """Its result, summarised if it is long; the beginning of the result if no summary can be made."""
    return shortened(row.output_summary, long_from)


def shortened(text: str, long_from: int) -> str:
    """A text, summarised if it is long; its beginning if no summary can be made."""
    text = text.strip()
    if len(text) <= long_from or not _registered:
        return text[:long_from]
    try:
        said = _registered[0](text, SENTENCES)
    except EmbeddingUnavailable:
        said = ""
    return (said or text)[:long_from]
