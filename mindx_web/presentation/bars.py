"""Stacked bars as shapes: values in, rectangles out, in a box that stretches (words stay outside of it)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

HEIGHT = 100.0
STEP, WIDTH, MARGIN = 20, 12, 4
GAP = 1.6  # between two parts of one bar


class Rect(NamedTuple):
    """One part of a bar; `look` picks its colour. No dataclass: a page has a thousand, and these take a third."""

    look: str
    x: int
    y: float
    height: float


@dataclass(frozen=True)
class Bars:
    """Bars of parts, each a look and a value, from the ground up; `say` writes a number of the axis."""

    stacks: tuple[tuple[tuple[str, float], ...], ...]
    top: float
    say: Callable[[float], str]

    @property
    def width(self) -> int:
        """Of the box."""
        return STEP * len(self.stacks)

    @property
    def axis(self) -> tuple[str, str, str]:
        """Labels of the three lines, from top to bottom."""
        return self.say(self.top), self.say(self.top / 2), "0"

    @property
    def rects(self) -> tuple[Rect, ...]:
        """Every part of every bar."""
        return tuple(rect for n, parts in enumerate(self.stacks) for rect in stacked(n, parts, self.top))

    @property
    def paths(self) -> list[tuple[str, str]]:
        """The same as one path for each look: hundreds of elements would be most of a page's time."""
        drawn: dict[str, list[str]] = {}
        for look, x, y, height in self.rects:
            drawn.setdefault(look, []).append(f"M{x} {y}h{WIDTH}v{height}h-{WIDTH}z")
        return [(look, "".join(parts)) for look, parts in drawn.items()]


def bars(stacks: Sequence[Sequence[tuple[str, float]]], say: Callable[[float], str], least: float) -> Bars:
    """Bars under an axis that ends at a round number which none exceeds; at `least`, if they are lower."""
    most = max((sum(value for _, value in parts) for parts in stacks), default=0.0)
    return Bars(tuple(tuple(parts) for parts in stacks), round_top(max(most, least)), say)


def round_top(most: float) -> float:
    """The lowest 1, 2, 4, 5 or 10 times a power of ten that is not below `most`: each has a short half."""
    power = 10.0 ** math.floor(math.log10(most))
    return next((step * power for step in (1, 2, 4, 5) if step * power >= most), 10 * power)


def stacked(number: int, parts: Sequence[tuple[str, float]], top: float) -> list[Rect]:
    """The parts of one bar, the `number`th from the left."""
    rects: list[Rect] = []
    ground = HEIGHT
    for look, value in parts:
        if not value:
            continue
        height = value * HEIGHT / top
        # The gap is cut out of the upper part, so that the bar as a whole keeps its height.
        drawn = height - GAP if rects and height > 2 * GAP else height
        rects.append(Rect(look, STEP * number + MARGIN, round(ground - height, 2), round(drawn, 2)))
        ground -= height
    return rects
