"""Waiting for a condition instead of sleeping."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object], *, within: float = 45.0, what: str = "the condition") -> None:
    """Wait until `condition()` is true; AssertionError after `within` seconds."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not hold within {within:g} s"
        time.sleep(0.02)
