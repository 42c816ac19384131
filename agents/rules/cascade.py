"""Entailment in stages: the same words, the structured matcher, and last models that know how things are worded.

What an earlier stage decides stands. So a no of the structured matcher, which is proven, is a veto: no model is asked
then. A model's yes counts only when it is very sure; it may be wrong, and the answer names it as its stage.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from agents.rules.entailment import SAME_WORDS, STRUCTURED, Verdict, entails
from agents.rules.sentences import tidy
from agents.toolkit.wording.words import fold

# The stages that are models by name, in their order; the two before them prove what they say.
MODEL, LANGUAGE_MODEL = "model", "language_model"
ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
# A model's yes never outranks one that is proven, nor a language model's one of the small model.
MOST_FIRM = {MODEL: 0.95, LANGUAGE_MODEL: 0.9}
# So many beliefs at most are judged for one context, and so many pairs by a stage while one goal is planned.
NEAREST = 8
PAIRS = {MODEL: 256, LANGUAGE_MODEL: 64}
_SAID_BY = {MODEL: "the entailment model", LANGUAGE_MODEL: "the language model"}
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


class Thresholds(Protocol):
    """How sure a model has to be of a yes: at least so sure of entailment and at most so of contradiction."""

    @property
    def entailment(self) -> float: ...

    @property
    def contradiction(self) -> float: ...


class Judge(Thresholds, Protocol):
    """A model that is one stage, and how sure it has to be."""

    stage: str

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
    """Whether this is a yes. What is no probability is none."""
    says_yes = judge.entailment <= likelihood.entailment <= 1.0
    return says_yes and 0.0 <= likelihood.contradiction <= judge.contradiction


def leaves_a_yes(sure: Thresholds) -> bool:
    """Whether there is any yes under these thresholds; a model is not asked in vain where they leave none."""
    return sure.entailment < 1.0 or sure.contradiction > 0.0


def answers(pairs: Sequence[tuple[str, str]], judges: Sequence[Judge] = ()) -> list[Answer]:
    """One answer for each (premise, hypothesis), in order; without a model what is not proven is neutral."""
    verdicts = [entails(premise, hypothesis) for premise, hypothesis in pairs]
    found = [_proven(verdict) for verdict in verdicts]
    open_pairs = [number for number, verdict in enumerate(verdicts) if verdict.answer == "unknown"]
    for judge in judges:
        likelihoods = judge.judge([pairs[number] for number in open_pairs]) if open_pairs else ()
        for number, likelihood in zip(open_pairs, likelihoods, strict=False):
            found[number] = _judged(likelihood, judge)
            if found[number].holds or _speaks_against(likelihood, judge):
                open_pairs = [other for other in open_pairs if other != number]
    return found


def by_stage(pair: tuple[str, str], judges: Sequence[Judge] = ()) -> list[Answer]:
    """What each stage makes of a pair when it is asked alone, in the order of the stages; a model that cannot be used
    has no answer here.
    """
    proven = _proven(entails(*pair))
    if proven.stage == SAME_WORDS:
        found = [proven, replace(proven, stage=STRUCTURED, reason="the same words say the same")]
    else:
        found = [Answer(NEUTRAL, 0.0, SAME_WORDS, "other words", False), proven]
    return found + [_judged(likelihood, judge) for judge in judges for likelihood in judge.judge([pair])]


def _proven(verdict: Verdict) -> Answer:
    label = {"yes": ENTAILMENT, "no": CONTRADICTION}.get(verdict.answer, NEUTRAL)
    return Answer(label, verdict.score, verdict.stage, verdict.reason, verdict.answer == "yes")


def _judged(likelihood: Likelihood, judge: Judge) -> Answer:
    holds = is_sure(likelihood, judge)
    return Answer(likelihood.label, likelihood.score, judge.stage, _because(likelihood, judge), holds)


def _speaks_against(likelihood: Likelihood, judge: Judge) -> bool:
    """Whether a model is as sure of the contrary as it has to be of a yes: then no later one is asked."""
    return likelihood.contradiction >= judge.entailment


def _because(likelihood: Likelihood, judge: Judge) -> str:
    return f"{_SAID_BY[judge.stage]} is {likelihood.score:.1%} sure of {likelihood.label}"


class Likely:
    """The models' stages for the contexts of rules, over sentences in their order.

    Only the few sentences with most words of a context are judged. That choice saves time and never decides.
    """

    def __init__(self, judges: Sequence[Judge]) -> None:
        self._judges = tuple(judges)
        self._left = dict(PAIRS)
        self._said: Sequence[str] = ()
        self._by_word: dict[str, list[int]] | None = None

    def now(self, said: Sequence[str]) -> Likely:
        """The same about these sentences from now on; what was spent stays spent."""
        self._said, self._by_word = said, None
        return self

    def yes(self, hypothesis: str) -> dict[int, Verdict]:
        """The verdicts yes that a model is sure of, by the number of the sentence; of the first stage that has any."""
        nearest = self.nearest(hypothesis)
        for judge in self._judges:
            numbers = nearest[: max(self._left[judge.stage], 0)]
            if not numbers:
                continue
            self._left[judge.stage] -= len(numbers)
            likelihoods = judge.judge([(self._said[number], hypothesis) for number in numbers])
            asked = dict(zip(numbers, likelihoods, strict=False))
            if found := {number: _yes(each, judge) for number, each in asked.items() if is_sure(each, judge)}:
                return found
            nearest = [n for n in nearest if n not in asked or not _speaks_against(asked[n], judge)]
        return {}

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


def _yes(likelihood: Likelihood, judge: Judge) -> Verdict:
    score = min(likelihood.entailment, MOST_FIRM[judge.stage])
    return Verdict("yes", score, _because(likelihood, judge), judge.stage)


@lru_cache(maxsize=16_384)
def content_words(sentence: str) -> frozenset[str]:
    """The words of a sentence that say what it is about, folded."""
    return frozenset(fold(word.strip('.,:;"()')) for word in tidy(sentence).split()) - _LITTLE
