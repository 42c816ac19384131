"""Which member gets a request: the one most sure of it, the one asked longest ago, or the least busy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Strategy(StrEnum):
    """How one of several suitable members is chosen."""

    CONFIDENCE = "confidence"
    ROUND_ROBIN = "round_robin"
    LEAST_BUSY = "least_busy"


@dataclass(frozen=True)
class Candidate:
    """A member that offers what is asked for and is healthy.

    `confidence`: what it says of itself, lowered by its record (0 to 1). `likeness` to the task in words, 1 where the
    capability was named. `routed_at`: seconds, when it was last chosen; None: never. `busy`: requests that it has now.
    """

    capability: int
    member: int
    confidence: float
    likeness: float = 1.0
    routed_at: float | None = None
    busy: int = 0

    @property
    def score(self) -> float:
        """How sure one can be that it is the right one and does it."""
        return self.confidence * max(0.0, self.likeness)


def choose(
    candidates: Sequence[Candidate], strategy: Strategy, *, least: float = 0.0, tried: Sequence[int] = ()
) -> Candidate | None:
    """The member to ask; None where none is sure enough. Those that were tried come after all others.

    Equal ones are told apart by the number of their row, so that the same rows give the same choice.
    """
    sure = [one for one in candidates if one.confidence >= least]
    fresh = [one for one in sure if one.member not in tried] or sure
    if not fresh:
        return None
    if strategy == Strategy.ROUND_ROBIN:
        return min(fresh, key=lambda one: (one.routed_at is not None, one.routed_at or 0.0, one.capability))
    if strategy == Strategy.LEAST_BUSY:
        return min(fresh, key=lambda one: (one.busy, -one.score, one.capability))
    return min(fresh, key=lambda one: (-one.score, one.capability))
