"""A share over time as shapes: a step line with its interval as a band, and marks; in a box that stretches (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.presentation.rates import interval

WIDTH, HEIGHT = 1000.0, 100.0


@dataclass(frozen=True)
class Drawn:
    """Paths in a box of WIDTH × HEIGHT, the moments at its ends, and the same in a sentence."""

    line: str
    band: str
    marks: tuple[tuple[str, float], ...]
    first: datetime
    last: datetime
    sentence: str


def drawn(
    values: Sequence[tuple[datetime, float, float]],
    marks: Sequence[tuple[str, datetime]],
    first: datetime,
    last: datetime,
) -> Drawn:
    """Draw shares, each with its moment and with how many cases it is worth; each holds until the next.

    `marks` are a kind and a moment. All moments lie between the first and the last.
    """
    long = max((last - first).total_seconds(), 1.0)

    def x(at: datetime) -> float:
        return round(WIDTH * (at - first).total_seconds() / long, 1)

    def y(share: float) -> float:
        return round(HEIGHT * (1 - share), 1)

    ends = [*(x(at) for at, _, _ in values[1:]), WIDTH]
    bounds = [interval(share * cases, cases) for _, share, cases in values]
    line = "".join(
        f"{'L' if number else 'M'}{x(at)} {y(share)}H{end}"
        for number, ((at, share, _), end) in enumerate(zip(values, ends, strict=True))
    )
    upper = "".join(
        f"{'L' if number else 'M'}{x(at)} {y(high)}H{end}"
        for number, ((at, _, _), (_, high), end) in enumerate(zip(values, bounds, ends, strict=True))
    )
    lower = "".join(
        f"L{end} {y(low)}H{x(at)}"
        for (at, _, _), (low, _), end in reversed(list(zip(values, bounds, ends, strict=True)))
    )
    (_, share, cases), (low, high) = values[-1], bounds[-1]
    sentence = f"At the end {share:.0%}, between {low:.0%} and {high:.0%}, from what {cases:.1f} cases are worth."
    return Drawn(line, f"{upper}{lower}Z", tuple((kind, x(at)) for kind, at in marks), first, last, sentence)
