"""Runs: started, listed, paused, continued and ended, each with the rights of the person who started it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import IntegrityError, transaction
from django.utils import timezone

from agents.actors.models_in_use import models_of
from agents.bdi.modular import combinations, document, loop
from agents.bdi.modular.combinations import CombinationRefused
from agents.bdi.modular.document import StateRefused
from agents.bdi.modular.state import GENERATOR, MODULE_TYPES, Chosen, Limits, State
from agents.goals import goals
from agents.models import DEFAULT_AGENT, Agent, ModularRun, Workspace
from agents.modular import states, wanting
from agents.modular.rights import check_may_change
from agents.modular.states import Written
from agents.record import leased, selectors, wake_ups
from agents.record.errors import GoalRefused, NotPossibleNow
from agents.states import ModularRunState, MoveRefused
from agents.workspaces import workspaces
from people import sealing
from people.models import User
from people.roles import Role

S = ModularRunState
_FALLBACK = "fallback"
_NAME_CHARS = 60


@dataclass(frozen=True)
class Start:
    """What a run is started with. `paused`: it waits for a person before its first step."""

    task: str
    settings: Mapping[str, Chosen]
    limits: Limits = field(default_factory=Limits)
    workspace: Workspace | None = None
    agent: Agent | None = None
    key: str = ""
    paused: bool = False


def start(wanted: Start, *, by: User) -> ModularRun:
    """A run of this combination on a task. The same key twice is the same run.

    Raises CombinationRefused with the pair that does not fit, GoalRefused naming the field.
    """
    _check_may_start(by)
    if wanted.key and (earlier := ModularRun.objects.filter(by=by, submission_key=wanted.key).first()):
        return earlier
    task = goals.checked_text(wanted.task)
    agent = _agent(wanted.agent)
    models = models_of(agent)
    chosen = combinations.checked(wanted.settings, has_model=bool(models))
    check_models(chosen, models)
    state = State(task=task, settings=chosen, limits=wanted.limits)
    return _begun(state, agent, wanted, by)


def take_in(text: str | bytes, *, by: User, workspace: Workspace | None = None) -> ModularRun:
    """A paused run that goes on from an exported state, ours or the reference's. Raises StateRefused, GoalRefused."""
    _check_may_start(by)
    state = document.loads(text)
    agent = _agent(None)
    try:
        state.settings = combinations.checked(state.settings, has_model=bool(models_of(agent)))
    except CombinationRefused as refused:
        raise StateRefused(*refused.problems) from refused
    check_models(state.settings, models_of(agent))
    return _begun(state, agent, Start(state.task, state.settings, state.limits, workspace, paused=True), by)


def _begun(state: State, agent: Agent, wanted: Start, by: User) -> ModularRun:
    if (
        wanted.workspace is not None
        and not selectors.workspaces_writable_by(by).filter(pk=wanted.workspace.pk).exists()
    ):
        raise GoalRefused("workspace", "No workspace of yours has this name.")
    now = timezone.now().isoformat()
    loop.begin(state, now)
    try:
        with transaction.atomic():
            files = wanted.workspace or workspaces.create_numbered(by=by, name="modular-run")
            run = ModularRun.objects.create(
                by=by,
                agent=agent,
                workspace=files,
                task=state.task,
                modules=modules_in_words(state.settings),
                state=(S.PAUSED if wanted.paused else S.READY).value,
                submission_key=wanted.key,
            )
            states.write(run, state, Written("start", now, by=by), files)
            sealing.seal(run)
            wake_ups.wake_background("modular", run.pk)
            return run
    except IntegrityError:
        # The race this answers: the same key twice at once. The unique constraint let one through.
        if wanted.key and (earlier := ModularRun.objects.filter(by=by, submission_key=wanted.key).first()):
            return earlier
        raise


def modules_in_words(settings: Mapping[str, Chosen]) -> str:
    """The names of the modules in the order of the loop: what statistics compare."""
    return " · ".join(settings[kind].name for kind in MODULE_TYPES)


def pause(run: ModularRun, *, by: User) -> None:
    """Take no further step; the one under way is finished. Raises NotYours, NotPossibleNow."""
    check_may_change(by, run)
    with _held(run) as row:
        if row.state == S.RUNNING:
            # Its worker sees this after the step.
            ModularRun.objects.filter(pk=row.pk).update(stop_at=0)
        else:
            _move(row, S.PAUSED, reason=f"paused by {by.username}")


def go_on(run: ModularRun, *, by: User, until: int | None = None) -> None:
    """Go on, until the step of this number where one is given. Raises NotYours, NotPossibleNow."""
    check_may_change(by, run)
    with _held(run) as row:
        if until is not None and until <= row.at_step:
            raise NotPossibleNow(f"The run is at step {row.at_step} already. Choose a later one.")
        if states.latest(row).head.get("outcome"):
            raise NotPossibleNow("This state has ended. Open an earlier one, change it, and go on from there.")
        if row.state == S.WAITING:
            ModularRun.objects.filter(pk=row.pk).update(stop_at=until)
            return
        _move(row, S.READY, stop_at=until)
        wake_ups.wake_background("modular", row.pk)


def step(run: ModularRun, *, by: User) -> None:
    """Take one step, then pause. Raises NotYours, NotPossibleNow."""
    go_on(run, by=by, until=run.at_step + 1)


def end(run: ModularRun, *, by: User) -> None:
    """End it, and cancel the calls that wait. What was done stays. Raises NotYours, NotPossibleNow."""
    check_may_change(by, run)
    with _held(run) as row:
        _move(row, S.ENDED, reason=f"ended by {by.username}")
    wanting.cancel(wanting.open_calls(run), by=by)


@contextmanager
def _held(run: ModularRun) -> Iterator[ModularRun]:
    """The run's row, locked: what is looked at stays so until it is changed."""
    with transaction.atomic():
        yield ModularRun.objects.select_for_update(no_key=True).get(pk=run.pk)


def _move(row: ModularRun, new: ModularRunState, *, reason: str = "", **also: object) -> None:
    try:
        leased.to(row, new, reason=reason, **also)
    except MoveRefused as refused:
        raise NotPossibleNow(f"The run is {row.state} and cannot be {new.value} now.") from refused


def _check_may_start(by: User) -> None:
    if not by.has_role(Role.SUBMITTER, Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER):
        raise GoalRefused("task", "You may not start runs. Ask an admin for the role submitter.")


def _agent(agent: Agent | None) -> Agent:
    found = agent or Agent.objects.get_or_create(name=DEFAULT_AGENT)[0]
    if found.retired_at is not None or found.paused:
        raise GoalRefused("agent", f"The agent {found.name} takes no work now.")
    return found


def check_models(chosen: Mapping[str, Chosen], models: tuple[str, ...]) -> None:
    """A run asks no model that the operator has not set up: to where a text is sent is theirs to say."""
    settings = chosen[GENERATOR].settings
    named = [str(settings.get("model", ""))] + [one.strip() for one in str(settings.get("models", "")).split(",")]
    for one in named:
        if one and one != _FALLBACK and one not in models:
            there = ", ".join(models) or "none"
            raise CombinationRefused((f"The model “{one[:80]}” is not set up for this agent; there are: {there}.",))
