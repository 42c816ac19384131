"""Denying a belief: the sentence that says the opposite, and beliefs after a person's corrections. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.bdi.beliefs.revision import revise
from agents.rules.entailment import entails
from agents.rules.facts import Installed, Owning, Place, Quality, Thing, Venv
from agents.rules.sentences import read_fact
from agents.toolkit.types import Belief


@dataclass(frozen=True)
class Correction:
    """A sentence that a person denied, and what they say holds."""

    denied: str
    holds: Belief


def denial(sentence: str) -> str:
    """The sentence that says the opposite, as a fact where there is one, so that rules can stand on it."""
    match read_fact(sentence):
        case Thing() as fact:
            return replace(fact, exists=not fact.exists).sentence()
        case Venv() | Installed() as known:
            return replace(known, present=not known.present).sentence()
        case Place() | Quality() | Owning() as said:
            opposite = replace(said, positive=not said.positive).sentence()
            # Some of these are said in more ways than they are read in; one that is not read back is not the opposite.
            if entails(opposite, sentence).answer == "no":
                return opposite
    inner = sentence.strip().rstrip(".")
    return f"It is not so that {inner[:1].lower()}{inner[1:]}."


def says_the_same(instead: str, sentence: str) -> bool:
    """Whether what should hold instead says what was denied."""
    return instead.strip() == sentence.strip() or entails(instead, sentence).answer == "yes"


def corrected(beliefs: Sequence[Belief], corrections: Sequence[Correction]) -> list[Belief]:
    """The beliefs without what people denied, what says it too, and what contradicts their word.

    A list that only names it among others is corrected, because what it says about the others still holds.
    """
    if not corrections:
        return list(beliefs)
    words = [one.holds for one in corrections]
    kept = revise([one for one in beliefs if one.sentence not in {each.denied for each in corrections}], words)
    return [one for one in kept if one in words or not any(_says(one, each.denied) for each in corrections)]


def _says(belief: Belief, denied: str) -> bool:
    return entails(belief.sentence, denied).answer == "yes"
