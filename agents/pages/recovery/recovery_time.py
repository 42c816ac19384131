"""What was believed of each strategy against a class over time, with what operators set meanwhile, for its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from agents.bdi.recovery.recovery_history import Outcome, Point, Reset, points
from agents.bdi.recovery.strategies import WAYS, Way
from agents.insights.insight_sums import SAME_WAY_AGAIN
from agents.models import FailureRecord, RecoveryPolicy, RecoveryReset, RecoveryStatistic
from agents.presentation.lines import Drawn, drawn
from agents.presentation.rates import interval
from agents.recovery import recovery_learning

# Of a class and tool so many of the newest outcomes are drawn: each is taken in again, and older ones hardly count.
MOST_OUTCOMES = 600
_MOST_MARKS = 40


@dataclass(frozen=True)
class Mark:
    """Something that an operator did, at a moment: a reset, a pin or a ban of a strategy."""

    kind: str
    at: datetime
    words: str
    by: str
    why: str


@dataclass(frozen=True)
class Day:
    """The last that was believed on a day: the share with its interval in per cent, and what it stands on."""

    at: datetime
    percent: int
    low: int
    high: int
    counting: float
    cases: int


@dataclass(frozen=True)
class Series:
    """One strategy: its chart, the last point of each day (newest first), and what was done about it."""

    way: Way
    chart: Drawn
    days: tuple[Day, ...]
    marks: tuple[Mark, ...]

    @property
    def last(self) -> Day:
        """What is believed now."""
        return self.days[0]


class RecoveryTime:
    """A class and a tool. Where none is asked for, those with the most cases."""

    def __init__(self, failure_class: str, tool: str | None) -> None:
        cells = RecoveryStatistic.objects.values_list("failure_class", "tool", "cases")
        counts: dict[tuple[str, str], int] = {}
        for of_class, of_tool, cases in cells:
            counts[of_class, of_tool] = counts.get((of_class, of_tool), 0) + cases
        ordered = sorted(counts, key=lambda one: (-counts[one], one))
        self.classes = sorted({one for one, _ in ordered})
        fitting = [one for one in ordered if failure_class in ("", one[0]) and tool in (None, one[1])]
        self.failure_class, self.tool = fitting[0] if fitting else (failure_class, tool or "")
        self.tools = sorted({one for of_class, one in ordered if of_class == self.failure_class})
        self.series = self._series() if fitting else []

    def _series(self) -> list[Series]:
        outcomes = self._outcomes()
        if not outcomes:
            return []
        memory = recovery_learning.current_settings().memory
        resets = self._resets()
        found = points(outcomes, [Reset(row.up_to, row.at, row.strategy) for row in resets], memory)
        first, last = outcomes[0].at, max(outcomes[-1].at, timezone.now())
        marks = self._marks(resets)
        return [
            Series(
                way,
                drawn(
                    [(one.at, one.share, one.counting) for one in found[str(way)]],
                    [(mark.kind, mark.at) for mark in marks[way] if first <= mark.at],
                    first,
                    last,
                ),
                _last_of_days(found[str(way)]),
                tuple(mark for mark in marks[way] if first <= mark.at),
            )
            for way in WAYS
            if str(way) in found
        ]

    def _outcomes(self) -> list[Outcome]:
        """The newest cases that have ended, oldest first; a strategy that was chosen again at once is one case."""
        rows = FailureRecord.objects.filter(
            failure_class=self.failure_class, tool=self.tool, settled_at__isnull=False
        ).exclude(SAME_WAY_AGAIN)
        newest = rows.only("pk", "at", "strategy", "variant", "succeeded", "overtaken_by").order_by("-pk")
        return [
            Outcome(row.pk, row.at, row.cell_strategy, bool(row.succeeded) and not row.overtaken_by)
            for row in reversed(newest[:MOST_OUTCOMES])
        ]

    def _resets(self) -> list[RecoveryReset]:
        rows = recovery_learning.resets_in_force().filter(
            failure_class__in=["", self.failure_class], tool__in=["", self.tool]
        )
        return list(rows.select_related("by").order_by("-pk")[:_MOST_MARKS])

    def _marks(self, resets: Sequence[RecoveryReset]) -> dict[Way, list[Mark]]:
        """By strategy, oldest first: resets that took its cases out, and the versions that pin or ban it."""
        found: dict[Way, list[Mark]] = {way: [] for way in WAYS}
        for row in resets:
            for way in WAYS:
                if row.strategy in ("", str(way)):
                    found[way].append(Mark("reset", row.at, "started over", row.by.display_name, row.why))
        policies = RecoveryPolicy.objects.filter(failure_class=self.failure_class, tool__in=["", self.tool])
        for policy in policies.select_related("by").order_by("-pk")[:_MOST_MARKS]:
            of = f"for {policy.tool or 'every tool'}, version {policy.number}"
            for way in WAYS:
                kind = "pin" if policy.pinned == str(way) else "ban" if str(way) in policy.banned else ""
                if kind:
                    word = f"{'pinned' if kind == 'pin' else 'banned'} {of}"
                    found[way].append(Mark(kind, policy.at, word, policy.by.display_name, policy.note))
        return {way: sorted(marks, key=lambda mark: mark.at) for way, marks in found.items()}


def _last_of_days(series: Sequence[Point]) -> tuple[Day, ...]:
    days = {point.at.date(): point for point in series}
    return tuple(_day(point) for point in reversed(days.values()))


def _day(point: Point) -> Day:
    low, high = interval(point.won, point.counting)
    return Day(point.at, round(100 * point.share), round(100 * low), round(100 * high), point.counting, point.cases)
