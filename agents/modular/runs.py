"""Runs of modular agents, for people: started, paused, continued, and seen by those who may."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents.actors.models_in_use import models_of
from agents.bdi.modular import combinations, loop
from agents.bdi.modular.state import Autosubmit, Chosen, FunctionCall, Limits, State
from agents.models import DEFAULT_AGENT, Agent, ModularAnswer, ModularRun, Workspace
from agents.modular import states
from agents.modular.moves import move_modular
from agents.record import wake_ups
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.record.logs import storable
from agents.record.selectors import sees_everything
from agents.states import ModularState, MoveRefused
from agents.workspaces import workspaces
from people.models import User
from people.roles import Role

_MOST_TASK = 20_000


@dataclass(frozen=True)
class Setup:
    """What a run is made of. `pauses`: nothing runs before somebody asks for a step."""

    modules: Mapping[str, Chosen]
    limits: Limits = field(default_factory=Limits)
    autosubmit: Autosubmit = field(default_factory=Autosubmit)
    pauses: bool = False


def visible_to(user: User) -> QuerySet[ModularRun]:
    """The person's own runs; for reviewers, operators and admins all."""
    runs = ModularRun.objects.select_related("by", "workspace", "agent", "base")
    return runs if sees_everything(user) else runs.filter(by=user)


def may_change(user: User, run: ModularRun) -> bool:
    """Whether the person may step, pause, answer and branch it: its owner, operators and admins."""
    return user.is_active and (run.by_id == user.pk or user.has_role(Role.OPERATOR))


def check_may_change(user: User, run: ModularRun) -> None:
    """Raises NotYours."""
    if not may_change(user, run):
        raise NotYours("Only whoever started this run, and operators, may change it.")


def first_agent() -> Agent:
    """Whose budget and firmware a run has that names no agent."""
    return Agent.objects.get_or_create(name=DEFAULT_AGENT)[0]


def start(
    task: str, setup: Setup, *, by: User, workspace: Workspace | None = None, agent: Agent | None = None
) -> ModularRun:
    """Start a run. Raises CombinationRefused naming what does not fit, GoalRefused."""
    task = task.strip()
    if not task or len(task) > _MOST_TASK:
        raise GoalRefused("text", f"Say what is to be done, in at most {_MOST_TASK:,} characters.")
    agent = agent or first_agent()
    chosen = combinations.checked(setup.modules, has_model=bool(models_of(agent)))
    state = State(task, chosen, autosubmit=setup.autosubmit, limits=setup.limits)
    return begin(state, by=by, workspace=workspace, agent=agent, pauses=setup.pauses)


def begin(state: State, *, by: User, workspace: Workspace | None, agent: Agent, pauses: bool = False) -> ModularRun:
    """A run that begins with a state, as one that was imported. A state that has ended is one to look at."""
    now = timezone.now().isoformat()
    loop.begin(state, now)
    with transaction.atomic():
        place = workspace or workspaces.create_numbered(by=by, name="modular")
        first = ModularState.ENDED if state.outcome else ModularState.PAUSED if pauses else ModularState.READY
        run = ModularRun.objects.create(
            task=storable(state.task), by=by, agent=agent, workspace=place, head=0, state=first.value
        )
        states.store(run, 0, state, known=0, module_type="", module="start", now=now, snapshot=place.head, by=by)
        wake_ups.wake_modular(run.pk)
    return run


def pause(run: ModularRun, *, by: User) -> ModularRun:
    """Stop before the next step. Raises NotYours, NotPossibleNow."""
    check_may_change(by, run)
    return _moved(run, ModularState.PAUSED, f"Paused by {by.username}.")


def go_on(run: ModularRun, *, by: User, steps: int | None = None) -> ModularRun:
    """Continue a paused run, to its end or for so many steps. Raises NotYours, NotPossibleNow."""
    check_may_change(by, run)
    if run.state != ModularState.PAUSED:
        raise NotPossibleNow(f"This run is {run.state} now; only a paused one is continued.")
    until = None if steps is None else run.head + max(1, steps)
    return _moved(run, ModularState.READY, "", until=until)


def _moved(run: ModularRun, new: ModularState, reason: str, **also: Any) -> ModularRun:
    try:
        with transaction.atomic():
            move_modular(run, new, reason=reason, **also)
            wake_ups.wake_modular(run.pk)
    except MoveRefused as refused:
        raise NotPossibleNow(f"This run is {ModularRun.objects.get(pk=run.pk).state} now.") from refused
    return run


def write(run: ModularRun, content: str, call: FunctionCall | None = None, *, by: User) -> ModularRun:
    """Write what the agent says next, where it waits for a person to. Raises NotYours, NotPossibleNow."""
    said = _said(content, call)
    return _answer(run, "write", said, by)


def choose(
    run: ModularRun,
    chosen: int | None = None,
    *,
    by: User,
    scores: list[float | None] | None = None,
    written: str = "",
    call: FunctionCall | None = None,
) -> ModularRun:
    """Pick one of the options that wait, counted from 0, with ratings from 0 to 1; or write another one instead.

    Raises NotYours, NotPossibleNow.
    """
    answer: dict[str, Any] = {"scores": scores or []}
    if written or call is not None:
        answer["written"] = _said(written, call)
    else:
        answer["chosen"] = chosen
    return _answer(run, "choose", answer, by)


def _said(content: str, call: FunctionCall | None) -> dict[str, Any]:
    said: dict[str, Any] = {"content": storable(content)}
    if call is not None:
        said["function_call"] = {"name": call.name, "arguments": dict(call.arguments)}
    return said


def _answer(run: ModularRun, ask: str, answer: dict[str, Any], by: User) -> ModularRun:
    check_may_change(by, run)
    want = next((one for one in run.waits_for if one["kind"] == "person" and one["args"]["ask"] == ask), None)
    if want is None or run.state != ModularState.WAITING:
        raise NotPossibleNow("This run does not wait for that now.")
    chosen = answer.get("chosen")
    is_pick = ask == "choose" and "written" not in answer
    if is_pick and not (isinstance(chosen, int) and 0 <= chosen < len(want["args"]["options"])):
        raise NotPossibleNow("There is no such option.")
    row = {**answer, "by": by.username}
    try:
        with transaction.atomic():
            # The race: two people answer at once. The first answer counts.
            ModularAnswer.objects.create(
                run=run, number=run.head + 1, key=want["key"], kind="person", answer=row, by=by
            )
            move_modular(run, ModularState.READY)
            wake_ups.wake_modular(run.pk)
    except (IntegrityError, MoveRefused) as error:
        raise NotPossibleNow("Somebody answered first.") from error
    return run
