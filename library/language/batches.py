"""Texts of similar length go through a network together."""

from __future__ import annotations

from collections.abc import Sequence

BATCH = 32
# Tokens of padding from which a batch of its own is quicker: reading the weights once costs about as much.
SPARED = 20


def batches(lengths: Sequence[int]) -> list[list[int]]:
    """The texts of these lengths in tokens, by their indices, in batches of at most 32 and of similar length.

    A batch is computed as if all of it were as long as its longest: three sentences beside one page would cost four
    pages.
    """
    found: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if not found or len(found[-1]) == BATCH or (lengths[index] - lengths[found[-1][0]]) * len(found[-1]) > SPARED:
            found.append([])
        found[-1].append(index)
    return found
