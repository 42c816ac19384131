"""Which goals a canary plans: a fixed share of them, chosen by a hash (pure)."""

from __future__ import annotations

import hashlib

MOST_PERCENT = 50


def takes(component: str, goal: int, percent: int) -> bool:
    """Whether this goal is one of the canary's share; the same answer each time that the goal is planned.

    The two groups of goals differ only by chance, so their results can be compared.
    """
    digest = hashlib.sha256(f"canary\n{component}\n{goal}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % 100 < percent
