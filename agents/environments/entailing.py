"""How entailment is handed in: a function of premises and one hypothesis, and the cascade of today."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.rules.entailment import SAME, Verdict, entailed

SAME_WORDS, STRUCTURED = "same words", "structured"


@dataclass(frozen=True)
class Answer:
    """A verdict, and the stage of the cascade that gave it."""

    verdict: Verdict
    stage: str


# One answer for each premise, in their order.
Entailment = Callable[[Sequence[str], str], Sequence[Answer]]


def structured(premises: Sequence[str], hypothesis: str) -> list[Answer]:
    """Same words, then the structured matcher; no model."""
    verdicts = entailed(premises, hypothesis)
    return [Answer(verdict, SAME_WORDS if verdict.score == SAME else STRUCTURED) for verdict in verdicts]
