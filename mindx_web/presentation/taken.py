"""What an agent's or a day's calls took, as the cells of a table's row: words, and what leads to the calls."""

from __future__ import annotations

from dataclasses import dataclass

from library.language.insights import Figures
from mindx_web.presentation import amounts, moments


@dataclass(frozen=True)
class Cell:
    """`came` is what the calls behind it came to, as lists of calls know it; None: there are none to look at."""

    words: str
    came: str | None = None
    is_bad: bool = False


def cells(it: Figures) -> tuple[Cell, ...]:
    """Calls, failed, cached, read, written, cost, mean time, attempts for a plan."""
    return (
        Cell(amounts.short(it.calls), ""),
        _counted(it.failed, "failed", is_bad=True),
        _counted(it.cached, "cached"),
        _counted(it.tokens_in, "used"),
        _counted(it.tokens_out, "used"),
        _cost(it),
        Cell("no answer") if it.mean_s is None else Cell(moments.duration_text(it.mean_s), "answered"),
        _attempts(it),
    )


def _counted(count: int, came: str, *, is_bad: bool = False) -> Cell:
    return Cell(amounts.short(count), came, is_bad) if count else Cell("0")


def _cost(it: Figures) -> Cell:
    if not it.answered and not it.cost and not it.unpriced:
        return Cell("$0")
    return Cell("unknown" if it.unpriced and not it.cost else amounts.dollars(float(it.cost)), "used")


def _attempts(it: Figures) -> Cell:
    if it.attempts_per_plan is not None:
        return Cell(f"{it.attempts_per_plan:.2f}", "attempt")
    return Cell("no plan", "attempt") if it.attempts else Cell("none asked")
