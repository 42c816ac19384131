"""The tests of the mind hold laws, not times: a shared machine may be slow at any moment."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("laws, not times", deadline=None)
settings.load_profile("laws, not times")
