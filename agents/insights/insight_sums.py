"""Reading the insights of the mind: sums of days for charts, and the cases behind each number.

What is counted is defined in docs/insights.md. Days that are over and the hours of today come from their sums, newer
plannings and corrections from the cases themselves, and the sums of recoveries follow each change of a failure: so a
number is always as many as its list is long.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db import connection
from django.db.models import BigIntegerField, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Concat

from agents.bdi.learning.corrections import JUDGED, Came
from agents.bdi.planning.latency import STAGES, TOTAL, quantile, unpacked
from agents.bdi.recovery.strategies import Strategy
from agents.insights.insight_cases import EDGE, sums_of
from agents.models import Correction, DaySoFar, FailureRecord, Goal, MindDay, Planning, RecoveryDay

# What a planning came to: a valid plan in the first attempt, after repairs, or none.
FIRST, REPAIRED, NONE = "first", "repaired", "none"
PLANNED = (FIRST, REPAIRED, NONE)
HELPED, NOT_HELPED, OPEN = "helped", "not_helped", "open"
RECOVERED = (HELPED, NOT_HELPED, OPEN)
# A goal that could not be planned and waits, or waited, for a person's plan: nothing of mindX recovers there.
BY_PERSON = "by_person"


@dataclass(frozen=True)
class Asked:
    """Which cases: from the first day to the last (UTC), of one agent or one tool, or of all (0, "")."""

    first: date
    last: date
    agent: int = 0
    tool: str = ""

    @property
    def times(self) -> tuple[datetime, datetime]:
        """The first moment, and the first after the last."""
        return _midnight(self.first), _midnight(self.last + timedelta(days=1))

    def plannings(self, *, source: str = "", came: str = "", stage: str = "") -> QuerySet[Planning]:
        """Plannings, newest first: of one source, that came to this, or went through a stage to a valid plan."""
        found = Planning.objects.filter(self._when, self._agent)
        if source:
            found = found.filter(source=source)
        if came in PLANNED:
            found = found.filter(_CAME[came])
        if came == "valid":
            found = found.filter(is_valid=True)
        if stage:
            found = found.filter(is_valid=True, **{f"{stage}_ms__isnull": False})
        return found.order_by("-at", "-pk")

    def corrections(self, *, origin: str = "", came: str = "") -> QuerySet[Correction]:
        """Corrections, newest first: of one origin, that came to this ("judged": to anything but `unused`)."""
        found = Correction.objects.filter(self._when, self._agent)
        if self.tool:
            found = found.filter(tool=self.tool)
        if origin:
            found = found.filter(origin=origin)
        if came:
            found = found.filter(came__in=JUDGED if came == "judged" else [came])
        return found.order_by("-at", "-pk")

    def failures(self, *, failure_class: str = "", strategy: str = "", came: str = "") -> QuerySet[FailureRecord]:
        """Failures of steps and plannings, newest first; those taken over by the same way again are one case.

        Results of recoveries count recoveries only. Goals that a person had to plan are `BY_PERSON`.
        """
        found = FailureRecord.objects.filter(self._when).exclude(SAME_WAY_AGAIN)
        if self.agent:
            found = found.annotate(of_agent=_OF_AGENT).filter(of_agent=self.agent)
        if self.tool:
            found = found.filter(tool=self.tool)
        if failure_class:
            found = found.filter(failure_class=failure_class)
        if strategy:
            name, _, variant = strategy.partition(":")
            found = found.filter(strategy=name, variant=variant)
        if came == BY_PERSON:
            found = found.filter(_LEFT_TO_A_PERSON)
        elif came in RECOVERED:
            found = found.filter(_RECOVERY[came]).exclude(_LEFT_TO_A_PERSON)
        elif came == "ended":
            found = found.filter(settled_at__isnull=False).exclude(_LEFT_TO_A_PERSON)
        return found.order_by("-at", "-pk")

    @property
    def _when(self) -> Q:
        since, until = self.times
        return Q(at__gte=since, at__lt=until)

    @property
    def _agent(self) -> Q:
        return Q(agent_id=self.agent) if self.agent else Q()


# A strategy that was chosen again at once for the same step: the later choice is the case.
SAME_WAY_AGAIN = Q(variant="", overtaken_by=F("strategy")) | Q(
    ~Q(variant=""), overtaken_by=Concat("strategy", Value(":"), "variant")
)
# A failure without a tool is one of planning.
_LEFT_TO_A_PERSON = Q(tool="", strategy=Strategy.MANUAL_FALLBACK.value)
# Of older failures only the goal says it.
_OF_AGENT = Coalesce(
    "agent_id",
    Subquery(Goal.objects.filter(pk=OuterRef("goal_id")).values("agent_id")),
    output_field=BigIntegerField(),
)
_CAME = {
    FIRST: Q(is_valid=True, attempts=1),
    REPAIRED: Q(is_valid=True, attempts__gt=1),
    NONE: Q(is_valid=False),
}
_RECOVERY = {
    HELPED: Q(settled_at__isnull=False, succeeded=True, overtaken_by=""),
    NOT_HELPED: Q(settled_at__isnull=False) & (Q(succeeded=False) | ~Q(overtaken_by="")),
    OPEN: Q(settled_at__isnull=True),
}


@dataclass
class Times:
    """How long something took: cases, milliseconds in all, and how many cases each bucket has."""

    cases: int = 0
    amount_ms: int = 0
    buckets: Counter[int] = field(default_factory=Counter)

    def add(self, cases: int, amount_ms: int, buckets: Iterable[tuple[int, int]]) -> None:
        """Count further cases."""
        self.cases += cases
        self.amount_ms += amount_ms
        for bucket, count in buckets:
            self.buckets[bucket] += count

    @property
    def mean_ms(self) -> float | None:
        """On average; None without cases."""
        return self.amount_ms / self.cases if self.cases else None

    @property
    def p50_ms(self) -> float | None:
        """Half of the cases took no longer, to within five per cent."""
        return quantile(self.buckets, 0.5)

    @property
    def p95_ms(self) -> float | None:
        """95 of a hundred took no longer, to within five per cent."""
        return quantile(self.buckets, 0.95)


@dataclass
class Figures:
    """What is counted of some cases, by what they came to."""

    corrected: Counter[str] = field(default_factory=Counter)
    planned: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    recovered: Counter[str] = field(default_factory=Counter)
    left_to_a_person: Counter[str] = field(default_factory=Counter)
    took: dict[str, Times] = field(default_factory=dict)

    def count(self, measure: str, came: str, cases: int, attempts: int) -> None:
        """Count cases that came to this; `attempts` are those of plannings."""
        counted = {
            "planning": self.planned,
            "correction": self.corrected,
            "recovery": self.recovered,
            BY_PERSON: self.left_to_a_person,
        }[measure]
        counted[came] += cases
        if came != NONE:
            self.attempts += attempts

    @property
    def corrections(self) -> int:
        """Corrections that were judged: those that no step used are none of them."""
        return sum(self.corrected[came] for came in JUDGED)

    @property
    def corrections_succeeded(self) -> int:
        """Corrections that were approved unchanged and worked."""
        return self.corrected[Came.SUCCEEDED]

    @property
    def plannings(self) -> int:
        """All of them."""
        return sum(self.planned.values())

    @property
    def plans(self) -> int:
        """Plannings that came to a valid plan."""
        return self.planned[FIRST] + self.planned[REPAIRED]

    @property
    def attempts_per_plan(self) -> float | None:
        """Attempts for each valid plan. A planning that came to none says nothing of how a plan is made."""
        return self.attempts / self.plans if self.plans else None

    @property
    def recoveries(self) -> int:
        """Recoveries whose step has ended."""
        return self.recovered[HELPED] + self.recovered[NOT_HELPED]

    @property
    def total(self) -> Times:
        """From input to a validated plan."""
        return self.took.get(TOTAL) or Times()

    @property
    def any(self) -> bool:
        """Whether there is anything at all."""
        counted = (self.corrected, self.recovered, self.left_to_a_person)
        return bool(self.plannings or any(each.total() for each in counted))


@dataclass
class Sums:
    """Everything that the insights show of a time.

    `days` holds only those on which there was something; of days that are counted together, under the first.
    """

    total: Figures = field(default_factory=Figures)
    days: defaultdict[date, Figures] = field(default_factory=lambda: defaultdict(Figures))
    agents: defaultdict[int, Figures] = field(default_factory=lambda: defaultdict(Figures))
    sources: defaultdict[str, Figures] = field(default_factory=lambda: defaultdict(Figures))
    origins: defaultdict[tuple[str, str], Figures] = field(default_factory=lambda: defaultdict(Figures))
    cells: defaultdict[tuple[str, str], Figures] = field(default_factory=lambda: defaultdict(Figures))

    def about(self, measure: str, what: str, which: str) -> Figures:
        """The figures of a source; of an origin with its tool; of a class of failures with its strategy."""
        if measure == "planning":
            return self.sources[what]
        return self.origins[what, which] if measure == "correction" else self.cells[what, which]


# Of the agent and the tool in question; what is of no tool is of every one. Added up here by day, by agent and by what
# it is about, in one pass, since the sums of a quarter are many times the rows that a page shows.
_ASKED = f"""
WITH over AS (SELECT {EDGE} AS at),
edge AS (SELECT greatest(at, (SELECT max(until) FROM {DaySoFar._meta.db_table})) AS at FROM over),
found AS (
    SELECT day, measure, agent_id, what, tool AS which, came, cases, amount, packed FROM (
        SELECT day, measure, agent_id, what, tool, came, cases, amount, packed
        FROM {MindDay._meta.db_table} WHERE day BETWEEN %(first)s AND %(last)s
      UNION ALL
        SELECT day, measure, agent_id, what, tool, came, cases, amount, packed
        FROM {DaySoFar._meta.db_table}
        WHERE day BETWEEN %(first)s AND %(last)s AND day::timestamp AT TIME ZONE 'UTC' >= (SELECT at FROM over)
      UNION ALL
        SELECT day, measure, agent_id, what, tool, came, cases, amount, agents_packed(buckets, counts)
        FROM ({sums_of("at >= (SELECT at FROM edge) AND at >= %(since)s AND at < %(until)s")}) AS newer
    ) AS planned WHERE %(tool)s = '' OR measure <> 'correction' OR tool = %(tool)s
  UNION ALL
    SELECT day, CASE WHEN tool = '' AND strategy = %(manual)s THEN %(by_person)s ELSE 'recovery' END,
           agent_id, failure_class, strategy, came, cases, 0, 0
    FROM {RecoveryDay._meta.db_table}
    WHERE day BETWEEN %(first)s AND %(last)s AND (%(tool)s = '' OR tool = %(tool)s)
), staged AS (
    SELECT %(first)s + (day - %(first)s) / %(together)s * %(together)s AS day, measure, agent_id, what, which, came,
           cases, amount, packed, CASE measure WHEN 'stage' THEN what ELSE '' END AS stage FROM found
    WHERE %(agent)s = 0 OR agent_id = %(agent)s
)
SELECT day, agent_id, measure, coalesce(what, stage), which, came, sum(cases)::bigint, sum(amount)::bigint,
       CASE WHEN grouping(what) = 0 OR %(in_stages)s OR stage = %(total)s THEN sum(packed)::text END
FROM staged
GROUP BY GROUPING SETS (
    (day, measure, stage, came), (agent_id, measure, stage, came), (measure, what, which, came)
)
"""  # noqa: S608  # names of our own tables


def sums(asked: Asked, *, together: int = 1, in_stages: bool = False) -> Sums:
    """Read everything once, in one query.

    `together`: so many days, counted from the first one, are one.
    `in_stages`: how the times of each stage spread is told of each day and agent too, not only of the whole.
    """
    found = Sums()
    since, until = asked.times
    values: dict[str, Any] = {
        "first": asked.first,
        "last": asked.last,
        "together": together,
        "since": since,
        "until": until,
        "agent": asked.agent,
        "tool": asked.tool,
        "total": TOTAL,
        "manual": Strategy.MANUAL_FALLBACK.value,
        "by_person": BY_PERSON,
        "in_stages": in_stages,
    }
    with connection.cursor() as cursor:
        cursor.execute(_ASKED, values)
        for day, agent, measure, what, which, came, cases, amount, packed in cursor.fetchall():
            told = found.days[day] if day else found.agents[agent] if agent else found.total
            about = None if day or agent or measure == BY_PERSON else (what, which)
            if measure == "stage":
                if what not in told.took:
                    told.took[what] = Times()
                told.took[what].add(cases, amount, unpacked(packed).items() if packed else ())
                continue
            for each in (told,) if about is None else (told, found.about(measure, *about)):
                each.count(measure, came, cases, amount)
    return found


def tools_of(found: Sums) -> list[str]:
    """The tools that corrections name, for a choice."""
    return sorted({tool for _, tool in found.origins})


def stages_of(figures: Figures) -> Mapping[str, Times]:
    """The stages that were reached, in their order, the whole of it last."""
    return {name: figures.took[name] for name in (*STAGES, TOTAL) if name in figures.took}


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
