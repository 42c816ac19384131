"""One turn of a goal that a framework's agent works on: it thinks until it calls a tool, and nobody waits for that.

What the run stands on is stored with its calls in one transaction. A worker that dies before has done nothing, for a
framework does nothing by itself; whoever goes on resumes from what is stored, and a model that was asked already gives
the same answer again from the cache.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from agents.actors import budgets
from agents.actors.models_in_use import models_of
from agents.execution.companion import Companion
from agents.frameworks import factory, runs
from agents.frameworks.asking import House, LimitReached, Unusable
from agents.frameworks.contract import (
    Answered,
    Brief,
    Finished,
    FrameworkFailed,
    FrameworkMissing,
    Interrupted,
    Outcome,
    Provider,
)
from agents.frameworks.offered import offered
from agents.models import FrameworkRun, Goal
from agents.record import causes, logs
from agents.record.causes import Forged
from agents.record.errors import TooManyGoals
from agents.record.lease import Lease, LeaseLost, renew
from agents.states import GoalState
from agents.toolkit.registry import tools_in_use
from library.language.asking import BudgetSpent, CallFailed, IsWanted, ModelError, Stopped

MISSING = "framework_missing"
FAILED = "framework_failed"
LIMIT = "framework_limit"
_PATIENCE = timedelta(minutes=1)
_LOOKS_EVERY_S = 0.2
_SAID_MAX = 100


def turn(lease: Lease, goal: Goal) -> None:
    """Go on with the goal's run until it waits or ends. Raises LeaseLost."""
    run = runs.of(goal)
    try:
        causes.check(run)
        # Each round either waits, ends, or takes one of the run's steps, which are bounded.
        while True:
            answered = runs.answers(run)
            if answered is None:
                if runs.wait(lease, run):
                    return
                continue
            if not _think(lease, goal, run, answered):
                return
    except Forged as forged:
        runs.end(lease, GoalState.MANUAL, str(forged))
    except TooManyGoals as error:
        runs.put_off(lease, f"paced: {error}", timedelta(seconds=error.wait_s))


def _think(lease: Lease, goal: Goal, run: FrameworkRun, answered: list[Answered]) -> bool:
    """Have the framework go on; whether it called something, which then is looked at."""
    if why := _why_not(goal, run):
        state, reason = why
        runs.end(lease, state, reason, level="warning")
        return False
    began = time.monotonic()
    until = began + settings.FRAMEWORK_SECONDS - run.worked_s
    is_gone = Goal.objects.filter(pk=goal.pk).exclude(state=GoalState.PLANNING.value)
    with Companion(goal.pk, renew=lambda: renew(lease), is_cancelled=is_gone.exists) as companion:

        def is_wanted() -> bool:
            return time.monotonic() < until and not companion.stop_work.is_set()

        house = House(goal, run, companion, is_wanted)
        try:
            came_of_it = _session(goal, run, answered, house, is_wanted)
        except (Interrupted, Stopped, LimitReached, Unusable, ModelError, FrameworkFailed, FrameworkMissing) as error:
            if companion.lost:
                raise LeaseLost(f"goal {goal.pk} was taken over while its agent worked") from None
            runs.add_time(run, time.monotonic() - began)
            logs.write(goal.pk, companion.drain())
            _stopped(lease, error, is_late=not companion.stop_work.is_set() and time.monotonic() >= until)
            return False
        if companion.lost:
            raise LeaseLost(f"goal {goal.pk} was taken over while its agent worked")
        logs.write(goal.pk, companion.drain())
    worked_s = time.monotonic() - began
    if isinstance(came_of_it, Finished):
        runs.finish(lease, run, came_of_it.text, worked_s)
        return False
    if not came_of_it.calls:
        runs.end(lease, GoalState.FAILED, f"{FAILED}: it stopped without an answer and without a call")
        return False
    runs.stand_still(lease, run, came_of_it, house.whys, worked_s)
    return True


def _why_not(goal: Goal, run: FrameworkRun) -> tuple[GoalState, str] | None:
    """What keeps the run from going on, and what becomes of its goal."""
    run.refresh_from_db(fields=["steps", "tokens", "worked_s"])
    if run.worked_s >= settings.FRAMEWORK_SECONDS:
        return GoalState.FAILED, f"{LIMIT}: it worked for {run.worked_s:.0f} s and did not come to an end"
    if not models_of(goal.agent):
        return GoalState.MANUAL, "model_no_model: agents of frameworks work by a language model, and none is set up"
    return None


def _session(goal: Goal, run: FrameworkRun, answered: list[Answered], house: House, is_wanted: IsWanted) -> Outcome:
    """What the framework's agent comes to, from where its run stands. It is interrupted when nobody wants it more."""
    tools = offered(tools_in_use(), goal.agent.tools)
    brief = Brief(_task(goal), tools, most_steps=max(1, settings.FRAMEWORK_STEPS - run.steps + 1))
    agent = factory.FACTORY.create(run.framework, brief, house.ask)
    try:
        with _watched(agent, is_wanted):
            return agent.run() if run.checkpoint is None else agent.resume(run.checkpoint, answered)
    finally:
        agent.close()


def _task(goal: Goal) -> str:
    """What is asked for, with what people said of it before it began, such as its design."""
    said = goal.beliefs.filter(source="person", retracted_by="").order_by("pk").values_list("sentence", flat=True)
    known = "\n".join(f"- {sentence}" for sentence in said[:_SAID_MAX])
    return f"{goal.text}\n\nPeople say about it:\n{known}" if known else goal.text


@contextmanager
def _watched(agent: Provider, is_wanted: IsWanted) -> Iterator[None]:
    """Interrupt the agent from a thread beside it when its goal is cancelled, its lease is lost or its time is over."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(_LOOKS_EVERY_S):
            if not is_wanted():
                agent.interrupt()
                return

    thread = threading.Thread(target=look, name="framework-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _stopped(lease: Lease, error: Exception, *, is_late: bool) -> None:
    """What becomes of the goal when its agent did not come to a call or an end."""
    if isinstance(error, Interrupted | Stopped):
        # Whoever cancelled it has moved it; a worker that is told to stop leaves it where it is.
        if is_late:
            runs.end(lease, GoalState.FAILED, f"{LIMIT}: it worked for {settings.FRAMEWORK_SECONDS:g} s")
        return
    if isinstance(error, BudgetSpent):
        runs.put_off(lease, f"{budgets.SPENT}: {error}", _until_midnight())
    elif isinstance(error, CallFailed) and error.retry_after_s:
        runs.put_off(lease, f"model_{error.code}: {error}", timedelta(seconds=error.retry_after_s))
    elif isinstance(error, ModelError):
        runs.end(lease, GoalState.MANUAL, f"model_{error.code}: {error}")
    elif isinstance(error, Unusable):
        runs.end(lease, GoalState.MANUAL, f"model_unusable: {error}")
    elif isinstance(error, FrameworkMissing):
        runs.end(lease, GoalState.MANUAL, f"{MISSING}: {error}")
    elif isinstance(error, LimitReached):
        runs.end(lease, GoalState.FAILED, str(error))
    else:
        runs.end(lease, GoalState.FAILED, f"{FAILED}: {error}")


def _until_midnight() -> timedelta:
    now: datetime = timezone.now()
    return (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0) - now
