"""What models were asked, as the page shows it: figures, charts over time, and the calls behind each number."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet

from agents.actors import budgets
from agents.actors.budgets import Budget
from agents.models import Generation
from agents.record import selectors
from library.language import insights
from library.language.insights import Figures, Sums
from library.models import ModelCall
from mindx_web.insights import asked_days
from mindx_web.presentation import amounts, over_time
from mindx_web.presentation.over_time import Chart

PAGE = 50
# What may have come of a call: its states, and what an answer was worth as a plan.
CAME = {
    "": "any result",
    "answered": "an answer",
    "cached": "an answer from the cache",
    "failed": "no answer",
    "asked": "nothing yet",
    "attempt": "an attempt to plan",
    "plan": "a valid plan",
    "used": "tokens used, with or without an answer",
    "unpriced": "tokens used, price unknown",
}

# The ends of a call that may have used something.
_USING = (ModelCall.State.ANSWERED, ModelCall.State.FAILED)


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
        first, last, trouble = asked_days.read(query)
        came = query.get("came", "")
        agent, model = asked_days.text(query, "agent"), asked_days.text(query, "model")
        return cls(first, last, agent, model, came if came in CAME else "", trouble)

    @property
    def calls(self) -> insights.Asked:
        """The same for the library, which knows agents as opaque words."""
        agent = None if not self.agent else "" if self.agent == "-" else self.agent
        return insights.Asked(self.first, self.last, agent, self.model)

    def query(self, **changes: str | date) -> str:
        """The end of an address that asks for this, with some of it changed."""
        asked = replace(self, **changes)  # type: ignore[arg-type]  # the fields are named by the form
        named = {"from": asked.first, "to": asked.last, "agent": asked.agent, "model": asked.model, "came": asked.came}
        return urlencode({name: value for name, value in named.items() if value})


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
        """Their names."""
        return selectors.agent_names()

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
        if (cursor := asked_days.cursor(after)) is not None:
            at, pk = cursor
            rows = rows.filter(Q(at__lt=at) | Q(pk__lt=pk), at__lte=at)
        # A prompt may be long, and a list shows none.
        found = list(rows.defer("messages", "asked_with", "answer")[: PAGE + 1])
        listed = [
            Listed(
                call, self.name_of(call.agent), int(call.goal) if call.goal.isascii() and call.goal.isdigit() else None
            )
            for call in found[:PAGE]
        ]
        return listed, asked_days.after(found[PAGE - 1].at, found[PAGE - 1].pk) if len(found) > PAGE else ""

    @property
    def ranges(self) -> list[tuple[str, str, bool]]:
        """Days to choose from in words, the address, and whether they are these."""
        today = asked_days.today()
        found = []
        for days in asked_days.RANGES:
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
        found = []
        for first, last in asked_days.bins(self.asking.first, self.asking.last):
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
        return over_time.per(self.bins[0].first, self.bins[0].last)

    @cached_property
    def charts(self) -> list[Chart]:
        """Tokens, cost, calls, time and attempts."""
        count, money, second = amounts.short, amounts.dollars, amounts.seconds
        return [
            self._chart(
                "Tokens",
                "input and output",
                (("accent", "input", lambda one: one.tokens_in), ("mind", "output", lambda one: one.tokens_out)),
                count,
                least=4,
            ),
            self._chart("Cost", "US dollars", (("mind", "dollars", lambda one: float(one.cost)),), money, least=0.01),
            self._chart(
                "Calls",
                "by result",
                (
                    ("mind", "answered", lambda one: one.answered),
                    ("good", "from the cache", lambda one: one.cached),
                    ("bad", "failed", lambda one: one.failed),
                ),
                count,
                least=4,
            ),
            self._chart(
                "Response time",
                "mean, including waits",
                (("mind", "seconds", lambda one: one.mean_s or 0.0),),
                second,
                least=1,
            ),
            self._chart(
                "Attempts per valid plan",
                "1 is best: no repairs",
                (("mind", "attempts", lambda one: one.attempts_per_plan or 0.0),),
                amounts.tenths,
                least=2,
            ),
            self._chart(
                "Cache hits",
                "per cent of answers, free of charge",
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
        values = [[float(value(one.figures)) for _, _, value in parts] for one in self.bins]
        words = [(look, word) for look, word, _ in parts]
        days = [one.first for one in self.bins]
        return over_time.chart(title, said, words, values, days, per=self.per, say=say, least=least)


def _came(rows: QuerySet[ModelCall], came: str) -> QuerySet[ModelCall]:
    if came in ModelCall.State.values:
        return rows.filter(state=came)
    if came == "unpriced":
        return rows.filter(state__in=_USING, cost__isnull=True)
    if came == "used":
        return rows.filter(Q(tokens_in__gt=0) | Q(tokens_out__gt=0), state__in=_USING)
    attempts = Generation.objects.filter(call=OuterRef("pk"))
    if came == "attempt":
        return rows.filter(Exists(attempts))
    if came == "plan":
        return rows.filter(Exists(attempts.filter(problems=[], cannot="")))
    return rows
