"""A rate with its interval, as pages show it: unknown below ten cases (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

KNOWN_FROM = 10
_Z = 1.96  # 95 %


@dataclass(frozen=True)
class Rate:
    """How often something worked. Percentages are None below ten cases; `low` to `high` is Wilson's 95 % interval."""

    worked: int
    cases: int
    percent: int | None
    low: int
    high: int

    @property
    def look(self) -> str:
        """The colour of its bar."""
        if self.percent is None:
            return "none"
        return "good" if self.percent >= 80 else "mid" if self.percent >= 50 else "bad"

    @property
    def width(self) -> int:
        """How wide the interval is."""
        return self.high - self.low


def rate(worked: int, cases: int) -> Rate:
    """Return the rate of `worked` among `cases` (E. B. Wilson, 1927, for the interval)."""
    if cases < KNOWN_FROM:
        return Rate(worked, cases, None, 0, 100)
    low, high = interval(worked, cases)
    return Rate(worked, cases, round(100 * worked / cases), round(100 * low), round(100 * high))


def interval(worked: float, cases: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of some cases, of which there is at least a part of one."""
    share = worked / cases
    middle = share + _Z**2 / (2 * cases)
    spread = _Z * sqrt(share * (1 - share) / cases + _Z**2 / (4 * cases**2))
    whole = 1 + _Z**2 / cases
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)
