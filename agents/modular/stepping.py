"""Going on with a run, step by step under a fenced lease.

A step is computed, then stored with the move of the run in one transaction. A worker that dies before that leaves
nothing but answers, and the next one does the step again with them.
"""

from __future__ import annotations

import logging
from dataclasses import asdict
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from agents.bdi.modular import loop
from agents.bdi.modular.agent import ModularAgent, Want
from agents.bdi.modular.loop import ModuleFailed, Turn
from agents.bdi.modular.state import State
from agents.execution.companion import Companion
from agents.models import Goal, ModularCall, ModularRun, Standstill, Workspace
from agents.modular import answering, states
from agents.modular.moves import move_modular
from agents.record import draining, wake_ups
from agents.record.lease import worker_name
from agents.record.logs import storable
from agents.states import GOAL_ENDED, ModularState, MoveRefused

logger = logging.getLogger(__name__)

_READY = Q(state=ModularState.READY.value)
_LOST = Q(state=ModularState.RUNNING.value, lease_until__lte=Now())
_SWEPT = 20
# A module that wants something new each time it is run would never end its step.
_ROUNDS = 30


def claim(run_id: int) -> ModularRun | None:
    """Take this run, if it can go on and nobody has it."""
    with transaction.atomic():
        if Standstill.objects.exists():
            return None
        free = ModularRun.objects.filter(_READY | _LOST, pk=run_id, agent__paused=False)
        run = free.select_for_update(skip_locked=True, no_key=True, of=("self",)).first()
        if run is None:
            return None
        lease = {"lease_owner": worker_name(), "lease_until": Now() + timedelta(seconds=settings.LEASE_S)}
        move_modular(run, ModularState.RUNNING, lease_fence=F("lease_fence") + 1, **lease)
    return ModularRun.objects.select_related("agent", "workspace", "by").get(pk=run_id)


def renew(run: ModularRun) -> bool:
    """Extend the lease; False when another worker or a person has the run."""
    ours = ModularRun.objects.filter(pk=run.pk, state=ModularState.RUNNING.value, lease_fence=run.lease_fence)
    return bool(ours.update(lease_until=Now() + timedelta(seconds=settings.LEASE_S)))


def work(run_id: int) -> None:
    """Go on with a run until it waits, pauses or ends."""
    if draining.is_asked() or (run := claim(run_id)) is None:
        return
    with Companion(0, renew=lambda: renew(run), is_cancelled=lambda: False):
        try:
            _steps(run)
        except MoveRefused:
            # Somebody paused it, or another worker has it: what was computed here is not stored.
            logger.info("A step of modular run %s was not stored: it was moved meanwhile.", run.pk)


def _steps(run: ModularRun) -> None:
    step = states.newest(run)
    state = states.after(step)
    while run.state == ModularState.RUNNING:
        if draining.is_asked():
            move_modular(run, ModularState.READY)
            return
        state = _one(run, state)


def _one(run: ModularRun, state: State) -> State:
    number = run.head + 1
    now = timezone.now().isoformat()
    tools = answering.catalogue()
    for _ in range(_ROUNDS):
        agent = ModularAgent(loop.trial(state), now, tools, answering.of_step(run, number))
        try:
            turn = loop.step(agent)
        except ModuleFailed as failed:
            logger.warning("A module of modular run %s failed.", run.pk, exc_info=True)
            move_modular(run, ModularState.PAUSED, reason=storable(str(failed)))
            return state
        if turn.is_done:
            _store(run, number, agent.state, turn, now=now, known=len(state.nodes))
            return agent.state
        if not answering.ask(run, number, turn.wants):
            _wait(run, number, turn.wants)
            return state
    move_modular(run, ModularState.PAUSED, reason=f"The step wanted something new {_ROUNDS} times.")
    return state


def _wait(run: ModularRun, number: int, wants: tuple[Want, ...]) -> None:
    answered = answering.of_step(run, number)
    left = [asdict(want) for want in wants if want.key not in answered]
    move_modular(run, ModularState.WAITING, waits_for=left)
    # The race: a call ended before this said that it waits for it, and its wake-up found nobody waiting.
    wake_waiting(run.pk)


def _store(run: ModularRun, number: int, state: State, turn: Turn, *, now: str, known: int) -> None:
    if state.outcome:
        new, reason = ModularState.ENDED, state.reason
    elif run.until is not None and number >= run.until:
        new, reason = ModularState.PAUSED, ""
    else:
        new, reason = ModularState.RUNNING, ""
    lease = {} if new is not ModularState.RUNNING else {"lease_until": Now() + timedelta(seconds=settings.LEASE_S)}
    with transaction.atomic():
        # First, for it locks the row: a worker whose lease is another's stores nothing.
        move_modular(run, new, reason=reason, head=number, waits_for=[], **lease)
        snapshot = Workspace.objects.values_list("head", flat=True).get(pk=run.workspace_id)
        states.store(
            run,
            number,
            state,
            known=known,
            module_type=turn.module_type,
            module=turn.module,
            now=now,
            snapshot=snapshot,
        )


def wake_waiting(run_id: int) -> None:
    """Have a run go on for whose calls every goal has ended."""
    run = ModularRun.objects.filter(pk=run_id, state=ModularState.WAITING.value).first()
    if run is None or any(want["kind"] == "person" for want in run.waits_for):
        return
    calls = ModularCall.objects.filter(run=run, number=run.head + 1)
    if calls.exclude(goal__state__in=sorted(GOAL_ENDED)).exists():
        return
    try:
        with transaction.atomic():
            move_modular(run, ModularState.READY)
            wake_ups.wake_modular(run.pk)
    except MoveRefused:
        return


def goal_ended(goal_id: int, **_: object) -> None:
    """A goal has ended: the run that waits for it goes on."""
    for run_id in ModularCall.objects.filter(goal=goal_id).values_list("run", flat=True):
        wake_waiting(run_id)


def sweep() -> None:
    """Find runs that no wake-up reached, and those whose worker died."""
    ended = Goal.objects.filter(state__in=sorted(GOAL_ENDED)).values("pk")
    waiting = ModularRun.objects.filter(state=ModularState.WAITING.value, calls__goal__in=ended)
    for run_id in waiting.order_by("pk").values_list("pk", flat=True).distinct()[:_SWEPT]:
        wake_waiting(run_id)
    for run_id in ModularRun.objects.filter(_READY | _LOST).order_by("pk").values_list("pk", flat=True)[:_SWEPT]:
        wake_ups.wake_modular(run_id)
