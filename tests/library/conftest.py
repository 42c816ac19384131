"""People and vectors for the library's tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest

from library.errors import EmbeddingUnavailable
from people.roles import Role

if TYPE_CHECKING:  # a conftest is read before Django knows its apps
    from people.models import User

DIMENSIONS = 384


@pytest.fixture
def person(db: None) -> Callable[..., User]:
    """`person("name", Role.REVIEWER, …)`: a person with these roles; a submitter when none is given."""

    from people.models import User

    def make(name: str, *roles: Role) -> User:
        return User.objects.create_user(name, roles=[role.value for role in roles or (Role.SUBMITTER,)])

    return make


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


@pytest.fixture
def word_vectors(monkeypatch: pytest.MonkeyPatch) -> WordVectors:
    """Replaces the sentence model for one test."""
    from library.language import embeddings

    fake = WordVectors()
    monkeypatch.setattr(embeddings, "embed", fake)
    return fake
