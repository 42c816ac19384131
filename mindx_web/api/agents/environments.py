"""`environments`: the environments, runs of agents in them, and the decision at each action."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from ninja import Field, Router, Schema, Status

from agents.models import Agent, EnvironmentAction, EnvironmentRun
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.simulations import rights, runs, worlds
from agents.simulations.runs import Start
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import found_id
from mindx_web.api.protocol.problems import Problem, invalid
from mindx_web.api.protocol.shapes import Strict
from people.scopes import Scope

router = Router(tags=["environments"])
_MISSING = Problem(404, "There is no such run.", kind="not_found")
_MAY_READ, _MAY_WRITE = BearerToken(Scope.GOALS_READ), BearerToken(Scope.GOALS_WRITE)


class StartIn(Strict):
    """What a run starts with. `share` is the part of the rules that it uses, in percent."""

    environment: str = Field(max_length=60)
    task: str = Field(max_length=100)
    variation: int = Field(0, ge=0, le=1_000_000)
    fallback: str = Field("", max_length=16, description="empty, learned, language_model or person")
    share: int = Field(100, ge=0, le=100)
    step_limit: int = Field(100, ge=1, le=runs.MOST_STEPS)
    with_library: bool = Field(False, description="the library's active rules too")
    agent: str | None = Field(None, max_length=200, description="name of an agent; without one the default agent")
    paused: bool = False


class AnswerIn(Strict):
    """The action that a person chooses, and its number, so that nobody answers twice."""

    number: int = Field(ge=1, le=1_000_000)
    action: str = Field(min_length=1, max_length=200)


class ResumeIn(Strict):
    """`until`: the action after which the run pauses again."""

    until: int | None = Field(None, ge=1, le=1_000_000)


class TaskOut(Schema):
    """A task, and its variations by split."""

    name: str
    variations: dict[str, list[int]]


class EnvironmentOut(Schema):
    """An environment. `missing` says what has to be installed; empty when nothing is."""

    name: str
    title: str
    about: str
    is_simulation: bool
    missing: str
    tasks: list[TaskOut]


class RunOut(Schema):
    """A run. Scores are 0 to 1. `asks` is what a person has to choose: the action's number and the valid actions."""

    id: str
    environment: str
    task: str
    variation: int
    goal: str
    fallback: str
    share: int
    step_limit: int
    agent: str
    by: str
    state: str
    outcome: str
    reason: str
    step: int
    score_before: float
    score: float
    asks: dict[str, Any] | None
    rules: list[dict[str, Any]]
    created_at: datetime
    ended_at: datetime | None


class RunPage(Schema):
    """The newest first; `next` is what to ask `after`."""

    items: list[RunOut]
    next: str | None


class StepOut(Schema):
    """An action: who chose it and why, the basis of the decision, and what the environment then said."""

    number: int
    action: str
    by: str
    person: str | None
    policy: str
    rule: str
    line: int
    goals: list[str]
    why: list[dict[str, Any]]
    beliefs: list[list[Any]] = Field(description="sentence, percept or memory, age in steps")
    decisions: list[dict[str, Any]]
    percept: str
    accepted: bool
    is_over: bool
    score: float
    created_at: datetime


class StepPage(Schema):
    """In their order; `next` is what to ask `after`."""

    first_percept: str | None
    items: list[StepOut]
    next: int | None


@router.get("", response=list[EnvironmentOut], auth=_MAY_READ, operation_id="list_environments")
def listing(request: ApiRequest) -> list[EnvironmentOut]:
    """All environments, with their tasks."""
    return [
        EnvironmentOut(
            name=world.name,
            title=world.title,
            about=world.about,
            is_simulation=world.is_simulation is True,
            missing=world.missing(),
            tasks=[TaskOut(name=task, variations=_numbers(world, task)) for task in world.tasks()],
        )
        for world in worlds.every().values()
    ]


@router.post("runs", response={201: RunOut}, auth=_MAY_WRITE, operation_id="start_environment_run")
def start(request: ApiRequest, payload: StartIn) -> Status[RunOut]:
    """Start a run; a worker plays it. With an Idempotency-Key a repeated request is the same run."""
    told = payload.model_dump()
    agent = _agent(told.pop("agent"))
    key = request.headers.get("Idempotency-Key", "")
    try:
        run = runs.start(Start(**told, agent=agent, key=f"api:{key}" if key else ""), by=request.auth.user)
    except GoalRefused as refused:
        raise invalid(refused.field, str(refused)) from refused
    return Status(201, _told(run))


@router.get("runs", response=RunPage, auth=_MAY_READ, operation_id="list_environment_runs")
def list_runs(request: ApiRequest, after: str | None = None, limit: int = 50) -> RunPage:
    """The runs that the caller may see."""
    rows = rights.visible_to(request.auth.user).order_by("-pk")
    if after is not None:
        rows = rows.filter(pk__lt=found_id(after, _MISSING))
    limit = max(1, min(limit, 200))
    found = list(rows.defer("rules_text", "first_percept")[: limit + 1])
    following = str(found[limit - 1].pk) if len(found) > limit else None
    return RunPage(items=[_told(run) for run in found[:limit]], next=following)


@router.get("runs/{run_id}", response=RunOut, auth=_MAY_READ, operation_id="get_environment_run")
def one(request: ApiRequest, run_id: str) -> RunOut:
    """A run."""
    return _told(_found(request, run_id))


@router.get("runs/{run_id}/steps", response=StepPage, auth=_MAY_READ, operation_id="list_environment_steps")
def steps(request: ApiRequest, run_id: str, after: int = 0, limit: int = 50) -> StepPage:
    """What was done, action by action."""
    run = _found(request, run_id)
    limit = max(1, min(limit, 200))
    rows = EnvironmentAction.objects.select_related("person").filter(run=run.pk, number__gt=min(max(after, 0), 10**6))
    found = list(rows.order_by("number")[: limit + 1])
    following = found[limit - 1].number if len(found) > limit else None
    return StepPage(first_percept=run.first_percept, items=[_step(row) for row in found[:limit]], next=following)


@router.post("runs/{run_id}/pause", response={202: RunOut}, auth=_MAY_WRITE, operation_id="pause_environment_run")
def pause(request: ApiRequest, run_id: str) -> Status[RunOut]:
    """Pause the run."""
    return _done(request, run_id, lambda run: runs.pause(run, by=request.auth.user))


@router.post("runs/{run_id}/resume", response={202: RunOut}, auth=_MAY_WRITE, operation_id="resume_environment_run")
def resume(request: ApiRequest, run_id: str, payload: ResumeIn | None = None) -> Status[RunOut]:
    """Resume the run, or resume it until an action."""
    until = payload.until if payload is not None else None
    return _done(request, run_id, lambda run: runs.go_on(run, by=request.auth.user, until=until))


@router.post("runs/{run_id}/stop", response={202: RunOut}, auth=_MAY_WRITE, operation_id="stop_environment_run")
def stop(request: ApiRequest, run_id: str) -> Status[RunOut]:
    """End the run; what was done stays."""
    return _done(request, run_id, lambda run: runs.stop(run, by=request.auth.user))


@router.post("runs/{run_id}/answer", response={202: RunOut}, auth=_MAY_WRITE, operation_id="answer_environment_run")
def answer(request: ApiRequest, run_id: str, payload: AnswerIn) -> Status[RunOut]:
    """Choose the action that the run asks a person for."""
    said = payload.action.replace("\0", "")
    return _done(request, run_id, lambda run: runs.answer(run, said, number=payload.number, by=request.auth.user))


def _done(request: ApiRequest, run_id: str, do: Callable[[EnvironmentRun], None]) -> Status[RunOut]:
    run = _found(request, run_id)
    try:
        do(run)
    except NotYours as refused:
        raise Problem(403, str(refused), kind="forbidden") from refused
    except NotPossibleNow as refused:
        raise Problem(409, str(refused), kind="not_possible") from refused
    except GoalRefused as refused:
        raise invalid(refused.field, str(refused)) from refused
    return Status(202, _told(_found(request, run_id)))


def _agent(name: str | None) -> Agent | None:
    if name is None:
        return None
    agent = Agent.objects.filter(name=name).first()
    if agent is None:
        raise invalid("agent", f"There is no agent “{name[:60]}”.")
    return agent


def _found(request: ApiRequest, run_id: str) -> EnvironmentRun:
    run = rights.visible_to(request.auth.user).filter(pk=found_id(run_id, _MISSING)).first()
    if run is None:
        raise _MISSING
    return run


def _numbers(world: worlds.World, task: str) -> dict[str, list[int]]:
    return {split: list(numbers) for split, numbers in world.variations(task).items()}


def _told(run: EnvironmentRun) -> RunOut:
    asked = run.asked if run.state == "waiting" else None
    return RunOut(
        id=str(run.pk),
        environment=run.environment,
        task=run.task,
        variation=run.variation,
        goal=run.goal,
        fallback=run.fallback,
        share=run.share,
        step_limit=run.step_limit,
        agent=run.agent.name,
        by=run.by.username,
        state=run.state,
        outcome=run.outcome,
        reason=run.reason,
        step=run.at_step,
        score_before=run.score_before,
        score=run.score,
        asks={"number": asked["number"], "actions": asked["actions"]} if asked else None,
        rules=run.rules,
        created_at=run.created_at,
        ended_at=run.ended_at,
    )


def _step(row: EnvironmentAction) -> StepOut:
    return StepOut(
        number=row.number,
        action=row.action,
        by=row.by,
        person=row.person.username if row.person is not None else None,
        policy=row.policy,
        rule=row.rule,
        line=row.line,
        goals=row.goals,
        why=row.why,
        beliefs=row.beliefs,
        decisions=row.decisions,
        percept=row.percept,
        accepted=row.accepted,
        is_over=row.is_over,
        score=row.score,
        created_at=row.created_at,
    )
