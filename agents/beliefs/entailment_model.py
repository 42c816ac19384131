"""The entailment model as rules use it: switched on by MINDX_ENTAILMENT, and silent while it cannot be used."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.conf import settings

from agents.rules.cascade import Judge, Likelihood
from library.errors import EntailmentUnavailable
from library.language.entailment import model, trained

logger = logging.getLogger(__name__)


class ShippedModel:
    """The model that mindX ships, with the thresholds that were chosen for it."""

    def __init__(self, card: trained.Card) -> None:
        self.entailment, self.contradiction = card.entailment, card.contradiction

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood]:
        """As `Judge.judge`; where the model cannot be used, the log says why and nothing is judged."""
        try:
            judged = model.judge(pairs)
        except EntailmentUnavailable as error:
            logger.warning("The structured matcher decides alone: %s", error)
            return []
        return [Likelihood(one.entailment, one.neutral, one.contradiction) for one in judged]


def shipped() -> Judge | None:
    """The model, or None where its files are damaged or for another version; then the log says which."""
    try:
        return ShippedModel(trained.read_card())
    except EntailmentUnavailable as error:
        logger.warning("The structured matcher decides alone: %s", error)
        return None


def in_use() -> Judge | None:
    """The model that is asked about contexts; None where only the structured matcher decides."""
    return shipped() if settings.ENTAILMENT == "model" else None
