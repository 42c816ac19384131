"""The charts of the insights of the mind: each metric twice, its number over time and what it is counted from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from agents.bdi.learning.corrections import Came
from agents.insights.insight_sums import FIRST, HELPED, NONE, NOT_HELPED, REPAIRED, Figures
from mindx_web.presentation import amounts, over_time
from mindx_web.presentation.over_time import Chart

# First and last day of a bar, and what is counted of them.
Bin = tuple[date, date, Figures]


@dataclass(frozen=True)
class _Drawn:
    """A chart: its parts are a look, a word and a bar's number; `say` writes a number, the axis ends at `least`."""

    title: str
    said: str
    parts: tuple[tuple[str, str, Callable[[Figures], float]], ...]
    say: Callable[[float], str]
    least: float


def charts(bins: Sequence[Bin]) -> list[Chart]:
    """All of them, over the same bars."""
    days, per = [first for first, _, _ in bins], over_time.per(*bins[0][:2])
    return [
        over_time.chart(
            one.title,
            one.said,
            [(look, word) for look, word, _ in one.parts],
            [[number(figures) for _, _, number in one.parts] for _, _, figures in bins],
            days,
            per=per,
            say=one.say,
            least=one.least,
        )
        for one in _CHARTS
    ]


def _corrected(one: Figures) -> float:
    return 100 * one.corrections_succeeded / one.corrections if one.corrections else 0.0


def _helped(one: Figures) -> float:
    return 100 * one.recovered[HELPED] / one.recoveries if one.recoveries else 0.0


def _tail(one: Figures) -> float:
    return (one.total.p95_ms or 0.0) - (one.total.p50_ms or 0.0)


def _mean(stage: str) -> Callable[[Figures], float]:
    def mean(one: Figures) -> float:
        times = one.took.get(stage)
        # Of all that came to a plan: where a stage was not reached it took no time.
        return times.amount_ms / one.total.cases if times and one.total.cases else 0.0

    return mean


_CHARTS = (
    _Drawn(
        "Correction success",
        "per cent of judged corrections",
        (("good", "per cent", _corrected),),
        amounts.percent,
        100,
    ),
    _Drawn(
        "Corrections",
        "by result",
        (
            ("good", "worked", lambda one: one.corrected[Came.SUCCEEDED]),
            ("person", "changed", lambda one: one.corrected[Came.EDITED]),
            ("clay", "rejected", lambda one: one.corrected[Came.REFUSED]),
            ("bad", "failed", lambda one: one.corrected[Came.FAILED]),
        ),
        amounts.short,
        4,
    ),
    _Drawn(
        "Attempts per valid plan",
        "1 is best: no repairs; without the planning runs that failed",
        (("mind", "attempts", lambda one: one.attempts_per_plan or 0.0),),
        amounts.tenths,
        2,
    ),
    _Drawn(
        "Planning runs",
        "by result",
        (
            ("good", "valid at first", lambda one: one.planned[FIRST]),
            ("mind", "after repairs", lambda one: one.planned[REPAIRED]),
            ("bad", "no plan", lambda one: one.planned[NONE]),
        ),
        amounts.short,
        4,
    ),
    _Drawn(
        "Recovery effectiveness",
        "per cent of finished recoveries",
        (("good", "per cent", _helped),),
        amounts.percent,
        100,
    ),
    _Drawn(
        "Recoveries",
        "by result",
        (
            ("good", "helped", lambda one: one.recovered[HELPED]),
            ("bad", "did not help", lambda one: one.recovered[NOT_HELPED]),
        ),
        amounts.short,
        4,
    ),
    _Drawn(
        "Processing latency",
        "from input to a validated plan",
        (
            ("mind", "median", lambda one: one.total.p50_ms or 0.0),
            ("accent", "up to the 95th percentile", _tail),
        ),
        amounts.times,
        10,
    ),
    _Drawn(
        "Where the time goes",
        "mean of each stage",
        (
            ("person", "waiting", _mean("waited")),
            ("accent", "perceiving", _mean("perceive")),
            ("mind", "rules", _mean("rules")),
            ("clay", "understanding", _mean("understand")),
            ("good", "model", _mean("model")),
        ),
        amounts.times,
        10,
    ),
)
