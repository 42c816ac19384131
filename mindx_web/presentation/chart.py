"""How goals ended, day by day, as a chart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from mindx_web.presentation.bars import STEP, Rect, stacked


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

    @property
    def parts(self) -> tuple[tuple[str, int], ...]:
        """Of its bar, from the ground up."""
        return ("good", self.achieved), ("clay", self.mended), ("bad", self.failed)


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
        return tuple(rect for n, day in enumerate(self.days) for rect in stacked(n, day.parts, self.top))

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
            f"them after a recovery; {self.total - self.achieved} failed or did not meet the goal. Most ended "
            f"on {busiest.day.day} {busiest.day:%B}: {busiest.total}."
        )


def chart(days: Sequence[Day]) -> Chart:
    """The chart of these days; the axis ends at an even number that no bar exceeds."""
    most = max((day.total for day in days), default=0)
    step = 2 if most <= 20 else 10 ** (len(str(most)) - 1)
    return Chart(tuple(days), top=max(2, math.ceil(most / step) * step))
