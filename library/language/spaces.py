"""The sentence models that make stored vectors. Each has a space of its own: vectors of two cannot be compared.

One model is in use, the one that ships with mindX or the one that `MINDX_EMBEDDING_MODEL` names. Stored vectors name
theirs, so after a change a question is put to each model that vectors are there of, as long as it answers.

What is compared and not stored, such as the sentences of a summary, uses `embeddings` and never leaves this machine.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from django.conf import settings

from library.errors import EmbeddingUnavailable, WrongDimensions
from library.language import embeddings, masking, may_wait, provider, weights
from library.language.asking import CallFailed
from library.language.weights import DIMENSIONS

logger = logging.getLogger(__name__)

SHIPPED = weights.NAME
# What models are called that ship with some version of mindX; no provider has them.
_OURS = "mindx/"
# Texts of one request to a provider; more are refused by some.
BATCH = 32
# About what the shipped model reads of a text. Many models take no more than 512 tokens.
MAX_CHARACTERS = 1_000
# People wait for an answer to a question; what is stored may take its time.
QUESTION_TIMEOUT_S, STORING_TIMEOUT_S = 5.0, 60.0
# A model that did not answer is not asked again for so long: every page would wait.
REST_S = 30.0
# Refusals that may be because of one text of several.
_BECAUSE_OF_A_TEXT = frozenset({"request_refused", "refused_by_provider", "prompt_too_long"})

_UNREAD = (
    "The sentence model that comes with mindX tells only texts in Latin letters apart. For other languages set"
    " MINDX_EMBEDDING_MODEL to a model that reads them."
)

Vector = list[float]
_resting: dict[str, tuple[float, str]] = {}


@dataclass(frozen=True)
class Questions:
    """The vectors of some texts by each model that answered, and why each other one did not."""

    vectors: dict[str, list[Vector]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


def current() -> str:
    """The name of the model whose vectors are stored now."""
    return settings.EMBEDDING_MODEL or SHIPPED


def asks_network() -> bool:
    """Whether the current model is a provider's."""
    return current() != SHIPPED


def shown(model: str) -> str:
    """The name of a model for people."""
    return model.removeprefix(_OURS)


def to_store(texts: Sequence[str]) -> list[Vector | None]:
    """One unit vector of the current model for each text; None for a text that it gives no usable one for.

    Zeros and what is not a number are no vector, and the shipped model reads no text of another script.
    EmbeddingUnavailable when the model does not answer, or makes vectors that the tables cannot hold. Never call this
    inside a transaction.
    """
    if not texts:
        return []
    model = current()
    if model == SHIPPED:
        return _shipped(texts)
    sent = _sendable(texts)
    return [vector for at in range(0, len(sent), BATCH) for vector in _each(model, sent[at : at + BATCH])]


def to_ask(texts: Sequence[str], models: Iterable[str]) -> Questions:
    """The vectors of what somebody looks for, by each of these models. Never call this inside a transaction."""
    vectors: dict[str, list[Vector]] = {}
    reasons: dict[str, str] = {}
    for model in models:
        try:
            vectors[model] = _question(model, tuple(texts))
        except EmbeddingUnavailable as error:
            reasons[model] = str(error)
    return Questions(vectors, reasons)


def why_unavailable() -> str:
    """Return why the current model cannot embed, or an empty text when it can."""
    return to_ask(["ready?"], [current()]).reasons.get(current(), "")


def check() -> None:
    """Ask the current model once. WrongDimensions, or EmbeddingUnavailable when it does not answer."""
    to_store(["ready?"])


def _question(model: str, texts: tuple[str, ...]) -> list[Vector]:
    if model == SHIPPED:
        found = _shipped(texts)
    else:
        until, reason = _resting.get(model, (0.0, ""))
        if time.monotonic() < until:
            raise EmbeddingUnavailable(reason)
        try:
            found = list(_asked_lately(model, tuple(_sendable(texts))))
        except EmbeddingUnavailable as error:
            _resting[model] = (time.monotonic() + REST_S, str(error))
            raise
    if None in found:
        raise EmbeddingUnavailable(_UNREAD if model == SHIPPED else f"{model} gives no usable vector for this text.")
    return [vector for vector in found if vector is not None]


def _shipped(texts: Sequence[str]) -> list[Vector | None]:
    read = [text for text in dict.fromkeys(texts) if embeddings.reads(text)]
    known = dict(zip(read, map(_unit, embeddings.embed(read)), strict=True))
    return [known.get(text) for text in texts]


@lru_cache(maxsize=256)
def _asked_lately(model: str, texts: tuple[str, ...]) -> tuple[Vector | None, ...]:
    """The pages of one search ask for the same text again and again."""
    return tuple(_request(model, list(texts), QUESTION_TIMEOUT_S))


def _each(model: str, texts: list[str]) -> list[Vector | None]:
    """As `_request`; where a provider refuses several texts, each by itself, so that one does not keep the others."""
    try:
        return _request(model, texts, STORING_TIMEOUT_S)
    except EmbeddingUnavailable as error:
        code = getattr(error.__cause__, "code", "")
        if len(texts) == 1 or code not in _BECAUSE_OF_A_TEXT:
            raise
        refused = error
    found: list[Vector | None] = []
    for text in texts:
        try:
            found += _request(model, [text], STORING_TIMEOUT_S)
        except EmbeddingUnavailable as error:
            if getattr(error.__cause__, "code", "") not in _BECAUSE_OF_A_TEXT:
                raise
            found.append(None)
    if not any(found):  # it refuses everything, so no text is to blame
        raise refused
    return found


def _request(model: str, texts: list[str], timeout_s: float) -> list[Vector | None]:
    if model.startswith(_OURS):
        raise EmbeddingUnavailable(f"{shown(model)} came with another version of mindX.")
    may_wait.check()
    try:
        rows = provider.embed(model, texts, dimensions=DIMENSIONS, timeout_s=timeout_s)
    except CallFailed as error:
        raise EmbeddingUnavailable(str(error)) from error
    if len(rows) != len(texts):
        raise EmbeddingUnavailable(f"{model} returned {len(rows)} vectors for {len(texts)} texts.")
    if (other := next((len(row) for row in rows if len(row) != DIMENSIONS), None)) is not None:
        raise WrongDimensions(
            f"{model} makes vectors of {other:,} numbers, and mindX stores {DIMENSIONS}. Set MINDX_EMBEDDING_MODEL to a"
            f" model with {DIMENSIONS} numbers, or remove it to use the one that comes with mindX."
            " Nothing that is stored has changed."
        )
    found = [_unit(row) for row in rows]
    if len(found) > 1 and not any(found):
        raise EmbeddingUnavailable(f"{model} gives no usable vector for any of {len(found)} texts.")
    return found


def _unit(vector: Sequence[float]) -> Vector | None:
    """The vector with length one; None where it has no direction."""
    length = math.hypot(*vector)
    if not math.isfinite(length) or length < 1e-6:
        return None
    # What is one already stays as it is, to the last digit.
    return list(vector) if abs(length - 1) < 1e-5 else [number / length for number in vector]


def _sendable(texts: Sequence[str]) -> list[str]:
    """The texts as they leave this machine: without secrets, cut, and never empty, which would be refused."""
    # A secret that reaches beyond the cut is recognised by its end, too.
    read = [text[: 8 * MAX_CHARACTERS].encode("utf-8", "replace").decode() for text in texts]
    masked = masking.mask(read, lambda _: "0" * 8, keys=provider.keys())
    return [text[:MAX_CHARACTERS] or "-" for text in masked.texts]
