"""How near two texts are, for people: a share of 100 and a word (pure).

The bounds were read off all-MiniLM-L6-v2: wordings of one task lie above 0.6, tasks of one kind above 0.4, and
sentences that share nothing mostly below 0.2.
"""

from __future__ import annotations

from dataclasses import dataclass

_WORDS = ((0.6, "very similar", "good"), (0.4, "similar", "good"), (0.25, "loosely related", "mid"))


@dataclass(frozen=True)
class Nearness:
    """`percent` is 0 to 100; `look` is the colour of its bar: good, mid or none."""

    percent: int
    word: str
    look: str


def nearness(similarity: float) -> Nearness:
    """Say a cosine similarity so that people can compare it. Below zero counts as nothing in common."""
    percent = round(100 * min(1.0, max(0.0, similarity)))
    for bound, word, look in _WORDS:
        if similarity >= bound:
            return Nearness(percent, word, look)
    return Nearness(percent, "not similar", "none")
