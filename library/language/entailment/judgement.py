"""What a pair of sentences comes to, and how long its sentences may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from library.language.entailment import trained

# More characters are never so few tokens; a megabyte of text must not cost a megabyte of tokenizing.
MAX_CHARACTERS = 2_000

Pair = tuple[str, str]


@dataclass(frozen=True)
class Judgement:
    """The most probable label and the probabilities of entailment, neutral and contradiction, which add up to one."""

    label: str
    entailment: float
    neutral: float
    contradiction: float


TOO_LONG = Judgement("neutral", 0.0, 1.0, 0.0)


def judgement_of(shares: Sequence[float]) -> Judgement:
    """The judgement with these probabilities, in the order of `trained.LABELS`."""
    return Judgement(trained.LABELS[shares.index(max(shares))], *shares)


def shares_of(judgement: Judgement) -> tuple[float, float, float]:
    """Its probabilities, in the order of `trained.LABELS`."""
    return judgement.entailment, judgement.neutral, judgement.contradiction
