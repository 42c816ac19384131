"""Reading what models were asked: sums of days for charts, and the calls behind each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet

from library.models import ModelCall, ModelDay

# The median of more calls than this would hardly be another one.
TIMES_LOOKED_AT = 1000


@dataclass(frozen=True)
class Asked:
    """Which calls: from the first day to the last (UTC), of one agent or model, or of all. `agent` None: of all."""

    first: date
    last: date
    agent: str | None = None
    model: str = ""

    @property
    def _whose(self) -> Q:
        which = Q() if self.agent is None else Q(agent=self.agent)
        return which & Q(model=self.model) if self.model else which

    def days(self) -> QuerySet[ModelDay]:
        """Their sums."""
        return ModelDay.objects.filter(self._whose, day__range=(self.first, self.last))

    def calls(self) -> QuerySet[ModelCall]:
        """Themselves, newest first."""
        after_last = _midnight(self.last + timedelta(days=1))
        found = ModelCall.objects.filter(self._whose, at__gte=_midnight(self.first), at__lt=after_last)
        return found.order_by("-at", "-pk")


@dataclass(frozen=True)
class Figures:
    """Sums. `latency_ms` is that of the answered calls; tokens and cost count what failed ones had used, too."""

    answered: int = 0
    cached: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal = Decimal(0)
    unpriced: int = 0
    latency_ms: int = 0
    attempts: int = 0
    plans: int = 0

    @property
    def calls(self) -> int:
        """All of them."""
        return self.answered + self.cached + self.failed

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.tokens_in + self.tokens_out

    @property
    def mean_s(self) -> float | None:
        """How long an answer took on average, its repeated requests and the waits between them included."""
        return self.latency_ms / self.answered / 1000 if self.answered else None

    @property
    def cached_percent(self) -> float | None:
        """How many answers of a hundred came from the cache."""
        got = self.answered + self.cached
        return 100 * self.cached / got if got else None

    @property
    def attempts_per_plan(self) -> float | None:
        """How many answers it took for each valid plan, those included that led to none."""
        return self.attempts / self.plans if self.plans else None


_IN_SQL = {"cost": "numeric"}
NAMES = tuple(field.name for field in fields(Figures))
_SUMMED = ", ".join(f"sum({name})::{_IN_SQL.get(name, 'bigint')}" for name in NAMES)
_SUMS = f"SELECT day, agent, model, {_SUMMED} FROM ({{rows}}) AS rows GROUP BY GROUPING SETS ((day), (agent, model))"  # noqa: S608  # names of our own tables


@dataclass(frozen=True)
class Sums:
    """What there is of a time: the sums of each day on which something was asked, and of each agent with each model."""

    by_day: dict[date, Figures]
    by_agent_and_model: dict[tuple[str, str], Figures]


def sums(asked: Asked) -> Sums:
    """Both, read once: a year of some agents and models has thousands of rows, which would else be added up twice."""
    rows, values = asked.days().order_by().query.sql_with_params()
    found = Sums({}, {})
    with connection.cursor() as cursor:
        cursor.execute(_SUMS.format(rows=rows), values)
        for day, agent, model, *figures in cursor.fetchall():
            if day is not None:
                found.by_day[day] = Figures(*figures)
            else:
                found.by_agent_and_model[agent, model] = Figures(*figures)
    return found


def total(figures: Iterable[Figures]) -> Figures:
    """All of them together, column by column: a year has 365 of them."""
    sums: list[Any] = [sum(column) for column in zip(*(vars(one).values() for one in figures), strict=True)]
    return Figures(*sums)


def latest_times_s(asked: Asked) -> list[float]:
    """How long each of the newest answers took, in seconds, shortest first."""
    rows = asked.calls().filter(state=ModelCall.State.ANSWERED)
    return sorted((took or 0) / 1000 for took in rows.values_list("latency_ms", flat=True)[:TIMES_LOOKED_AT])


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
