"""How entailment is handed in: a function of premises and one hypothesis, and the cascade of today."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.environments.beliefs import is_of_another_place
from agents.rules.cascade import Judge, Likely
from agents.rules.entailment import Verdict, entailed
from agents.rules.sentences import tidy
from agents.rules.sights import only_describes


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


def cascade(judges: Sequence[Judge]) -> Entailment:
    """The structured matcher, and models about what it neither proves nor disproves; without any, it alone.

    No model is asked about what is remembered of another place: it takes “in the hallway you saw a door” for “you see a
    door”. These memories are in mindX's own words, which the matcher reads, so a rule can mean them in these words. Nor
    is one asked about a sight that names what is wanted only to describe another thing: a tin cup is no sight of tin.
    """

    def entails(premises: Sequence[str], hypothesis: str) -> Sequence[Answer]:
        proven = structured(premises, hypothesis)
        # What is proven, yes or no, stands: one no about a context is a veto for all beliefs.
        if any(answer.verdict.answer != "unknown" for answer in proven):
            return proven
        wanted = tidy(hypothesis)
        read = [
            number
            for number, premise in enumerate(premises)
            if not is_of_another_place(premise) and not only_describes(tidy(premise), wanted)
        ]
        sure = Likely(judges).now([premises[number] for number in read]).yes(hypothesis)
        for number, verdict in sure.items():
            proven[read[number]] = Answer(verdict, verdict.stage)
        return proven

    return entails if judges else structured
