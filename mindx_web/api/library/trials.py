"""`trials`: two versions of a component compared on new or earlier cases, until it is known which works more often."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Field, Router, Schema, Status

from agents.evolution.ab_trials import version_trials
from agents.evolution.ab_trials.trial_plans import (
    USUAL_ALPHA,
    USUAL_DIFFER,
    USUAL_DIFFERENCE,
    USUAL_POWER,
    Asked,
)
from agents.evolution.ab_trials.version_trials import Wanted
from agents.models import VersionTrial
from library.models import ComponentVersion
from mindx_web.api.library.candidates import refusals
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, found_id, newest_first, row_id
from mindx_web.api.protocol.problems import Problem, invalid
from people.scopes import Scope

router = Router(tags=["evolution"])
_MAY_READ = BearerToken(Scope.LIBRARY_READ)
_MAY_WRITE = BearerToken(Scope.LIBRARY_WRITE)
_MISSING = Problem(404, "There is no such trial.", kind="not_found")


class TrialIn(Schema):
    """Two versions, `a` and `b`, by id, and what is asked.

    `mode`: live (new goals or requests) or replayed. `difference`: the smallest that matters, in points. `differ`: of
    a hundred cases so many are thought to come out differently; only the plan uses it. `alpha`: 1, 5 or 10 %, `power`:
    70, 80 or 90 %. `reason`: of an admin who lifts the gate for a live one. `plan_only`: say what it takes, and begin
    nothing.
    """

    a: str
    b: str
    mode: VersionTrial.Mode
    difference: int = Field(USUAL_DIFFERENCE, ge=0, le=100)
    differ: int = Field(USUAL_DIFFER, ge=0, le=100)
    alpha: int = Field(USUAL_ALPHA, ge=0, le=100)
    power: int = Field(USUAL_POWER, ge=0, le=100)
    why: str = Field("", max_length=500)
    reason: str = Field("", max_length=500)
    plan_only: bool = False


class PlanOut(Schema):
    """What a trial takes. `power`: 0 to 1, with `most_cases`, which are pairs of goals or answers of a live one.

    `available`: earlier cases, null of a live one. `a_week`: goals or answers in a week lately. `calls`, `tokens`: what
    asking models may take at most. `why_not`: why there can be none, else empty.
    """

    most_cases: int
    power: float
    expected_if_alike: float
    expected_if_larger: float
    available: int | None
    a_week: float
    calls: int
    tokens: int
    why_not: str


class LookOut(Schema):
    """What was known after so many cases: how many spoke for each, and by how many one must be ahead then."""

    cases: int
    for_a: int
    for_b: int
    needed: int


class TrialSummaryOut(Schema):
    """A trial. `state`: running or ended; `verdict`: empty, a_better, b_better, no_difference, undecided, stopped."""

    id: str
    href: str
    component: str
    a: str
    b: str
    mode: str
    state: str
    verdict: str
    reason: str
    started_at: datetime
    ended_at: datetime | None


class TrialOut(TrialSummaryOut):
    """A trial with its figures and its course. Its cases are counted and not named: goals are read where they are."""

    difference: int
    differ: int
    alpha: int
    most_cases: int
    power: float
    cases: int
    course: list[LookOut]


class TrialPage(Schema):
    """A page of trials, the newest first."""

    items: list[TrialSummaryOut]
    next: str | None


@router.get("", response=TrialPage, auth=_MAY_READ, operation_id="list_trials")
def trials(request: ApiRequest, after: After = "", limit: Limit = 50, component: str = "") -> TrialPage:
    """Trials, of one component if its id is given."""
    rows = version_trials.listed()
    if component:
        rows = rows.filter(component=row_id(component) or 0)
    found, following = newest_first(rows, after, limit)
    return TrialPage(items=[TrialSummaryOut(**_told(one)) for one in found], next=following)


@router.post("", response={201: TrialOut, 200: PlanOut}, auth=_MAY_WRITE, operation_id="begin_trial")
def begin(request: ApiRequest, payload: TrialIn) -> Status[TrialOut] | Status[PlanOut]:
    """Begin a trial, or with `plan_only` say what it takes. 409 says why there can be none. Operators may."""
    asked = Asked(payload.difference, payload.differ, payload.alpha, payload.power)
    a, b = _version("a", payload.a), _version("b", payload.b)
    wanted = Wanted(a, b, payload.mode.value, asked, payload.why, payload.reason)
    if payload.plan_only:
        return Status(200, _plan(wanted))
    with refusals():
        trial = version_trials.begin(wanted, by=request.auth.user)
    return Status(201, _out(_found(str(trial.pk))))


@router.get("/{trial_id}", response=TrialOut, auth=_MAY_READ, operation_id="get_trial")
def trial(request: ApiRequest, trial_id: str) -> TrialOut:
    """How far it has come, and its verdict."""
    return _out(_found(trial_id))


@router.post("/{trial_id}/stop", response=TrialOut, auth=_MAY_WRITE, operation_id="stop_trial")
def stop(request: ApiRequest, trial_id: str) -> TrialOut:
    """End it before its time; what was counted stays."""
    with refusals():
        version_trials.stop(_found(trial_id), by=request.auth.user)
    return _out(_found(trial_id))


def _found(trial_id: str) -> VersionTrial:
    found = version_trials.listed().filter(pk=found_id(trial_id, _MISSING)).first()
    if found is None:
        raise _MISSING
    return found


def _version(field: str, named: str) -> ComponentVersion:
    rows = ComponentVersion.objects.filter(component__kind__in=version_trials.kinds(), pk=row_id(named) or 0)
    found = rows.select_related("component", "parent__component").first()
    if found is None:
        raise invalid(field, "There is no version of that number that could be compared.")
    return found


def _plan(wanted: Wanted) -> PlanOut:
    offer = version_trials.offer(wanted)
    plan, cost = offer.plan, offer.cost
    return PlanOut(
        most_cases=plan.most,
        power=plan.power,
        expected_if_alike=plan.expected_if_alike,
        expected_if_larger=plan.expected_if_larger,
        available=offer.available,
        a_week=offer.a_week,
        calls=cost.calls if cost is not None else 0,
        tokens=cost.tokens if cost is not None else 0,
        why_not=offer.why_not,
    )


def _told(trial: VersionTrial) -> dict[str, Any]:
    return {
        "id": str(trial.pk),
        "href": f"/api/v1/trials/{trial.pk}",
        "component": str(trial.component_id),
        "a": str(trial.a_id),
        "b": str(trial.b_id),
        "mode": trial.mode,
        "state": trial.state,
        "verdict": trial.verdict,
        "reason": trial.reason,
        "started_at": trial.started_at,
        "ended_at": trial.ended_at,
    }


def _out(trial: VersionTrial) -> TrialOut:
    looks = version_trials.looks(trial)
    course = [
        LookOut(cases=one.count.cases, for_a=one.count.for_a, for_b=one.count.for_b, needed=one.needed) for one in looks
    ]
    return TrialOut(
        **_told(trial),
        difference=trial.difference,
        differ=trial.differ,
        alpha=trial.alpha,
        most_cases=trial.most_cases,
        power=trial.power_stated,
        cases=len(looks),
        course=course,
    )
