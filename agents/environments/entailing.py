"""How entailment is handed in: a function of premises and one hypothesis, and the cascade of today."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.rules.entailment import Verdict, entailed


@dataclass(frozen=True)
class Answer:
    """A verdict, and the stage of the cascade that gave it."""

    verdict: Verdict
    stage: str


# One answer for each premise, in their order.
Entailment = Callable[[Sequence[str], str], Sequence[Answer]]


def structured(premises: Sequence[str], hypothesis: str) -> list[Answer]:
    """Same words, then the structured matcher; no model."""
    return [Answer(verdict, verdict.stage) for verdict in entailed(premises, hypothesis)]
