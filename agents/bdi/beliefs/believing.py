"""Revising what an agent believes when it is told something: who outweighs whom, how sure, and for how long. Pure.

A belief that contradicts a new one gives way when the new one comes from a source that counts at least as much; of two
from sources that count the same, the surer one stays, and of two equally sure ones the newer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.rules.entailment import entails

# What counts more stands further left. A person was shown what the agent saw; what was seen outweighs what follows.
PRECEDENCE = ("person", "perception", "experience", "inference", "default")


@dataclass(frozen=True)
class Held:
    """A belief as it is kept: which row it is, and how long it holds (ISO times in one zone, "" for no end)."""

    id: int
    sentence: str
    source: str
    confidence: float
    at: str
    expires_at: str = ""

    def has_expired(self, now: str) -> bool:
        """Whether its time is over."""
        return bool(self.expires_at) and self.expires_at <= now

    @property
    def weight(self) -> tuple[int, float, str]:
        """What outweighs another belief is greater."""
        rank = PRECEDENCE.index(self.source) if self.source in PRECEDENCE else len(PRECEDENCE)
        return -rank, self.confidence, self.at


@dataclass(frozen=True)
class GivenUp:
    """A belief that is no longer held, and why in words; `by` is the id of the one that outweighed it (0: none)."""

    id: int
    why: str
    by: int = 0


@dataclass(frozen=True)
class Revision:
    """What is held afterwards and what was dropped, each once."""

    held: tuple[Held, ...]
    given_up: tuple[GivenUp, ...]


def revise(held: Sequence[Held], news: Sequence[Held], now: str) -> Revision:
    """Take news in, one after the other: nothing held afterwards has expired, is said twice or contradicts the rest."""
    kept: list[Held] = []
    given_up: list[GivenUp] = []
    for new in (*held, *news):
        if new.has_expired(now):
            given_up.append(GivenUp(new.id, f"it expired at {new.expires_at}"))
            continue
        against = [old for old in kept if contradict(old, new)]
        again = [old for old in kept if old.sentence == new.sentence]
        if (refused := _refused(new, against, again)) is not None:
            given_up.append(refused)
            continue
        given_up += [GivenUp(old.id, f"it is outweighed by “{new.sentence}” ({_of(new)})", new.id) for old in against]
        given_up += [GivenUp(old.id, "it was stated again", new.id) for old in again]
        kept = [old for old in kept if old not in against and old not in again] + [new]
    return Revision(tuple(kept), tuple(given_up))


def _refused(new: Held, against: Sequence[Held], again: Sequence[Held]) -> GivenUp | None:
    """Why something new is not held beside what is: beliefs against it, and the same one from elsewhere."""
    stronger = max((old for old in against if old.weight > new.weight), key=lambda old: old.weight, default=None)
    if stronger is not None:
        return GivenUp(new.id, f"it is outweighed by “{stronger.sentence}” ({_of(stronger)})", stronger.id)
    if any(old.weight > new.weight for old in again):
        return GivenUp(new.id, "it is already held from a better source", again[0].id)
    return None


def contradict(one: Held, other: Held) -> bool:
    """Whether one of the two contradicts the other."""
    return "no" in (entails(one.sentence, other.sentence).answer, entails(other.sentence, one.sentence).answer)


def _of(belief: Held) -> str:
    return f"{belief.source}, confidence {belief.confidence:g}"
