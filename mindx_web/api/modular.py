"""`modular-runs` and `states`: start a modular agent, open any of its states, change it and go on as a branch."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.http import HttpResponse
from ninja import Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.actors import lifecycle
from agents.bdi.modular import document
from agents.bdi.modular.combinations import CombinationRefused
from agents.bdi.modular.document import StateRefused
from agents.bdi.modular.state import Chosen, FunctionCall, Limits
from agents.models import ModularRun, ModularStep
from agents.modular import branching, runs, states
from agents.modular.branching import Edit
from agents.modular.runs import Setup
from agents.record import selectors
from mindx_web.api.auth import ApiRequest, BearerToken
from mindx_web.api.paging import After, Limit, after_id, found_id, next_after
from mindx_web.api.problems import invalid, not_found
from mindx_web.api.shapes import Strict
from people.models import User
from people.scopes import Scope

runs_router = Router(tags=["modular agents"])
states_router = Router(tags=["modular agents"])
_MAY_READ = BearerToken(Scope.GOALS_READ)
_MAY_WRITE = BearerToken(Scope.GOALS_WRITE)


class ModuleIn(Strict):
    """A module by its name, with what differs from its default settings."""

    name: str = Field(max_length=120)
    settings: dict[str, Any] = {}


class LimitsIn(Strict):
    """How much a run may use; cost in US dollars."""

    tokens: int = Field(200_000, ge=1)
    time_s: float = Field(3_600, gt=0)
    cost: Decimal = Field(Decimal(5), ge=0)
    submissions: int = Field(1, ge=1, le=100)
    steps: int = Field(400, ge=1, le=10_000)


class RunIn(Strict):
    """A task with the five modules, or the document of a state to go on from."""

    task: str = ""
    modules: dict[str, ModuleIn] = Field({}, description="prompter, generator, discriminator, actor, toolkit")
    limits: LimitsIn = LimitsIn()
    state: dict[str, Any] | None = Field(None, description="instead of a task: a state, ours or the reference's")
    workspace: str | None = Field(None, description="name of a workspace of yours; without one it gets a new one")
    agent: str | None = Field(None, max_length=64, description="the agent whose budget and firmware it has")
    paused: bool = False


class RunOut(Schema):
    """A run. `newest_state` is the id of its newest state, `waits_for` what its next step wants."""

    id: str
    task: str
    state: str
    reason: str
    step: int
    newest_state: str
    branched_from: str | None
    edit: str
    workspace: str
    waits_for: list[dict[str, Any]]


class RunPage(Schema):
    """Runs, newest first."""

    items: list[RunOut]
    next: str | None


class StateOut(Schema):
    """A state of a run: its document, and which files there were."""

    id: str
    run: str
    step: int
    module_type: str
    module: str
    snapshot: str
    document: dict[str, Any]


class NodeMessage(Strict):
    """The new words of a node."""

    node: int
    content: str = Field(max_length=100_000)


class NodeOption(Strict):
    """Another option of a node; options count from 0."""

    node: int
    option: int


class StatePatch(Strict):
    """What becomes different in the branch."""

    message: NodeMessage | None = None
    option: NodeOption | None = None
    settings: dict[str, ModuleIn] = {}
    next_step: dict[str, Any] | None = None
    paused: bool = False


class CallIn(Strict):
    """A function to call."""

    name: str = Field(max_length=200)
    arguments: dict[str, Any] = {}


class AnswerIn(Strict):
    """What a person writes, or which option they choose, with a rating from 0 to 1 for each."""

    content: str = Field("", max_length=100_000)
    function_call: CallIn | None = None
    chosen: int | None = None
    scores: list[float | None] = Field([], max_length=100)


@runs_router.get("", response=RunPage, auth=_MAY_READ, operation_id="list_modular_runs")
def page(request: ApiRequest, after: After = "", limit: Limit = 50) -> RunPage:
    """Your runs of modular agents (a reviewer's, operator's and admin's: everybody's), newest first."""
    found = runs.visible_to(request.auth.user)
    if (before := after_id(after)) is not None:
        found = found.filter(pk__lt=before)
    rows = list(found[: limit + 1])
    following = rows[limit - 1].pk if len(rows) > limit else None
    return RunPage(items=[_run_out(run) for run in rows[:limit]], next=next_after(following))


@runs_router.post("", response={201: RunOut}, auth=_MAY_WRITE, operation_id="start_modular_run")
def start(request: ApiRequest, response: HttpResponse, payload: RunIn) -> Status[RunOut]:
    """Start a run. A combination that does not fit is refused with the pair."""
    user = request.auth.user
    workspace = None
    if payload.workspace is not None:
        workspace = selectors.workspaces_writable_by(user).filter(name=payload.workspace).first()
        if workspace is None:
            raise invalid("workspace", "There is no workspace of yours with this name.")
    agent = lifecycle.usable(payload.agent, by=user) if payload.agent is not None else runs.first_agent()
    try:
        if payload.state is not None:
            state = document.read(payload.state)
            run = runs.begin(state, by=user, workspace=workspace, agent=agent, pauses=payload.paused)
        else:
            setup = Setup(_chosen(payload.modules), Limits(**payload.limits.model_dump()), pauses=payload.paused)
            run = runs.start(payload.task, setup, by=user, workspace=workspace, agent=agent)
    except CombinationRefused as refused:
        raise invalid("modules", str(refused)) from refused
    except StateRefused as refused:
        raise invalid("state", str(refused)) from refused
    response.headers["Location"] = f"/api/v1/modular-runs/{run.pk}"
    return Status(201, _run_out(run))


def _chosen(given: dict[str, ModuleIn]) -> dict[str, Chosen]:
    return {kind: Chosen(one.name, one.settings) for kind, one in given.items()}


@runs_router.get("/{run_id}", response=RunOut, auth=_MAY_READ, operation_id="read_modular_run")
def read(request: ApiRequest, run_id: str) -> RunOut:
    """One run."""
    return _run_out(_run(request.auth.user, run_id))


@runs_router.post("/{run_id}/pause", response=RunOut, auth=_MAY_WRITE, operation_id="pause_modular_run")
def pause(request: ApiRequest, run_id: str) -> RunOut:
    """Stop before the next step."""
    user = request.auth.user
    return _run_out(runs.pause(_run(user, run_id), by=user))


@runs_router.post("/{run_id}/answer", response=RunOut, auth=_MAY_WRITE, operation_id="answer_modular_run")
def answer(request: ApiRequest, run_id: str, payload: AnswerIn) -> RunOut:
    """Write what the agent says next, or choose an option, where the run waits for a person."""
    user = request.auth.user
    run = _run(user, run_id)
    said = payload.function_call
    call = FunctionCall(said.name, said.arguments) if said is not None else None
    if any(want["args"].get("ask") == "choose" for want in run.waits_for):
        scores = payload.scores
        return _run_out(runs.choose(run, payload.chosen, by=user, scores=scores, written=payload.content, call=call))
    return _run_out(runs.write(run, payload.content, call, by=user))


@states_router.get("/{state_id}", response=StateOut, auth=_MAY_READ, operation_id="read_state")
def read_state(request: ApiRequest, state_id: str) -> StateOut:
    """A state with its whole document, as it can be started from again."""
    step = _step(request.auth.user, state_id)
    return StateOut(
        id=str(step.pk),
        run=str(step.run_id),
        step=step.number,
        module_type=step.module_type,
        module=step.module,
        snapshot=step.snapshot,
        document=document.write(states.after(step)),
    )


@states_router.patch("/{state_id}", response={201: RunOut}, auth=_MAY_WRITE, operation_id="edit_state")
def edit_state(request: ApiRequest, state_id: str, payload: StatePatch) -> Status[RunOut]:
    """Change a state and go on as a branch, on a copy of the files of then. The old run stays as it is."""
    user = request.auth.user
    edit = Edit(
        message=(payload.message.node, payload.message.content) if payload.message else None,
        option=(payload.option.node, payload.option.option) if payload.option else None,
        next_step=payload.next_step,
        settings={kind: one.model_dump() for kind, one in payload.settings.items()},
    )
    return Status(201, _run_out(branching.branch(_step(user, state_id), edit, by=user, pauses=payload.paused)))


@states_router.post("/{state_id}/step", response=RunOut, auth=_MAY_WRITE, operation_id="step_state")
def step_state(request: ApiRequest, state_id: str) -> RunOut:
    """Go one step from a state: its run, where that is paused in it, else a branch that is paused again after it."""
    user = request.auth.user
    step = _step(user, state_id)
    run = step.run
    if step.number != run.head:
        run = branching.branch(step, Edit(), by=user, pauses=True)
    return _run_out(runs.go_on(run, by=user, steps=1))


def _run(user: User, run_id: str) -> ModularRun:
    missing = not_found("modular run")
    run = runs.visible_to(user).filter(pk=found_id(run_id, missing)).first()
    if run is None:
        raise missing
    return run


def _step(user: User, state_id: str) -> ModularStep:
    missing = not_found("state")
    found = ModularStep.objects.select_related("run__base__run", "run__workspace", "run__agent")
    step = found.filter(pk=found_id(state_id, missing), run__in=runs.visible_to(user)).first()
    if step is None:
        raise missing
    return step


def _run_out(run: ModularRun) -> RunOut:
    newest = ModularStep.objects.values_list("pk", flat=True).get(run=run, number=run.head)
    return RunOut(
        id=str(run.pk),
        task=run.task,
        state=run.state,
        reason=run.reason,
        step=run.head,
        newest_state=str(newest),
        branched_from=str(run.base_id) if run.base_id is not None else None,
        edit=run.edit,
        workspace=run.workspace.name,
        waits_for=run.waits_for,
    )
