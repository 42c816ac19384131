"""The insights of the mind as the page shows them: four metrics, charts over time, and the cases behind each number.

What counts as a case and as a success is defined in docs/insights.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from django.urls import reverse

from agents.bdi.learning.corrections import Came
from agents.bdi.planning.latency import TOTAL
from agents.bdi.recovery.strategies import way_named
from agents.insights import insight_sums
from agents.insights.insight_sums import BY_PERSON, FIRST, HELPED, NONE, Figures, Sums
from agents.presentation.rates import Rate, rate
from agents.record import selectors
from mindx_web.insights import asked_days, mind_charts
from mindx_web.insights.mind_cases import ORIGIN_WORDS, SOURCE_WORDS, STAGE_WORDS, Asking
from mindx_web.insights.mind_tables import Cell, Row, Table
from mindx_web.presentation import amounts, over_time
from mindx_web.presentation.over_time import Chart


@dataclass(frozen=True)
class Metric:
    """One of the four: its number, and in words what it is the share of. `apart`: what is not counted in it."""

    name: str
    number: Cell
    said: str
    cases: Cell
    apart: Cell | None = None


class MindInsights:
    """Everything that the page shows, read once each."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking

    @cached_property
    def agents(self) -> dict[str, str]:
        """Their names."""
        return selectors.agent_names()

    @cached_property
    def sums(self) -> Sums:
        """Of these days, by the bars that they are drawn with."""
        first, last = self._spans[0]
        return insight_sums.sums(self.asking.asked, together=(last - first).days + 1)

    @property
    def total(self) -> Figures:
        """All of it."""
        return self.sums.total

    @cached_property
    def tools(self) -> list[str]:
        """Those that may be chosen."""
        return sorted({*insight_sums.tools_of(self.sums), *([self.asking.tool] if self.asking.tool else [])})

    @property
    def ranges(self) -> list[tuple[str, str, bool]]:
        """Days to choose from in words, the address, and whether they are these."""
        today = asked_days.today()
        starts = [(days, today - timedelta(days=days - 1)) for days in asked_days.RANGES]
        shown = (self.asking.first, self.asking.last)
        return [
            (f"{days} days", self.asking.query(first=first, last=today), shown == (first, today))
            for days, first in starts
        ]

    # -- the four metrics ------------------------------------------------------------------------------------------
    @cached_property
    def metrics(self) -> list[Metric]:
        """Their numbers, each with the cases behind it."""
        all_, link = self.total, self._link
        corrected = link("corrections", all_.corrections, came="judged")
        planned = link("plannings", all_.plans, came="valid")
        in_vain = link("plannings", all_.planned[NONE], came=NONE)
        left = link("recoveries", all_.left_to_a_person.total(), came=BY_PERSON)
        recovered = link("recoveries", all_.recoveries, came="ended")
        took = all_.total
        timed = link("plannings", took.cases, stage=TOTAL)
        attempts = all_.attempts_per_plan
        return [
            Metric(
                "Parameter correction success",
                self._share(all_.corrections_succeeded, corrected),
                "of the corrected values were approved unchanged and worked",
                corrected,
            ),
            Metric(
                "Plan generation efficiency",
                planned.said("?" if attempts is None else f"{attempts:.2f}"),
                "attempts per valid plan",
                planned,
                in_vain.said(f"{in_vain.text} without a plan") if in_vain.cases else None,
            ),
            Metric(
                "Recovery effectiveness",
                self._share(all_.recovered[HELPED], recovered),
                "of the recovered steps succeeded",
                recovered,
                left.said(f"{left.text} left to a person") if left.cases else None,
            ),
            Metric(
                "Processing latency",
                timed.said(_time(took.p50_ms)),
                f"median from input to a validated plan, 95 % within {_time(took.p95_ms)}",
                timed,
            ),
        ]

    # -- over time -------------------------------------------------------------------------------------------------
    @cached_property
    def bins(self) -> list[tuple[date, date, Figures]]:
        """The days, some of them together where each would be too thin a bar."""
        days = self.sums.days
        return [(first, last, days.get(first) or Figures()) for first, last in self._spans]

    @cached_property
    def _spans(self) -> list[tuple[date, date]]:
        return asked_days.bins(self.asking.first, self.asking.last)

    @property
    def per(self) -> str:
        """What one bar stands for."""
        return over_time.per(*self.bins[0][:2])

    @cached_property
    def charts(self) -> list[Chart]:
        """Each metric twice: its number over time, and what it is counted from."""
        return mind_charts.charts(self.bins)

    # -- breakdowns ------------------------------------------------------------------------------------------------
    @cached_property
    def tables(self) -> list[Table]:
        """By origin and tool, by source, by class and strategy, by stage, by agent."""
        return [self._by_origin(), self._by_source(), self._by_cell(), self._by_stage(), self._by_agent()]

    @cached_property
    def by_day(self) -> Table:
        """The numbers of the charts."""
        rows = [
            Row(f"{first.day} {first:%b %Y}", self._four(figures, first=first, last=last))
            for first, last, figures in reversed(self.bins)
            if figures.any
        ]
        title = "By day" if self.per == "day" else f"Every {self.per}"
        return Table("by-day", title, "the numbers in the charts", ("From", *_FOUR), tuple(rows), "", look="nowrap")

    def _by_origin(self) -> Table:
        rows = []
        for (origin, tool), figures in sorted(
            self.sums.origins.items(), key=lambda one: (-one[1].corrections, *one[0])
        ):
            link = self._linker("corrections", origin=origin, tool=tool)
            judged = link(figures.corrections, came="judged")
            came = [link(figures.corrected[each], came=each.value) for each in Came]
            success = self._share(figures.corrections_succeeded, judged)
            name = f"{ORIGIN_WORDS[origin]}, {tool}"
            rows.append(Row(name, (success, judged, *came), f"?{self.asking.query(tool=tool)}"))
        head = ("Origin and tool", "Success", "Judged", "Worked", "Changed", "Rejected", "Failed", "Unused")
        empty = "No values were corrected in this period. They appear here once their goal has ended."
        return Table("corrections", "Parameter corrections", "by origin and tool", head, tuple(rows), empty)

    def _by_source(self) -> Table:
        rows = []
        for source, figures in sorted(self.sums.sources.items(), key=lambda one: -one[1].plannings):
            link = self._linker("plannings", source=source)
            all_, valid = link(figures.plannings), link(figures.plans, came="valid")
            attempts = figures.attempts_per_plan
            cells = (
                valid.said("no plan" if attempts is None else f"{attempts:.2f}"),
                self._share(figures.planned[FIRST], all_),
                all_,
                *(link(figures.planned[came], came=came) for came in insight_sums.PLANNED),
            )
            rows.append(Row(SOURCE_WORDS.get(source, source), cells))
        head = ("Planned by", "Attempts per plan", "Valid at first", "Planning runs", "At first", "Repaired", "No plan")
        empty = "Nothing was planned in this period. Planning runs appear here with their attempts."
        return Table("plannings", "Plan generation", "by planner", head, tuple(rows), empty)

    def _by_cell(self) -> Table:
        rows = []
        for (failure_class, strategy), figures in sorted(self.sums.cells.items()):
            link = self._linker("recoveries", failure_class=failure_class, strategy=strategy)
            ended = link(figures.recoveries, came="ended")
            way = way_named(strategy)
            cells = (
                self._share(figures.recovered[HELPED], ended),
                ended,
                *(link(figures.recovered[came], came=came) for came in insight_sums.RECOVERED),
            )
            name = f"{failure_class}: {way.words if way else strategy}"
            rows.append(Row(name, cells, f"{reverse('recovery-time')}?failure_class={failure_class}"))
        head = ("Class and strategy", "Success", "Finished", "Helped", "Did not help", "Unfinished")
        empty = "Nothing failed in this period. Failures appear here and count once their step has ended."
        return Table("recoveries", "Recovery", "by failure class and strategy", head, tuple(rows), empty)

    def _by_stage(self) -> Table:
        rows = []
        for stage, times in insight_sums.stages_of(self.total).items():
            cell = self._link("plannings", times.cases, stage=stage)
            shown = (times.p50_ms, times.p95_ms, times.mean_ms)
            rows.append(Row(STAGE_WORDS[stage], (*(cell.said(_time(ms)) for ms in shown), cell)))
        head = ("Stage", "Median", "95 % within", "Mean", "n")
        empty = "No goal got a valid plan in this period. Once one does, the time of each stage appears here."
        return Table(
            "stages", "Processing latency", "by stage, of planning runs with a valid plan", head, tuple(rows), empty
        )

    def _by_agent(self) -> Table:
        rows = [
            Row(
                self.agents.get(str(agent), f"agent {agent}"),
                self._four(figures, agent=str(agent)),
                f"?{self.asking.query(agent=str(agent))}",
            )
            for agent, figures in sorted(self.sums.agents.items(), key=lambda one: -one[1].plannings)
        ]
        return Table(
            "agents",
            "By agent",
            "all four metrics",
            ("Agent", *_FOUR),
            tuple(rows),
            "No agent did anything in this period.",
        )

    def _four(self, figures: Figures, **which: str | date) -> tuple[Cell, ...]:
        """The four metrics with their numbers of cases."""
        corrected = self._link("corrections", figures.corrections, came="judged", **which)
        planned = self._link("plannings", figures.plans, came="valid", **which)
        recovered = self._link("recoveries", figures.recoveries, came="ended", **which)
        timed = self._link("plannings", figures.total.cases, stage=TOTAL, **which)
        attempts = figures.attempts_per_plan
        return (
            self._share(figures.corrections_succeeded, corrected),
            corrected,
            planned.said("no plan" if attempts is None else f"{attempts:.2f}"),
            planned,
            self._share(figures.recovered[HELPED], recovered),
            recovered,
            timed.said(_time(figures.total.p50_ms)),
            timed.said(_time(figures.total.p95_ms)),
        )

    # -- numbers that lead to their cases --------------------------------------------------------------------------
    def _link(self, kind: str, cases: int, **which: str | date) -> Cell:
        href = f"{self._lists[kind]}?{self.asking.query(**which)}" if cases else ""
        return Cell(amounts.short(cases), href, cases)

    @cached_property
    def _lists(self) -> dict[str, str]:
        return {kind: reverse(f"insights-{kind}") for kind in ("corrections", "plannings", "recoveries")}

    def _linker(self, kind: str, **which: str | date) -> Callable[..., Cell]:
        return lambda cases, **more: self._link(kind, cases, **{**which, **more})

    def _share(self, worked: int, of: Cell) -> Cell:
        """A share with its interval, which leads to everything that it is a share of."""
        found: Rate = rate(worked, of.cases)
        if not of.cases:
            return Cell("?")
        if found.percent is None:
            return of.said("?", f"{worked} of {of.cases}")
        return of.said(f"{found.percent} %", f"{found.low} to {found.high} %")


_FOUR = ("Corrections", "n", "Attempts per plan", "n", "Recoveries", "n", "Median latency", "95 % within")


def _time(ms: float | None) -> str:
    return "?" if ms is None else amounts.times(ms)
