"""`insights/mind`: the four metrics of the mind over time and broken down, as on the page."""

from __future__ import annotations

from datetime import date

from ninja import Query, Router, Schema

from agents.bdi.learning.corrections import Came
from agents.insights import insight_sums
from agents.insights.insight_sums import FIRST, HELPED, NONE, RECOVERED, REPAIRED, Figures, Times
from agents.presentation.rates import interval
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import row_id
from mindx_web.api.protocol.problems import Problem, invalid
from mindx_web.insights import asked_days
from people.roles import Role
from people.scopes import Scope

router = Router(tags=["insights"])

_MAY_READ = BearerToken(Scope.GOALS_READ)
_FROM = Query("", alias="from", description="first day, UTC, as 2026-01-31", max_length=20)
_TO = Query("", alias="to", description="last day, UTC", max_length=20)


class ShareOut(Schema):
    """`share` of `cases`, with Wilson's 95 % interval; null without cases."""

    cases: int
    share: float | None
    low: float | None
    high: float | None


class TimesOut(Schema):
    """Milliseconds. Percentiles are within five per cent; null without cases."""

    cases: int
    p50_ms: float | None
    p95_ms: float | None
    mean_ms: float | None


class FiguresOut(Schema):
    """The four metrics of some cases. `corrected`, `planned` and `recovered` count the cases by their result.

    `left_to_a_person` counts goals that only a person could plan; they are not recoveries. Plannings without a plan
    are not in `attempts_per_plan`.
    """

    correction_success: ShareOut
    corrected: dict[str, int]
    attempts_per_plan: float | None
    valid_at_once: ShareOut
    planned: dict[str, int]
    recovery_effectiveness: ShareOut
    recovered: dict[str, int]
    left_to_a_person: dict[str, int]
    latency: TimesOut
    stages: dict[str, TimesOut]


class DayOut(FiguresOut):
    """One day."""

    day: date


class OfOut(FiguresOut):
    """The metrics of one agent, source, origin with tool, or class with strategy; `of` names it."""

    of: dict[str, str]


class MindOut(Schema):
    """Days without any case are left out."""

    first: date
    last: date
    total: FiguresOut
    days: list[DayOut]
    agents: list[OfOut]
    sources: list[OfOut]
    corrections: list[OfOut]
    recoveries: list[OfOut]


@router.get("/mind", response=MindOut, auth=_MAY_READ, operation_id="read_mind_insights")
def mind(
    request: ApiRequest,
    first: str = _FROM,
    last: str = _TO,
    agent: str = Query("", max_length=20),
    tool: str = Query("", max_length=64),
) -> MindOut:
    """Corrections, plannings, recoveries and their times; without days the last thirty. For operators."""
    if not request.auth.user.has_role(Role.OPERATOR):
        raise Problem(403, "Planning insights need the operator role.", kind="forbidden")
    since, until, trouble = asked_days.read({"from": first, "to": last})
    if trouble:
        raise invalid("from", trouble)
    number = row_id(agent) if agent else 0
    if number is None:
        raise invalid("agent", "An agent is named by its id.")
    found = insight_sums.sums(insight_sums.Asked(since, until, number, tool.replace("\0", "")), in_stages=True)
    return MindOut(
        first=since,
        last=until,
        total=_out(found.total),
        days=[DayOut(day=day, **_out(figures).dict()) for day, figures in sorted(found.days.items())],
        agents=[_of({"agent": str(one)}, figures) for one, figures in sorted(found.agents.items())],
        sources=[_of({"source": one}, figures) for one, figures in sorted(found.sources.items())],
        corrections=[_of({"origin": a, "tool": b}, figures) for (a, b), figures in sorted(found.origins.items())],
        recoveries=[
            _of({"failure_class": a, "strategy": b}, figures) for (a, b), figures in sorted(found.cells.items())
        ],
    )


def _of(of: dict[str, str], figures: Figures) -> OfOut:
    return OfOut(of=of, **_out(figures).dict())


def _out(figures: Figures) -> FiguresOut:
    return FiguresOut(
        correction_success=_share(figures.corrections_succeeded, figures.corrections),
        corrected={came.value: figures.corrected[came] for came in Came},
        attempts_per_plan=figures.attempts_per_plan,
        valid_at_once=_share(figures.planned[FIRST], figures.plannings),
        planned={came: figures.planned[came] for came in (FIRST, REPAIRED, NONE)},
        recovery_effectiveness=_share(figures.recovered[HELPED], figures.recoveries),
        recovered={came: figures.recovered[came] for came in RECOVERED},
        left_to_a_person={came: figures.left_to_a_person[came] for came in RECOVERED},
        latency=_times(figures.total),
        stages={name: _times(times) for name, times in insight_sums.stages_of(figures).items()},
    )


def _share(worked: int, cases: int) -> ShareOut:
    low, high = interval(worked, cases) if cases else (None, None)
    return ShareOut(cases=cases, share=worked / cases if cases else None, low=low, high=high)


def _times(times: Times) -> TimesOut:
    return TimesOut(cases=times.cases, p50_ms=times.p50_ms, p95_ms=times.p95_ms, mean_ms=times.mean_ms)
