"""The loop of a run: one step a transaction, under a fenced lease; a step that was not written is done again.

What a step wants is kept beside the run, each answer once, so whoever goes on after a worker that died finds it. A run
that waits for a plan or a person has no worker.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from agents.bdi.modular import loop
from agents.bdi.modular.agent import ModularAgent, ToolSpec
from agents.bdi.modular.document import StateUnreadable
from agents.bdi.modular.loop import ModuleFailed, Turn
from agents.bdi.modular.state import State
from agents.execution.companion import Companion
from agents.models import ModularRun, ModularStep, ModularWant, Standstill
from agents.modular import experience, states, wanting
from agents.modular.states import Written
from agents.record import causes, draining, leased, logs, wake_ups
from agents.record.causes import Forged
from agents.states import ModularRunState
from people import sealing

logger = logging.getLogger(__name__)
S = ModularRunState
_AT_ONCE = 50
# A person who answers at the last moment, or a lost hint: looked at again after so long.
_LOOKS_AGAIN = timedelta(seconds=2)
# A tree can have 32 MB.
_trees = states.Trees(most=2)


def work(run_id: int | None = None) -> None:
    """Go on with this run, or with the oldest that is ready, until it waits, pauses or ends."""
    run = None if draining.is_asked() else claim(run_id)
    if run is None:
        return
    with Companion(0, renew=lambda: leased.renew(run), is_cancelled=lambda: False) as companion:
        while not companion.stop_work.is_set() and turn(run):
            if draining.is_asked():
                break
    _give_back(run)


def claim(run_id: int | None = None) -> ModularRun | None:
    """Begin a run that nobody has; one whose step has cost too many workers is paused."""
    with transaction.atomic():
        if Standstill.objects.exists():
            return None
        free = _free().select_related("by", "agent", "workspace").order_by("changed_at")
        return leased.begin(free.filter(pk=run_id) if run_id is not None else free)


def turn(run: ModularRun) -> bool:
    """One step, or what it wants of the world; whether the run goes on with this worker."""
    try:
        return _turn(run)
    except Forged as forged:
        _stop(run, S.PAUSED, str(forged))
        return False


def _turn(run: ModularRun) -> bool:
    before = states.latest(run)
    number = run.at_step + 1
    try:
        found = _trees.of(run, before)
    except StateUnreadable as unreadable:
        _go_back(run, before, str(unreadable))
        return False
    rows, tools = wanting.wanted(run, number), wanting.catalogue()
    # Run again at once with the answers it got: a state that was written is not read twice. What wants still more
    # comes back, for between two turns the worker looks whether it shall stop.
    for _ in range(2):
        answers = {key: row.answer for key, row in rows.items() if row.answer is not None}
        now = timezone.now().isoformat()
        try:
            state, done = taken(found, now, answers, tools)
        except ModuleFailed as failed:
            logger.warning("A module of a modular agent failed", extra={"modular_run": run.pk}, exc_info=True)
            _stop(run, S.PAUSED, logs.storable(str(failed))[:1_000])
            return False
        if done.is_done:
            how = Written("step", now, before.number, done.module_type, done.module, answers)
            return _write(run, before, state, done, how)
        if wanting.settle(run, number, done.wants, rows):
            return _waits(run, number)
    return True


def taken(found: State, now: str, answers: Mapping[str, Any], tools: Mapping[str, ToolSpec]) -> tuple[State, Turn]:
    """The state after one step, and what that came to. Raises ModuleFailed."""
    state = loop.trial(found)
    return state, loop.step(ModularAgent(state, now, tools, answers))


def _write(run: ModularRun, before: ModularStep, state: State, done: Turn, of: Written) -> bool:
    with transaction.atomic():
        # The race it closes: a worker that was given up writes late. Under another fence it writes nothing.
        held = sealing.with_seals(leased.ours(run)).select_related("workspace")
        row = held.select_for_update(no_key=True, of=("self",)).first()
        if row is None or row.at_step != before.number:
            return False
        step = states.write(row, state, of, row.workspace)
        # An edit may stand between this state and the last one: numbers go on, whichever state they go on from.
        causes.change(row, at_step=step.number, lost_workers=0, outcome=state.outcome)
        run.at_step = step.number
        if not state.next_step.module_type:
            leased.to(row, S.ENDED, reason=logs.storable(state.reason)[:1_000])
            experience.record(row, state)
            return False
        if row.stop_at is not None and step.number >= row.stop_at:
            leased.to(row, S.PAUSED, reason=f"stopped at step {step.number}", stop_at=None)
            return False
    return True


def _waits(run: ModularRun, number: int) -> bool:
    """Give the run up to its plan or person; True where an answer came at this moment."""
    with transaction.atomic():
        row = leased.ours(run).select_for_update(no_key=True).first()
        if row is None:
            return False
        if row.stop_at == 0:
            leased.to(row, S.PAUSED, reason="paused", stop_at=None)
            return False
        waiting = ModularWant.objects.filter(run=run.pk, step=number, answer__isnull=True)
        if not waiting.exists():
            return True
        kinds = set(waiting.values_list("kind", flat=True))
        said = "a plan is reviewed or runs" if "call" in kinds else "a person has to answer"
        leased.to(row, S.WAITING, reason=said)
    return False


def _stop(run: ModularRun, new: ModularRunState, reason: str) -> None:
    with transaction.atomic():
        row = leased.ours(run).select_for_update(no_key=True).first()
        if row is not None:
            leased.to(row, new, reason=reason, stop_at=None)


def _go_back(run: ModularRun, broken: ModularStep, why: str) -> None:
    """Pause at the last state that can be read. The one that cannot stays as it is, and what it wanted is left."""
    logger.error("A state of a modular run cannot be read: %s", why, extra={"modular_run": run.pk})
    with transaction.atomic():
        row = leased.ours(run).select_for_update(no_key=True).first()
        if row is None or row.at_step != broken.number:
            return
        said = f"state {broken.number} cannot be read: {why}"
        also: dict[str, Any] = {"stop_at": None, "lost_workers": 0}
        try:
            step, state = states.readable(row, states.nodes_of(row))
        except StateUnreadable:
            leased.to(row, S.PAUSED, reason=logs.storable(f"{said} None before it can.")[:1_000], **also)
            return
        wanting.leave(row)
        said = f"{said} The run stands at state {step.number}, the last that can be read: continue it, or edit a node."
        also |= {"outcome": state.outcome}
        causes.change(row, at_step=step.number)
        leased.to(row, S.PAUSED, reason=logs.storable(said)[:1_000], **also)


def _give_back(run: ModularRun) -> None:
    """What this worker has left goes on with another one at once."""
    with transaction.atomic():
        row = leased.ours(run).select_for_update(no_key=True).first()
        if row is not None:
            leased.to(row, S.READY)
            wake_ups.wake_background("modular", row.pk)


def forget() -> None:
    """Work as a worker does that has seen no run yet. For measurements."""
    _trees.forget()


def sweep() -> None:
    """Find what no wake-up reached: goals that ended, answers that came, runs whose worker died."""
    ended = ModularWant.objects.filter(answer__isnull=True, goal__ended_at__isnull=False)
    for goal in ended.values_list("goal_id", flat=True)[:_AT_ONCE]:
        wanting.goal_ended(goal)
    waiting = ModularRun.objects.filter(state=S.WAITING.value, changed_at__lt=Now() - _LOOKS_AGAIN)
    for run in waiting.order_by("changed_at")[:_AT_ONCE]:
        unanswered = ModularWant.objects.filter(run=run, step=run.at_step + 1, answer__isnull=True)
        if not unanswered.exclude(kind="call", goal=None).exists():
            wanting.ready(run)
    for pk in _free().order_by("changed_at").values_list("pk", flat=True)[:4]:
        wake_ups.wake_background("modular", pk)


def _free() -> QuerySet[ModularRun]:
    return ModularRun.objects.filter(leased.free(ModularRun), agent__paused=False)
