"""What the tests of the services share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence model is the library's business; here it would only cost seconds."""
    from tests.library.vectors import install

    install(monkeypatch)
