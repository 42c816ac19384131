"""A stand-in for the sentence model, for tests that are not about it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from library.errors import EmbeddingUnavailable

DIMENSIONS = 384


class WordVectors:
    """A stand-in for the sentence model: texts that share words are near. Counts calls, and can be out of order."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.broken = ""
        self.words: dict[str, int] = {}

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        if self.broken:
            raise EmbeddingUnavailable(self.broken)
        self.texts += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * DIMENSIONS
        for word in text.lower().split():
            vector[self.words.setdefault(word, len(self.words)) % DIMENSIONS] += 1.0
        length = sum(number * number for number in vector) ** 0.5
        return [number / length for number in vector]


def install(monkeypatch: pytest.MonkeyPatch) -> WordVectors:
    """Replace the sentence model for one test."""
    from library.language import embeddings

    fake = WordVectors()
    monkeypatch.setattr(embeddings, "embed", fake)
    return fake
