"""A chart over days: bars, what their parts mean, and the same in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from mindx_web.presentation.bars import Bars, bars


@dataclass(frozen=True)
class Chart:
    """One question over time: its bars, what their parts mean, and the same in a sentence."""

    title: str
    said: str
    legend: tuple[tuple[str, str], ...]
    bars: Bars
    sentence: str


def chart(
    title: str,
    said: str,
    parts: Sequence[tuple[str, str]],
    values: Sequence[Sequence[float]],
    days: Sequence[date],
    *,
    per: str,
    say: Callable[[float], str],
    least: float,
) -> Chart:
    """The chart of these values: a bar for each day (the first of those it stands for), of the parts (look, word)."""
    stacks = [[(look, float(value)) for (look, _), value in zip(parts, bar, strict=True)] for bar in values]
    most = max(range(len(stacks)), key=lambda n: sum(value for _, value in stacks[n]))
    height, day = sum(value for _, value in stacks[most]), days[most]
    sentence = f"{title}, {said}, for each {per}: " + (
        f"most in the bar of {day.day} {day:%B}, {say(height)}." if height else "nothing."
    )
    legend = tuple(parts) if len(parts) > 1 else ()
    return Chart(title, f"{said}, per {per}", legend, bars(stacks, say, least), sentence)


def per(first: date, last: date) -> str:
    """What one bar stands for, in words."""
    days = (last - first).days + 1
    return "day" if days == 1 else f"{days} days"
