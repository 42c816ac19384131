"""A picture of many sizes at once: rectangles whose areas are the sizes, as square as they can be (pure).

After M. Bruls, K. Huizing and J. van Wijk, Squarified Treemaps, 2000.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    """A place in the picture."""

    x: float
    y: float
    width: float
    height: float

    def within(self, margin: float) -> Box:
        """The same place with room around it, as far as there is any."""
        across, down = min(margin, self.width / 4), min(margin, self.height / 4)
        return Box(self.x + across, self.y + down, self.width - 2 * across, self.height - 2 * down)


def laid_out(sizes: Sequence[float], into: Box) -> list[Box]:
    """A box for each size, in their order; sizes are above 0 and best come largest first."""
    boxes: list[Box] = []
    rest = into
    waiting = list(sizes)
    scale = into.width * into.height / sum(sizes) if sizes else 0
    while waiting:
        side = min(rest.width, rest.height)
        count = 1
        while count < len(waiting) and _worst(waiting[: count + 1], side, scale) <= _worst(
            waiting[:count], side, scale
        ):
            count += 1
        boxes += _row(waiting[:count], rest, scale)
        rest = _beside(rest, sum(waiting[:count]) * scale)
        waiting = waiting[count:]
    return boxes


def _worst(row: Sequence[float], side: float, scale: float) -> float:
    """How far the least square one of a row along `side` is from a square; 1 is one."""
    area = sum(row) * scale
    if not area or not side:
        return float("inf")
    return max(max(side**2 * size * scale / area**2, area**2 / (side**2 * size * scale)) for size in row)


def _row(row: Sequence[float], into: Box, scale: float) -> Iterator[Box]:
    """The row along the shorter side of what is left."""
    upright = into.width >= into.height
    side = into.height if upright else into.width
    thick = sum(row) * scale / side if side else 0
    at = 0.0
    for size in row:
        long = size * scale / thick if thick else 0
        yield (
            Box(into.x, into.y + at, thick, long) if upright else Box(into.x + at, into.y, long, thick)
        )  # fmt: skip
        at += long


def _beside(into: Box, area: float) -> Box:
    if into.width >= into.height:
        thick = area / into.height if into.height else 0
        return Box(into.x + thick, into.y, max(0.0, into.width - thick), into.height)
    thick = area / into.width if into.width else 0
    return Box(into.x, into.y + thick, into.width, max(0.0, into.height - thick))
