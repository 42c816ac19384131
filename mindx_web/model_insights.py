"""What models were asked, as the page shows it: figures, charts over time, and the calls behind each number."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from agents import budgets
from agents.budgets import Budget
from agents.models import Agent, Generation
from library.language import insights
from library.language.insights import Figures, Sums
from library.models import ModelCall
from mindx_web.presentation import amounts
from mindx_web.presentation.bars import Bars, bars

DAYS, MOST_DAYS, MOST_BARS = 30, 366, 53
PAGE = 50
_TEXT_MAX = 200
# What may have come of a call: its states, and what an answer was worth as a plan.
CAME = {
    "": "anything",
    "answered": "an answer",
    "cached": "an answer from the cache",
    "failed": "no answer",
    "asked": "nothing yet",
    "attempt": "an attempt at a plan",
    "plan": "a valid plan",
    "unpriced": "an answer without a known price",
}


@dataclass(frozen=True)
class Asking:
    """What the reader asked for: days (UTC), an agent, a model, and for lists what came of the calls.

    What cannot be read is left out, and `trouble` says so. `agent` "-" are calls for no agent.
    """

    first: date
    last: date
    agent: str = ""
    model: str = ""
    came: str = ""
    trouble: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Asking:
        """From an address."""
        today = timezone.now().astimezone(UTC).date()
        first, last = _day(query.get("from", "")), _day(query.get("to", ""))
        trouble = next(
            (
                f"Write the day “{name}” as 2026-01-31."
                for name, day in (("from", first), ("to", last))
                if query.get(name) and day is None
            ),
            "",
        )
        last = last or max(today, first or today)
        first = first or last - timedelta(days=DAYS - 1)
        if first > last:
            first, last, trouble = last, first, "The first day was after the last one, so they were exchanged."
        if (last - first).days >= MOST_DAYS:
            first, trouble = last - timedelta(days=MOST_DAYS - 1), f"At most {MOST_DAYS} days are shown at once."
        came = query.get("came", "")
        return cls(first, last, _text(query, "agent"), _text(query, "model"), came if came in CAME else "", trouble)

    @property
    def calls(self) -> insights.Asked:
        """The same for the library, which knows agents as opaque words."""
        agent = None if not self.agent else "" if self.agent == "-" else self.agent
        return insights.Asked(self.first, self.last, agent, self.model)

    def query(self, **changes: str | date) -> str:
        """The end of an address that asks for this, with some of it changed."""
        asked = replace(self, **changes)  # type: ignore[arg-type]
        named = {"from": asked.first, "to": asked.last, "agent": asked.agent, "model": asked.model, "came": asked.came}
        return urlencode({name: value for name, value in named.items() if value})


@dataclass(frozen=True)
class Chart:
    """One question over time: its bars, what their parts mean, and the same in a sentence."""

    title: str
    said: str
    legend: tuple[tuple[str, str], ...]
    bars: Bars
    sentence: str


@dataclass(frozen=True)
class Bin:
    """One or some days that share a bar, and the address of their calls."""

    first: date
    last: date
    figures: Figures
    query: str


@dataclass(frozen=True)
class Row:
    """An agent with a model."""

    agent: str
    agent_name: str
    model: str
    figures: Figures
    query: str


@dataclass(frozen=True)
class Listed:
    """A call in a list. `goal` None: it was for none that has a page."""

    call: ModelCall
    agent_name: str
    goal: int | None


class ModelInsights:
    """Everything that the page shows, read once each."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking

    @cached_property
    def agents(self) -> dict[str, str]:
        """Names by what calls know of them."""
        return {str(pk): name for pk, name in Agent.objects.order_by("name").values_list("pk", "name")}

    @cached_property
    def budgets(self) -> list[Budget]:
        """Of the agents that have one, today."""
        return budgets.today(budgets.limited())

    def name_of(self, agent: str) -> str:
        """An agent's name; it may be gone, or none was asked for."""
        return self.agents.get(agent, f"agent {agent}") if agent else "no agent"

    @property
    def came_words(self) -> str:
        """What came of the listed calls."""
        return CAME[self.asking.came]

    def calls(self, after: str) -> tuple[list[Listed], str]:
        """One page of calls, newest first, and what to ask after for the next one ("" at the end)."""
        rows = _came(self.asking.calls.calls(), self.asking.came)
        if (cursor := _cursor(after)) is not None:
            at, pk = cursor
            rows = rows.filter(Q(at__lt=at) | Q(pk__lt=pk), at__lte=at)
        # A prompt may be long, and a list shows none.
        found = list(rows.defer("messages", "answer")[: PAGE + 1])
        listed = [
            Listed(
                call, self.name_of(call.agent), int(call.goal) if call.goal.isascii() and call.goal.isdigit() else None
            )
            for call in found[:PAGE]
        ]
        return listed, f"{found[PAGE - 1].at.isoformat()}~{found[PAGE - 1].pk}" if len(found) > PAGE else ""

    @property
    def ranges(self) -> list[tuple[str, str, bool]]:
        """Days to choose from in words, the address, and whether they are these."""
        today = timezone.now().astimezone(UTC).date()
        found = []
        for days in (7, 30, 90, 365):
            first = today - timedelta(days=days - 1)
            chosen = (self.asking.first, self.asking.last) == (first, today)
            found.append((f"{days} days", self.asking.query(first=first, last=today), chosen))
        return found

    @property
    def to_calls(self) -> dict[str, str]:
        """The ends of the addresses of calls, by what came of them."""
        return {came or "any": self.asking.query(came=came) for came in CAME}

    @cached_property
    def sums(self) -> Sums:
        """Of these days."""
        return insights.sums(self.asking.calls)

    @cached_property
    def rows(self) -> list[Row]:
        """Each agent with each model, most expensive first."""
        found = [
            Row(
                agent,
                self.name_of(agent),
                model,
                figures,
                self.asking.query(agent=agent or "-", model=model),
            )
            for (agent, model), figures in self.sums.by_agent_and_model.items()
        ]
        return sorted(found, key=lambda row: (-row.figures.cost, -row.figures.tokens, row.agent_name, row.model))

    @cached_property
    def total(self) -> Figures:
        """All of it."""
        return insights.total(row.figures for row in self.rows)

    @cached_property
    def models(self) -> list[str]:
        """Those that may be chosen."""
        return sorted({row.model for row in self.rows} | ({self.asking.model} - {""}))

    @cached_property
    def times(self) -> tuple[float, float, int] | None:
        """Median and 95th percentile of what the newest answers took in seconds, and of how many."""
        found = insights.latest_times_s(self.asking.calls)
        if not found:
            return None
        return statistics.median(found), found[math.ceil(0.95 * len(found)) - 1], len(found)

    @cached_property
    def bins(self) -> list[Bin]:
        """The days, some of them together where each would be too thin a bar."""
        days = self.sums.by_day
        count = (self.asking.last - self.asking.first).days + 1
        width = math.ceil(count / MOST_BARS)
        found = []
        for start in range(0, count, width):
            first = self.asking.first + timedelta(days=start)
            last = min(first + timedelta(days=width - 1), self.asking.last)
            inside = (first + timedelta(days=n) for n in range((last - first).days + 1))
            figures = insights.total(days[day] for day in inside if day in days)
            found.append(Bin(first, last, figures, self.asking.query(first=first, last=last)))
        return found

    @property
    def busy_bins(self) -> list[Bin]:
        """Those in which something was asked, newest first."""
        return [one for one in reversed(self.bins) if one.figures.calls]

    @property
    def per(self) -> str:
        """What one bar stands for."""
        days = (self.bins[0].last - self.bins[0].first).days + 1
        return "day" if days == 1 else f"{days} days"

    @cached_property
    def charts(self) -> list[Chart]:
        """Tokens, cost, calls, time and attempts."""
        count, money, second = amounts.short, amounts.dollars, amounts.seconds
        return [
            self._chart(
                "Tokens",
                "read and written",
                (("accent", "read", lambda one: one.tokens_in), ("mind", "written", lambda one: one.tokens_out)),
                count,
                least=4,
            ),
            self._chart("Cost", "US dollars", (("mind", "dollars", lambda one: float(one.cost)),), money, least=0.01),
            self._chart(
                "Calls",
                "and what came of them",
                (
                    ("mind", "answered", lambda one: one.answered),
                    ("good", "from the cache", lambda one: one.cached),
                    ("bad", "failed", lambda one: one.failed),
                ),
                count,
                least=4,
            ),
            self._chart(
                "Time of an answer",
                "mean, waits included",
                (("mind", "seconds", lambda one: one.mean_s or 0.0),),
                second,
                least=1,
            ),
            self._chart(
                "Attempts for a valid plan",
                "1 is best: no repair",
                (("mind", "attempts", lambda one: one.attempts_per_plan or 0.0),),
                amounts.tenths,
                least=2,
            ),
            self._chart(
                "Cache hits",
                "per cent of answers, for nothing",
                (("good", "per cent", lambda one: one.cached_percent or 0.0),),
                amounts.percent,
                least=100,
            ),
        ]

    def _chart(
        self,
        title: str,
        said: str,
        parts: tuple[tuple[str, str, Callable[[Figures], float]], ...],
        say: Callable[[float], str],
        least: float,
    ) -> Chart:
        stacks = [[(look, float(value(one.figures))) for look, _, value in parts] for one in self.bins]
        most = max(range(len(stacks)), key=lambda n: sum(value for _, value in stacks[n]))
        height = sum(value for _, value in stacks[most])
        day = self.bins[most].first
        sentence = f"{title}, {said}, for each {self.per}: " + (
            f"most in the bar of {day.day} {day:%B}, {say(height)}." if height else "nothing."
        )
        legend = tuple((look, word) for look, word, _ in parts) if len(parts) > 1 else ()
        return Chart(title, f"{said}, per {self.per}", legend, bars(stacks, say, least), sentence)


def _came(rows: QuerySet[ModelCall], came: str) -> QuerySet[ModelCall]:
    if came in ModelCall.State.values:
        return rows.filter(state=came)
    if came == "unpriced":
        return rows.filter(state=ModelCall.State.ANSWERED, cost__isnull=True)
    attempts = Generation.objects.filter(call=OuterRef("pk"))
    if came == "attempt":
        return rows.filter(Exists(attempts))
    if came == "plan":
        return rows.filter(Exists(attempts.filter(problems=[], cannot="")))
    return rows


def _cursor(text: str) -> tuple[datetime, int] | None:
    at, _, last = text.partition("~")
    pk = _number(last)
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        return None
    return (found, pk) if pk is not None and found.tzinfo is not None else None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _day(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    # Days far away would leave the calendar when others are counted from them.
    return found if 2000 <= found.year < 2200 else None


def _text(query: Mapping[str, str], name: str) -> str:
    return query.get(name, "").strip()[:_TEXT_MAX].replace("\0", "")
