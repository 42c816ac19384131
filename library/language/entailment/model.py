"""Judging pairs of sentences by the cross-encoder, which is loaded by whoever asks first.

Its answers are probabilities and can be wrong; `agents.rules.cascade` decides what is made of them.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.conf import settings

from library.errors import EmbeddingUnavailable, EntailmentUnavailable
from library.language.entailment import trained
from library.language.entailment.graph_file import GRAPH_VERSION
from library.language.entailment.judgement import MAX_CHARACTERS, Judgement, Pair, judgement_of
from library.language.model_client import ask

logger = logging.getLogger(__name__)


def judge(pairs: Sequence[Pair]) -> list[Judgement]:
    """Return one judgement for each (premise, hypothesis), in order; of a pair longer than 128 tokens `TOO_LONG`.

    EntailmentUnavailable says why when there is no usable model. Never call this inside a transaction: the first call
    takes about a second. What was judged lately is remembered. With the setting MODEL_SERVER another process computes,
    and this one loads no model.
    """
    if not pairs:
        return []
    tidy = [(_tidy(premise), _tidy(hypothesis)) for premise, hypothesis in pairs]
    return _asked(tidy) if settings.MODEL_SERVER else judge_here(tidy)


def _asked(pairs: list[Pair]) -> list[Judgement]:
    try:
        return [judgement_of(row) for row in ask("pairs", pairs, len(trained.LABELS))]
    except EmbeddingUnavailable as error:
        raise EntailmentUnavailable(str(error)) from error


def judge_here(pairs: list[Pair]) -> list[Judgement]:
    """As `judge`, in this process, for pairs that are cut and clean."""
    try:
        # With numpy and onnxruntime 40 MB, which a process that never judges should not pay.
        from library.language.entailment.cross_encoder import of_this_process

        return of_this_process.get().judge(pairs)
    except EntailmentUnavailable:
        raise
    except EmbeddingUnavailable as error:  # the weights below are those of the sentence model
        raise EntailmentUnavailable(str(error)) from error
    except Exception as error:
        # onnxruntime and tokenizers raise their own, undocumented classes; all of them mean the same here.
        logger.exception("Judging entailment failed")
        raise EntailmentUnavailable(f"The entailment model failed: {error}") from error


def why_unavailable() -> str:
    """Return why pairs cannot be judged, or an empty text when they can."""
    try:
        judge([("The door is open.", "The door is open.")])
    except EntailmentUnavailable as error:
        return str(error)
    return ""


def identity() -> str:
    """The model with all that its answers depend on, for whoever keeps them. Raises EntailmentUnavailable."""
    card = trained.read_card()
    return f"entailment {card.version} {GRAPH_VERSION} {card.temperature:g}"


def _tidy(text: str) -> str:
    """Single spaces, and no lone surrogates, which no tokenizer takes; a text that is too long stays too long."""
    return " ".join(text[: MAX_CHARACTERS + 1].encode("utf-8", "replace").decode().split())
