"""`states`: runs of modular agents. Each state can be read, edited into a branch, and continued."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from ninja import Field, Query, Router, Schema, Status

from agents.bdi.modular import document
from agents.bdi.modular.combinations import CombinationRefused
from agents.bdi.modular.document import StateRefused, StateUnreadable
from agents.bdi.modular.state import MODULE_TYPES, Chosen, Limits
from agents.models import ModularRun, ModularStep
from agents.modular import advice, branching, rights, runs, states, wanting
from agents.modular.branching import Edit
from agents.modular.runs import Start
from agents.record import selectors
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import found_id
from mindx_web.api.protocol.problems import Problem, invalid
from mindx_web.api.protocol.shapes import Strict
from people.scopes import Scope

router = Router(tags=["modular"])
_MISSING = Problem(404, "There is no such state.", kind="not_found")
_MAY_READ, _MAY_WRITE = BearerToken(Scope.GOALS_READ), BearerToken(Scope.GOALS_WRITE)
_REFUSED = (NotYours, NotPossibleNow, StateRefused, CombinationRefused, GoalRefused)


class ModuleIn(Strict):
    """A module by its name, with its settings; what is left out has its default."""

    name: str = Field(max_length=64)
    settings: dict[str, Any] = {}


class LimitsIn(Strict):
    """How much the run may use."""

    tokens: int = Field(200_000, ge=1_000, le=100_000_000)
    time_s: float = Field(3_600.0, ge=1, le=604_800)
    cost: Decimal = Field(Decimal(5), ge=0, le=10_000)
    submissions: int = Field(1, ge=1, le=100)
    steps: int = Field(400, ge=1, le=20_000)


class OtherLimitsIn(Strict):
    """Limits that the run gets instead of those it has; what is left out stays."""

    tokens: int | None = Field(None, ge=1_000, le=100_000_000)
    time_s: float | None = Field(None, ge=1, le=604_800)
    cost: Decimal | None = Field(None, ge=0, le=10_000)
    submissions: int | None = Field(None, ge=1, le=100)
    steps: int | None = Field(None, ge=1, le=20_000)


class StartIn(Strict):
    """A task with the modules that work on it. With a `document`, an exported state, it continues there, paused."""

    task: str = Field("", max_length=10_000)
    modules: dict[str, ModuleIn] = {}
    limits: LimitsIn = Field(default_factory=lambda: LimitsIn.model_validate({}))
    workspace: str | None = Field(None, description="name of a workspace of yours; without one it gets a new one")
    paused: bool = False
    document: dict[str, Any] | None = None


class EditIn(Strict):
    """What to change at a node (by default the current one); the run continues from there as a branch.

    `option` counts from 1. `next_step` is the module that comes next, with its args if given. Limits alone make no
    branch: the run continues where it is, also if a limit had ended it.
    """

    node: int | None = None
    content: str | None = Field(None, max_length=100_000)
    arguments: dict[str, Any] | None = None
    option: int | None = Field(None, ge=1)
    modules: dict[str, ModuleIn] | None = None
    next_step: str | None = Field(None, max_length=32)
    next_args: dict[str, Any] | None = None
    limits: OtherLimitsIn | None = None
    paused: bool = True


class AnswerIn(Strict):
    """A person's answer: `chosen` counts from 1, `scores` are from 0 to 1 in the order of the options."""

    chosen: int | None = Field(None, ge=1)
    scores: list[float | None] = []
    content: str = Field("", max_length=100_000)
    function_call: dict[str, Any] | None = None


class WantOut(Schema):
    """What the next step waits for: `goal` is the one whose plan is in review, `args` what a person is asked."""

    key: str
    kind: str
    goal: str | None
    args: dict[str, Any]


class StateOut(Schema):
    """A state of a run, after the step `number`. Only the newest one continues; edit an older one to make a branch."""

    id: str
    run: str
    number: int
    parent: int | None
    kind: str
    module_type: str
    module: str
    by: str | None
    created_at: datetime
    is_newest: bool
    run_state: str
    reason: str
    waits_for: list[WantOut]
    document: dict[str, Any]


class RunOut(Schema):
    """A run, with the id of its newest state."""

    id: str
    state: str
    reason: str
    outcome: str
    task: str
    modules: str
    workspace: str
    step: int
    newest: str
    created_at: datetime


class RunPage(Schema):
    """The newest first; `next` is what to ask `after`."""

    items: list[RunOut]
    next: str | None


@router.post("", response={201: StateOut}, auth=_MAY_WRITE, operation_id="start_modular_run")
def start(request: ApiRequest, payload: StartIn) -> Status[StateOut]:
    """Start a run, and return its first state."""
    user = request.auth.user
    workspace = None
    if payload.workspace is not None:
        workspace = selectors.workspaces_writable_by(user).filter(name=payload.workspace).first()
        if workspace is None:
            raise invalid("workspace", "No workspace of yours has this name.")
    try:
        if payload.document is not None:
            run = runs.take_in(json.dumps(payload.document), by=user, workspace=workspace)
        else:
            limits = Limits(**payload.limits.model_dump())
            wanted = Start(payload.task, _chosen(payload.modules), limits, workspace, paused=payload.paused)
            run = runs.start(wanted, by=user)
    except (StateRefused, CombinationRefused) as refused:
        raise invalid("document" if payload.document is not None else "modules", str(refused)) from refused
    except GoalRefused as refused:
        raise invalid(refused.field, str(refused)) from refused
    return Status(201, _told(states.latest(run), run))


@router.get("", response=RunPage, auth=_MAY_READ, operation_id="list_modular_runs")
def listing(request: ApiRequest, after: str | None = None, limit: int = 50) -> RunPage:
    """The runs that the caller may see."""
    rows = rights.visible_to(request.auth.user).order_by("-pk")
    if after is not None:
        rows = rows.filter(pk__lt=found_id(after, _MISSING))
    limit = max(1, min(limit, 200))
    found = list(rows[: limit + 1])
    newest = dict(
        ModularStep.objects.filter(run__in=found[:limit]).order_by("run", "number").values_list("run_id", "pk")
    )
    items = [
        RunOut(
            id=str(run.pk),
            state=run.state,
            reason=run.reason,
            outcome=run.outcome,
            task=run.task,
            modules=run.modules,
            workspace=run.workspace.name,
            step=run.at_step,
            newest=str(newest[run.pk]),
            created_at=run.created_at,
        )
        for run in found[:limit]
    ]
    return RunPage(items=items, next=str(found[limit - 1].pk) if len(found) > limit else None)


class DidOut(Schema):
    """How the runs of one combination on similar tasks ended; `low` to `high` is Wilson's 95 % interval of the share.

    Steps, tokens and US dollars are means. With fewer than three runs nothing is recommended.
    """

    modules: dict[str, str]
    runs: int
    achieved: int
    low: float
    high: float
    steps: float
    tokens: float
    cost: float
    recommended: bool


@router.get("/advice", response=list[DidOut], auth=_MAY_READ, operation_id="advise_modules")
def advise(request: ApiRequest, task: str = Query(..., min_length=1, max_length=10_000)) -> list[DidOut]:
    """Which combinations did best on tasks like this one, in runs that you may read."""
    told = advice.for_task(task, user=request.auth.user)
    return [
        DidOut(
            modules=dict(one.modules),
            runs=one.runs,
            achieved=one.achieved,
            low=one.low,
            high=one.high,
            steps=one.steps,
            tokens=one.tokens,
            cost=one.cost,
            recommended=one.is_enough,
        )
        for one in told
    ]


@router.get("/{state_id}", response=StateOut, auth=_MAY_READ, operation_id="get_state")
def state(request: ApiRequest, state_id: str) -> StateOut:
    """A state with its whole document."""
    step, run = _found(request, state_id)
    return _told(step, run)


@router.patch("/{state_id}", response=StateOut, auth=_MAY_WRITE, operation_id="edit_state")
def edit(request: ApiRequest, state_id: str, payload: EditIn) -> StateOut:
    """Change a state and continue from it as a branch. The state itself does not change; the new one is returned."""
    step, run = _found(request, state_id)
    try:
        if payload.model_fields_set == {"limits"} and payload.limits is not None:
            made = branching.set_limits(run, _limits(payload.limits, run), by=request.auth.user)
        else:
            made = branching.branch(run, _edit(payload, step, run), by=request.auth.user)
    except _REFUSED as refused:
        raise _refusal(refused) from refused
    run.refresh_from_db()
    return _told(made, run)


def _edit(payload: EditIn, step: ModularStep, run: ModularRun) -> Edit:
    node = payload.node if payload.node is not None else states.read(step).at
    if node is None:
        raise invalid("node", "Name the node that is changed.")
    return Edit(
        node,
        payload.content,
        payload.arguments,
        payload.option - 1 if payload.option is not None else None,
        _chosen(payload.modules) if payload.modules is not None else None,
        payload.next_step,
        payload.next_args,
        _limits(payload.limits, run) if payload.limits is not None else None,
        payload.paused,
    )


def _limits(wanted: OtherLimitsIn, run: ModularRun) -> Limits:
    return replace(states.tree_of(run).limits, **wanted.model_dump(exclude_none=True))


@router.post("/{state_id}/step", response={202: StateOut}, auth=_MAY_WRITE, operation_id="step_state")
def step(request: ApiRequest, state_id: str, until: int | None = None) -> Status[StateOut]:
    """Have a worker take one step from the newest state of a run, or continue `until` a step."""
    found, run = _found(request, state_id)
    if found.number != run.at_step:
        raise Problem(409, "The run has gone on from here. Edit this state to go on from it.", kind="not_possible")
    try:
        if until is None:
            runs.step(run, by=request.auth.user)
        else:
            runs.go_on(run, by=request.auth.user, until=until)
    except _REFUSED as refused:
        raise _refusal(refused) from refused
    run.refresh_from_db()
    return Status(202, _told(found, run))


@router.post("/{state_id}/answer", response={202: StateOut}, auth=_MAY_WRITE, operation_id="answer_state")
def answer(request: ApiRequest, state_id: str, payload: AnswerIn) -> Status[StateOut]:
    """Answer what the next step asks a person: a choice with ratings, or an answer in words."""
    found, run = _found(request, state_id)
    asked = wanting.asked_of_people(run) if found.number == run.at_step else []
    if not asked:
        raise Problem(409, "This state waits for nobody.", kind="not_possible")
    written = {"content": payload.content, "function_call": payload.function_call}
    told: dict[str, Any] = {"scores": payload.scores}
    if payload.chosen is not None:
        told["chosen"] = payload.chosen - 1
    elif payload.content or payload.function_call is not None:
        told |= {"written": written, **written}
    try:
        wanting.answer_as_person(asked[0], told, by=request.auth.user)
    except _REFUSED as refused:
        raise _refusal(refused) from refused
    run.refresh_from_db()
    return Status(202, _told(found, run))


def _chosen(modules: dict[str, ModuleIn]) -> dict[str, Chosen]:
    if unknown := sorted(set(modules) - set(MODULE_TYPES)):
        raise invalid("modules", f"There is no kind of module called “{unknown[0][:60]}”.")
    return {kind: Chosen(one.name, one.settings) for kind, one in modules.items()}


def _found(request: ApiRequest, state_id: str) -> tuple[ModularStep, ModularRun]:
    rows = ModularStep.objects.select_related("run", "by").filter(pk=found_id(state_id, _MISSING))
    step = rows.first()
    if step is None or not rights.visible_to(request.auth.user).filter(pk=step.run_id).exists():
        raise _MISSING
    return step, step.run


def _refusal(error: Exception) -> Problem:
    if isinstance(error, NotYours):
        return Problem(403, str(error), kind="forbidden")
    if isinstance(error, NotPossibleNow):
        return Problem(409, str(error), kind="not_possible")
    return invalid("state", str(error))


def _told(step: ModularStep, run: ModularRun) -> StateOut:
    is_newest = step.number == run.at_step
    wants = run.wants.filter(step=run.at_step + 1, answer__isnull=True) if is_newest else []
    return StateOut(
        id=str(step.pk),
        run=str(run.pk),
        number=step.number,
        parent=step.parent,
        kind=step.kind,
        module_type=step.module_type,
        module=step.module,
        by=step.by.username if step.by is not None else None,
        created_at=step.created_at,
        is_newest=is_newest,
        run_state=run.state,
        reason=run.reason,
        waits_for=[
            WantOut(key=one.key, kind=one.kind, goal=str(one.goal_id) if one.goal_id else None, args=one.args)
            for one in wants
        ],
        document=_document(step),
    )


def _document(step: ModularStep) -> dict[str, Any]:
    try:
        return document.write(states.read(step))
    except StateUnreadable as unreadable:
        said = f"State {step.number} cannot be read: {unreadable}"
        raise Problem(409, said, kind="not_possible") from unreadable
