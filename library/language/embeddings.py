"""Sentences as unit vectors of 384 numbers by all-MiniLM-L6-v2, on this machine, without network or key."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress

from django.conf import settings

from library.errors import EmbeddingUnavailable
from library.language.model_client import ask
from library.language.weights import DIMENSIONS

logger = logging.getLogger(__name__)

# 256 tokens never need more; a megabyte of text must not cost a megabyte of tokenizing.
MAX_CHARACTERS = 16_000
# Latin letters with all their accents.
_LATIN_END, _MORE_LATIN = 0x250, (0x1E00, 0x1F00)


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Return one unit vector for each text, in order; only the first 256 tokens of a text count.

    EmbeddingUnavailable says why when there is no usable model. Never call this inside a transaction: the first call
    takes about a second. What was embedded lately is remembered. With the setting MODEL_SERVER another process
    computes, and this one loads no model.
    """
    if not texts:
        return []
    cleaned = [_clean(text) for text in texts]
    return ask("sentences", cleaned, DIMENSIONS) if settings.MODEL_SERVER else embed_here(cleaned)


def warm_up() -> None:
    """Load the model in this process, if there is a usable one; whoever asks first is told why there is none."""
    with suppress(EmbeddingUnavailable):
        embed_here(["ready?"])


def embed_here(texts: list[str]) -> list[list[float]]:
    """As `embed`, in this process, for texts that are cut and clean."""
    try:
        # With numpy and onnxruntime 40 MB, which a process that never embeds should not pay.
        from library.language.sentence_model import of_this_process

        return of_this_process.get().known(texts)
    except EmbeddingUnavailable:
        raise
    except Exception as error:
        # onnxruntime and tokenizers raise their own, undocumented classes; all of them mean the same here.
        logger.exception("Embedding failed")
        raise EmbeddingUnavailable(f"The sentence model failed: {error}") from error


def why_unavailable() -> str:
    """Return why sentences cannot be embedded, or an empty text when they can."""
    try:
        embed(["ready?"])
    except EmbeddingUnavailable as error:
        return str(error)
    return ""


def reads(text: str) -> bool:
    """Whether the model can tell this text from others.

    It was trained on English. Of other scripts it knows single letters at most: unrelated sentences in Greek, Hebrew,
    Hindi or Russian have a cosine of 0.6 to 0.8, and in Thai, Amharic or Burmese of 1.
    """
    letters = [char for char in text[:MAX_CHARACTERS] if char.isalpha()]
    latin = sum(ord(char) < _LATIN_END or _MORE_LATIN[0] <= ord(char) < _MORE_LATIN[1] for char in letters)
    return 2 * latin >= len(letters) if letters else any(char.isdigit() for char in text[:MAX_CHARACTERS])


def _clean(text: str) -> str:
    """Cut a text to what can count and replace lone surrogates, which no tokenizer takes."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode()
