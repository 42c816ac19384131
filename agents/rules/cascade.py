"""Entailment in stages: the same words, the structured matcher, and last a model that knows how things are worded.

What an earlier stage decides stands. So a no of the structured matcher, which is proven, is a veto: no model is asked
then. A model's yes counts only when it is very sure; it may be wrong, and the answer names it as its stage.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from agents.rules.entailment import SAME, Verdict, entails
from agents.rules.sentences import tidy
from agents.toolkit.wording.words import fold

# The stages by name.
SAME_WORDS, STRUCTURED, MODEL = "same_words", "structured", "model"
ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
# A model's yes never outranks one that is proven.
MOST_BY_MODEL = 0.95
# So many beliefs at most are judged for one context, and so many pairs while one goal is planned.
NEAREST, PAIRS = 8, 256
# Words that nearly every sentence has, which say nothing about what it is about.
_LITTLE = frozenset(
    " ".join(
        (
            "a an the there is are was were be been has have had do does did no not you i we they it this that",
            "these those in on at of to and or with named called",
        )
    ).split()
)


@dataclass(frozen=True)
class Likelihood:
    """What a model makes of a pair: three probabilities that add up to one."""

    entailment: float
    neutral: float
    contradiction: float

    @property
    def label(self) -> str:
        """The most probable of the three; neutral when they are no numbers."""
        shares = {NEUTRAL: self.neutral, ENTAILMENT: self.entailment, CONTRADICTION: self.contradiction}
        return max(shares, key=lambda label: shares[label] if shares[label] >= 0 else -1.0)

    @property
    def score(self) -> float:
        """How probable its label is; 0 when that is no number."""
        found = {NEUTRAL: self.neutral, ENTAILMENT: self.entailment, CONTRADICTION: self.contradiction}[self.label]
        return found if found >= 0 else 0.0


class Judge(Protocol):
    """A model, and how sure it has to be: at least so sure of entailment and at most so of contradiction."""

    entailment: float
    contradiction: float

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood]:
        """One likelihood for each (premise, hypothesis); none at all while the model cannot be used."""


@dataclass(frozen=True)
class Answer:
    """A label with the stage that gave it and its reason; `holds`: sure enough for a rule to be used because of it."""

    label: str
    score: float
    stage: str
    reason: str
    holds: bool


def is_sure(likelihood: Likelihood, judge: Judge) -> bool:
    """Whether this is a yes. What is no number is none, since no comparison with it is true."""
    return likelihood.entailment >= judge.entailment and likelihood.contradiction <= judge.contradiction


def answers(pairs: Sequence[tuple[str, str]], judge: Judge | None) -> list[Answer]:
    """One answer for each (premise, hypothesis), in order; without a model what is not proven is neutral."""
    verdicts = [entails(premise, hypothesis) for premise, hypothesis in pairs]
    unknown = [number for number, verdict in enumerate(verdicts) if verdict.answer == "unknown"]
    likelihoods = judge.judge([pairs[number] for number in unknown]) if judge is not None and unknown else ()
    found = [_proven(verdict) for verdict in verdicts]
    if judge is not None:
        for number, likelihood in zip(unknown, likelihoods, strict=False):
            holds = is_sure(likelihood, judge)
            found[number] = Answer(likelihood.label, likelihood.score, MODEL, _because(likelihood), holds)
    return found


def _proven(verdict: Verdict) -> Answer:
    label = {"yes": ENTAILMENT, "no": CONTRADICTION}.get(verdict.answer, NEUTRAL)
    stage = SAME_WORDS if verdict.answer == "yes" and verdict.score == SAME else STRUCTURED
    return Answer(label, verdict.score, stage, verdict.reason, verdict.answer == "yes")


def _because(likelihood: Likelihood) -> str:
    return f"the entailment model is {likelihood.score:.1%} sure of {likelihood.label}"


class Likely:
    """The model's stage for the contexts of rules, over sentences in their order.

    Only the few sentences with most words of a context are judged. That choice saves time and never decides.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge, self._left = judge, PAIRS
        self._said: Sequence[str] = ()
        self._by_word: dict[str, list[int]] | None = None

    def now(self, said: Sequence[str]) -> Likely:
        """The same about these sentences from now on; what was spent stays spent."""
        self._said, self._by_word = said, None
        return self

    def yes(self, hypothesis: str) -> dict[int, Verdict]:
        """The verdicts yes that the model is sure of, by the number of the sentence."""
        numbers = self.nearest(hypothesis)[: max(self._left, 0)]
        if not numbers:
            return {}
        self._left -= len(numbers)
        likelihoods = self._judge.judge([(self._said[number], hypothesis) for number in numbers])
        return {
            number: Verdict("yes", min(likelihood.entailment, MOST_BY_MODEL), _because(likelihood), MODEL)
            for number, likelihood in zip(numbers, likelihoods, strict=False)
            if is_sure(likelihood, self._judge)
        }

    def nearest(self, hypothesis: str) -> list[int]:
        """Numbers of at most eight sentences with most of its words, those with most first."""
        if self._by_word is None:
            self._by_word = defaultdict(list)
            for number, sentence in enumerate(self._said):
                for word in content_words(sentence):
                    self._by_word[word].append(number)
        shared = Counter(number for word in content_words(hypothesis) for number in self._by_word.get(word, ()))
        # Of several with as many, the shortest says least besides.
        return sorted(shared, key=lambda number: (-shared[number], len(self._said[number]), number))[:NEAREST]


@lru_cache(maxsize=16_384)
def content_words(sentence: str) -> frozenset[str]:
    """The words of a sentence that say what it is about, folded."""
    return frozenset(fold(word.strip('.,:;"()')) for word in tidy(sentence).split()) - _LITTLE
