"""A long result as its most telling sentences. Which those are is decided by whoever registers: library knows no text.

Nothing is asked of a model here, where people wait. What a model has written before
(`library.memory.model_summaries`) is used first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.db.models import prefetch_related_objects

from library.errors import EmbeddingUnavailable
from library.models import Experience, ExperienceSummary

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
    said = written_of(row) if len(row.output_summary.strip()) > long_from else None
    return said.text[:long_from] if said is not None and said.text else shortened(row.output_summary, long_from)


def look_up(rows: Iterable[Experience]) -> None:
    """Read the models' summaries of long results among these at once, for `of`."""
    if long := [row for row in rows if len(row.output_summary.strip()) > LONG_FROM]:
        prefetch_related_objects(long, "model_summary")


def written_of(row: Experience) -> ExperienceSummary | None:
    """What a model made of its result; None where none was asked."""
    try:
        return row.model_summary
    except ExperienceSummary.DoesNotExist:
        return None


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
