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


class ShiftedVectors(WordVectors):
    """Another sentence model: in its space each word lies where the next one lies in the other's. What one of them
    says of a text is what the other one says of an unlike text, so whoever compares the two is found out.
    """

    def __init__(self, other: WordVectors) -> None:
        super().__init__()
        self.words = other.words

    def _vector(self, text: str) -> list[float]:
        vector = super()._vector(text)
        return [*vector[1:], vector[0]]

    def ask(self, model: str, texts: list[str], *, dimensions: int, timeout_s: float) -> list[list[float]]:
        """As `library.language.provider.embed`."""
        from library.language.asking import CallFailed

        if self.broken:
            raise CallFailed("unreachable", self.broken, again=True)
        return self(texts)


def install(monkeypatch: pytest.MonkeyPatch) -> WordVectors:
    """Replace the sentence model for one test."""
    from library.language import embeddings

    fake = WordVectors()
    monkeypatch.setattr(embeddings, "embed", fake)
    return fake
