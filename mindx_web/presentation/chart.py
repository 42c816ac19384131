"""Stacked bars of days as shapes: counts in, rectangles out, in a box that stretches (words stay outside of it)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

HEIGHT = 100.0
STEP, WIDTH, MARGIN = 20, 12, 4
GAP = 1.6  # between two parts of one bar


@dataclass(frozen=True)
class Day:
    """How many goals ended on a day, and how."""

    day: date
    achieved: int = 0
    mended: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.achieved + self.mended + self.failed


@dataclass(frozen=True)
class Rect:
    """One part of a bar; `look` picks its colour."""

    look: str
    x: int
    y: float
    height: float


@dataclass(frozen=True)
class Chart:
    """The shapes, the numbers of the axis from top to bottom, and the same in a sentence."""

    days: tuple[Day, ...]
    top: int

    @property
    def width(self) -> int:
        """Of the box."""
        return STEP * len(self.days)

    @property
    def axis(self) -> tuple[int, int, int]:
        """Labels of the three lines."""
        return self.top, self.top // 2, 0

    @property
    def rects(self) -> tuple[Rect, ...]:
        """Every part of every bar, from the ground up."""
        return tuple(rect for n, day in enumerate(self.days) for rect in _bar(n, day, self.top))

    @property
    def achieved(self) -> int:
        """Goals achieved in all days, mended ones included."""
        return sum(day.achieved + day.mended for day in self.days)

    @property
    def mended(self) -> int:
        """Goals achieved after a recovery."""
        return sum(day.mended for day in self.days)

    @property
    def total(self) -> int:
        """Goals that were achieved or failed."""
        return sum(day.total for day in self.days)

    @property
    def sentence(self) -> str:
        """What the chart shows, for those who do not see it."""
        if not self.total:
            return f"No goal was achieved or failed in the last {len(self.days)} days."
        busiest = max(self.days, key=lambda day: day.total)
        return (
            f"In the last {len(self.days)} days {self.achieved} of {self.total} goals were achieved, {self.mended} of "
            f"them after a recovery; {self.total - self.achieved} failed. Most ended on {busiest.day.day} "
            f"{busiest.day:%B}: {busiest.total}."
        )


def chart(days: Sequence[Day]) -> Chart:
    """The chart of these days; the axis ends at an even number that no bar exceeds."""
    most = max((day.total for day in days), default=0)
    step = 2 if most <= 20 else 10 ** (len(str(most)) - 1)
    return Chart(tuple(days), top=max(2, math.ceil(most / step) * step))


def _bar(number: int, day: Day, top: int) -> list[Rect]:
    rects: list[Rect] = []
    ground = HEIGHT
    for look, count in (("good", day.achieved), ("clay", day.mended), ("bad", day.failed)):
        if not count:
            continue
        height = count * HEIGHT / top
        # The gap is cut out of the upper part, so that the bar as a whole keeps its height.
        drawn = height - GAP if rects and height > 2 * GAP else height
        rects.append(Rect(look, STEP * number + MARGIN, round(ground - height, 2), round(drawn, 2)))
        ground -= height
    return rects
