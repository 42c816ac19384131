"""How the output of a program's two streams shares the room of an answer. Pure."""

from __future__ import annotations

from sandbox.jail.inside.kept import Kept, joined

__all__ = ["Kept", "joined", "shares"]


def shares(first: int, second: int, most: int) -> tuple[int, int]:
    """How much each of two streams may keep of `most`: a short one all of it, the other the rest."""
    half = most // 2
    if first <= half:
        return first, most - first
    if second <= half:
        return most - second, second
    return half, most - half
