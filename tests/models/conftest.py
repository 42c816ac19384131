"""A provider for each test, and mindX set to ask it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from tests.browser import chromium, open_page  # noqa: F401  # fixtures of the browser test here
from tests.library.vectors import install
from tests.models.server import Provider, serving

MODEL = "openai/test-model"
KEY = "sk-the-key-that-nobody-may-see"


@pytest.fixture
def provider(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """Answers what a test lays ready. Prices are a dollar for a million tokens read, two for a million written."""
    install(monkeypatch)
    for server in serving():
        monkeypatch.setenv("OPENAI_API_BASE", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        settings.MODEL, settings.MODEL_FALLBACKS = MODEL, []
        settings.MODEL_TRIES, settings.MODEL_TIMEOUT_S, settings.MODEL_CACHE_DAYS = 3, 45.0, 0
        settings.MODEL_PRICES = {MODEL: (Decimal(1), Decimal(2))}
        yield server
