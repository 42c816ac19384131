"""Ways to say whether a context follows from beliefs, for Table 2: they take turns in the same harness.

`structured` and `cascade` are the product's. The others are what people try first: likeness of sentences (the cosine of
the sentence model's vectors) and of words (the share of a context's words that a belief has), each from a threshold on.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.environments.entailing import Answer, Entailment, cascade, structured
from agents.rules.cascade import CONTRADICTION, MODEL, Likelihood, content_words, is_sure
from agents.rules.entailment import UNKNOWN, Verdict

STRUCTURED, CASCADE, CROSS_ENCODER, COSINE, OVERLAP = "structured", "cascade", "cross-encoder", "cosine", "overlap"
WAYS = (STRUCTURED, CASCADE, CROSS_ENCODER, COSINE, OVERLAP)
# Those that ask a network, and so need the product's settings.
WITH_MODEL = frozenset({CASCADE, CROSS_ENCODER, COSINE})
_WORD = re.compile(r"[a-z0-9']+")
_UNKNOWN = Answer(UNKNOWN, "")


class Counted:
    """Another way, and what it was asked: distinct pairs, of those the ones that it called entailed, and the
    processor time that it took.
    """

    def __init__(self, entails: Entailment) -> None:
        self._entails = entails
        self.asked: set[tuple[str, str]] = set()
        self.entailed: set[tuple[str, str]] = set()
        self.seconds = 0.0

    def __call__(self, premises: Sequence[str], hypothesis: str) -> Sequence[Answer]:
        """As the other way."""
        began = time.process_time()
        answers = self._entails(premises, hypothesis)
        self.seconds += time.process_time() - began
        pairs = [(premise, hypothesis) for premise in premises]
        self.asked.update(pairs)
        self.entailed.update(
            pair for pair, answer in zip(pairs, answers, strict=True) if answer.verdict.answer == "yes"
        )
        return answers


def entailment_by(way: str, threshold: float | None) -> Entailment:
    """Return one of `WAYS`; without a threshold the shipped one holds, which likeness does not have."""
    if way == STRUCTURED:
        return structured
    if way == OVERLAP:
        return _by_likeness(OVERLAP, overlap_of, _given(threshold))
    if way == COSINE:
        return _by_likeness(COSINE, _cosine, _given(threshold))
    judge = ShippedJudge.of_environments(threshold)
    return cascade([judge]) if way == CASCADE else _model_alone(judge)


def overlap_of(premise: str, hypothesis: str) -> float:
    """The share of the hypothesis's content words that the premise has too, 0 to 1."""
    wanted = content_words(hypothesis)
    return len(wanted & content_words(premise)) / len(wanted) if wanted else 0.0


def words_in(sentence: str) -> int:
    """How many words a sentence has."""
    return len(_WORD.findall(sentence.casefold()))


class ShippedJudge:
    """The shipped cross-encoder as a judge, without the database that the product keeps its verdicts in."""

    stage = MODEL

    def __init__(self, entailment: float, contradiction: float) -> None:
        self.entailment, self.contradiction = entailment, contradiction

    @classmethod
    def of_environments(cls, threshold: float | None = None) -> ShippedJudge:
        """The judge of what environments say, with this threshold of a yes or with the shipped one."""
        from library.language.entailment import trained

        sure = trained.read_card().environment
        return cls(sure.entailment if threshold is None else threshold, sure.contradiction)

    @classmethod
    def as_usual(cls) -> ShippedJudge:
        """The judge of any sentences."""
        from library.language.entailment import trained

        sure = trained.read_card().usual
        return cls(sure.entailment, sure.contradiction)

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood]:
        """As `Judge.judge`."""
        from library.language.entailment import model

        return [Likelihood(one.entailment, one.neutral, one.contradiction) for one in model.judge(pairs)]


def _model_alone(judge: ShippedJudge) -> Entailment:
    def entails(premises: Sequence[str], hypothesis: str) -> Sequence[Answer]:
        judged = judge.judge([(premise, hypothesis) for premise in premises])
        return [_answer(one, judge) for one in judged]

    return entails


def _answer(likelihood: Likelihood, judge: ShippedJudge) -> Answer:
    if is_sure(likelihood, judge):
        return Answer(Verdict("yes", likelihood.entailment, "the model is sure", MODEL), MODEL)
    if likelihood.label == CONTRADICTION and likelihood.contradiction >= judge.entailment:
        return Answer(Verdict("no", likelihood.contradiction, "the model is sure of the contrary", MODEL), MODEL)
    return _UNKNOWN


def _by_likeness(stage: str, likeness: Callable[[str, str], float], threshold: float) -> Entailment:
    def entails(premises: Sequence[str], hypothesis: str) -> Sequence[Answer]:
        found = [likeness(premise, hypothesis) for premise in premises]
        return [
            Answer(Verdict("yes", min(each, 1.0), "is alike", stage), stage) if each >= threshold else _UNKNOWN
            for each in found
        ]

    return entails


def _cosine(premise: str, hypothesis: str) -> float:
    return float(_vector(premise) @ _vector(hypothesis))


@lru_cache(maxsize=65_536)
def _vector(sentence: str) -> NDArray[np.float32]:
    from library.language.embeddings import embed

    vector = np.asarray(embed([sentence])[0], np.float32)
    unit: NDArray[np.float32] = vector / np.linalg.norm(vector)
    return unit


def _given(threshold: float | None) -> float:
    if threshold is None:
        raise ValueError("a likeness needs a threshold")
    return threshold
