"""Waiting for a condition instead of sleeping."""

from __future__ import annotations

import time
from collections.abc import Callable

# Who asks a running mindX fifty times a second whether its goal has ended takes a whole processor from it meanwhile.
_SOONEST_S, _LATEST_S = 0.02, 0.25
_OF_THE_WAIT = 0.05


def wait_until(condition: Callable[[], object], *, within: float = 45.0, what: str = "the condition") -> None:
    """Wait until `condition()` is true; AssertionError after `within` seconds.

    What takes long is asked about less often: at most a twentieth of a wait is for nothing.
    """
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        assert waited < within, f"{what} did not hold within {within:g} s"
        time.sleep(min(_LATEST_S, max(_SOONEST_S, waited * _OF_THE_WAIT)))
