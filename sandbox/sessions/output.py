"""How a program's two output streams share the space of an answer. Pure."""

from __future__ import annotations

from sandbox.jail.inside.kept import Kept, joined

__all__ = ["Kept", "joined", "shares"]


def shares(first: int, second: int, most: int) -> tuple[int, int]:
    """How much each stream may keep of `most`: a short one everything, the other the rest."""
    half = most // 2
    if first <= half:
        return first, most - first
    if second <= half:
        return most - second, second
    return half, most - half
