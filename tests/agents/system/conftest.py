"""A model's provider on loopback."""

from __future__ import annotations

from tests.models.conftest import provider as provider
