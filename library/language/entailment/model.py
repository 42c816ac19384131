"""Judging pairs of sentences by the cross-encoder, which is loaded by whoever asks first.

Its answers are probabilities and can be wrong; `agents.rules.cascade` decides what is made of them.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from library.errors import EmbeddingUnavailable, EntailmentUnavailable
from library.language import store, weights
from library.language.entailment import trained
from library.language.model_client import ask

logger = logging.getLogger(__name__)

# More characters are never so few tokens; a megabyte of text must not cost a megabyte of tokenizing.
MAX_CHARACTERS = 2_000
# Counts up when `network` builds another graph, so that the old file is no longer taken.
GRAPH_VERSION = 1

Pair = tuple[str, str]


@dataclass(frozen=True)
class Judgement:
    """The most probable label and the probabilities of entailment, neutral and contradiction, which add up to one."""

    label: str
    entailment: float
    neutral: float
    contradiction: float


TOO_LONG = Judgement("neutral", 0.0, 1.0, 0.0)


def judgement_of(shares: Sequence[float]) -> Judgement:
    """The judgement with these probabilities, in the order of `trained.LABELS`."""
    return Judgement(trained.LABELS[shares.index(max(shares))], *shares)


def shares_of(judgement: Judgement) -> tuple[float, float, float]:
    """Its probabilities, in the order of `trained.LABELS`."""
    return judgement.entailment, judgement.neutral, judgement.contradiction


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


def graph_path() -> Path:
    """Return the path of the ONNX graph, which is built first where it is missing. Raises EntailmentUnavailable."""
    path = expected_path()
    if not path.exists():
        try:
            store.build_once(path, weights.model_folder() / "model.safetensors", trained.FOLDER)
        except OSError as error:
            raise EntailmentUnavailable(
                f"The entailment model cannot be built below the data folder: {error}"
            ) from error
        except EmbeddingUnavailable as error:  # as that of the sentence model, on whose weights it stands
            raise EntailmentUnavailable(str(error)) from error
    return path


def expected_path() -> Path:
    """Return where the graph of these weights and this code belongs; another version has another name."""
    return Path(settings.DATA_DIR) / "models" / f"entailment-{trained.read_card().version}-{GRAPH_VERSION}.onnx"


def _tidy(text: str) -> str:
    """Single spaces, and no lone surrogates, which no tokenizer takes; a text that is too long stays too long."""
    return " ".join(text[: MAX_CHARACTERS + 1].encode("utf-8", "replace").decode().split())
