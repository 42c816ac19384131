"""The models that rules ask whether a context follows from a belief: switched on by MINDX_ENTAILMENT, and silent while
they cannot be used.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Protocol
from uuid import UUID

from django.conf import settings

from agents.actors.models_in_use import models_of
from agents.beliefs.entailment_asking import ENTAILMENT, LanguageModel
from agents.models import EntailmentThresholds, Goal
from agents.rules.cascade import LANGUAGE_MODEL, MODEL, Judge, Likelihood, leaves_a_yes
from library.errors import EntailmentUnavailable
from library.language.entailment import model, trained, verdicts

logger = logging.getLogger(__name__)

Pair = tuple[str, str]


class KnownJudge(Judge, Protocol):
    """A judge whose verdicts may be kept: `identity` names everything that they depend on."""

    identity: str


@dataclass(frozen=True)
class Thresholds:
    """How sure models must be of a yes, as `EntailmentThresholds` has it."""

    entailment: float
    contradiction: float
    environment_entailment: float
    environment_contradiction: float
    language_entailment: float

    @property
    def usual(self) -> trained.Sure:
        """Of the entailment model, wherever it is not known what sentences are about."""
        return trained.Sure(self.entailment, self.contradiction)

    @property
    def environment(self) -> trained.Sure:
        """Of the entailment model, about what an environment of text says."""
        return trained.Sure(self.environment_entailment, self.environment_contradiction)


def usual_thresholds() -> Thresholds:
    """Those that were chosen for the shipped model; where its card cannot be read it is not asked anyway."""
    try:
        card = trained.read_card()
    except EntailmentUnavailable:
        return Thresholds(1.0, 0.0, 1.0, 0.0, ENTAILMENT)
    usual, there = card.usual, card.environment
    return Thresholds(usual.entailment, usual.contradiction, there.entailment, there.contradiction, ENTAILMENT)


def thresholds(at: datetime | None = None) -> Thresholds:
    """Those that hold now, or held then: what operators had saved last, else the usual ones."""
    names = [field.name for field in fields(Thresholds)]
    saved = EntailmentThresholds.objects.all() if at is None else EntailmentThresholds.objects.filter(at__lte=at)
    row = saved.values_list(*names).first()
    return Thresholds(*row) if row else usual_thresholds()


class ShippedModel:
    """The model that mindX ships, and how sure it has to be."""

    stage = MODEL

    def __init__(self, sure: trained.Sure) -> None:
        self.entailment, self.contradiction = sure.entailment, sure.contradiction
        self.identity = model.identity()

    def judge(self, pairs: Sequence[Pair]) -> Sequence[Likelihood]:
        """As `Judge.judge`; where the model cannot be used, the log says why and nothing is judged."""
        try:
            judged = model.judge(pairs)
        except EntailmentUnavailable as error:
            logger.warning("The structured matcher decides alone: %s", error)
            return []
        return [Likelihood(one.entailment, one.neutral, one.contradiction) for one in judged]


class Remembering:
    """A judge that is asked only what no process has asked it yet. Verdicts are read when the first one is needed."""

    def __init__(self, judge: KnownJudge, sentences: Iterable[str], sure: Thresholds) -> None:
        self.stage, self.contradiction = judge.stage, sure.contradiction
        self.entailment = sure.language_entailment if judge.stage == LANGUAGE_MODEL else sure.entailment
        self._judge, self._sentences = judge, sentences
        self._known: dict[UUID, Likelihood] | None = None
        self._new: dict[Pair, verdicts.Shares] = {}

    def judge(self, pairs: Sequence[Pair]) -> Sequence[Likelihood]:
        """As `Judge.judge`."""
        if self._known is None:
            read = verdicts.about(self._sentences, self._judge.identity)
            self._known = {pair: Likelihood(*shares) for pair, shares in read.items()}
        digests = [verdicts.digest(*pair) for pair in pairs]
        asked = {digest: pair for digest, pair in zip(digests, pairs, strict=True) if digest not in self._known}
        if asked:
            judged = self._judge.judge(list(asked.values()))
            if len(judged) != len(asked):
                return []
            for (digest, pair), one in zip(asked.items(), judged, strict=True):
                self._known[digest] = one
                self._new[pair] = (one.entailment, one.neutral, one.contradiction)
        return [self._known[digest] for digest in digests]

    def keep(self) -> None:
        """Write what was judged anew: one statement, none when there is nothing."""
        verdicts.keep(self._new, self._judge.identity)
        self._new = {}


def shipped(sure: Thresholds | None = None, *, in_environment: bool = False) -> tuple[KnownJudge, ...]:
    """The model; nothing where its files are damaged or for another version; then the log says which.

    It is as sure as `sure` says, else as was chosen for it. `in_environment`: what it judges is said by an environment
    of text.
    """
    sure = sure or usual_thresholds()
    try:
        return (ShippedModel(sure.environment if in_environment else sure.usual),)
    except EntailmentUnavailable as error:
        logger.warning("The structured matcher decides alone: %s", error)
        return ()


def in_use() -> tuple[KnownJudge, ...]:
    """The models on this machine that are asked about contexts; none where only the structured matcher decides."""
    return shipped() if settings.ENTAILMENT != "structured" else ()


def in_environments(began: datetime | None = None) -> tuple[KnownJudge, ...]:
    """The models that rules in environments of text ask, as sure as was wanted when a run began, else as now.

    A run that is done again by another worker has to choose as it chose before. No language model is asked there.
    """
    return shipped(thresholds(began), in_environment=True) if settings.ENTAILMENT != "structured" else ()


def asks_language_model(goal: Goal) -> bool:
    """Whether planning this goal may ask a language model about contexts: an operator says so, and it has one."""
    return bool(settings.ENTAILMENT == "language_model" and models_of(goal.agent))


@contextmanager
def asked_about(
    sentences: Iterable[str],
    *,
    keeps: bool = True,
    goal: Goal | None = None,
    is_wanted: Callable[[], bool] = lambda: True,
    sure: Thresholds | None = None,
) -> Iterator[tuple[Judge, ...]]:
    """The models in use for one planning with these beliefs: earlier verdicts are read at their first question, and new
    ones written at the end (`keeps`). While none is in use nothing is read or written.

    `goal` is the one that is planned; without it, as in a trial, no language model is asked. `is_wanted` ends its
    answer, by Stopped. `sure` are other thresholds than those that hold now; with them the shipped model is asked
    even where rules do not ask it.
    """
    judges: list[KnownJudge] = list(in_use() if sure is None else shipped())
    if goal is not None and asks_language_model(goal):
        judges.append(LanguageModel(goal, is_wanted))
    sure = sure or (thresholds() if judges else usual_thresholds())
    remembering = tuple(one for judge in judges if leaves_a_yes(one := Remembering(judge, sentences, sure)))
    try:
        yield remembering
    finally:
        if keeps:
            for judge in remembering:
                judge.keep()
