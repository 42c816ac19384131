"""Runs in environments: started, paused, continued, answered and stopped, each with the rights of the person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from agents.actors.models_in_use import models_of
from agents.environments.learned import PolicyUnusable
from agents.environments.policies import LANGUAGE_MODEL, LEARNED, MOST_CHARACTERS, PERSON
from agents.models import DEFAULT_AGENT, Agent, EnvironmentRun
from agents.record import leased, wake_ups
from agents.record.errors import GoalRefused, NotPossibleNow
from agents.simulations import drawn_rules, learned_policies, rights, worlds
from agents.simulations.worlds import UnknownWorld, World, WorldUnusable
from agents.states import EnvironmentRunState, MoveRefused
from people import sealing
from people.models import User

S = EnvironmentRunState
NONE = ""
FALLBACKS = (NONE, LEARNED, LANGUAGE_MODEL, PERSON)
MOST_STEPS = 200
STOPPED = "stopped"


@dataclass(frozen=True)
class Start:
    """What a run is started with. `share` is how much of the rules there is, in percent; `paused`: it waits for a
    person before its first action.
    """

    environment: str
    task: str
    variation: int = 0
    fallback: str = NONE
    share: int = 100
    step_limit: int = 100
    with_library: bool = False
    agent: Agent | None = None
    key: str = ""
    paused: bool = False


def start(wanted: Start, *, by: User) -> EnvironmentRun:
    """A run of an agent in a simulation. The same key twice is the same run. Raises GoalRefused naming the field."""
    rights.check_may_start(by)
    if wanted.key and (earlier := _submitted(by, wanted.key)):
        return earlier
    world = _world(wanted)
    agent = _agent(wanted)
    _check_fallback(wanted, agent)
    _check_numbers(wanted)
    try:
        drawn = drawn_rules.draw(world, wanted.share, with_library=wanted.with_library)
    except WorldUnusable as unusable:
        raise GoalRefused("environment", str(unusable)) from unusable
    try:
        with transaction.atomic():
            run = EnvironmentRun.objects.create(
                by=by,
                agent=agent,
                environment=world.name,
                task=wanted.task,
                variation=wanted.variation,
                fallback=wanted.fallback,
                share=wanted.share,
                rules_text=drawn.text,
                rules=drawn.rules,
                step_limit=wanted.step_limit,
                state=(S.PAUSED if wanted.paused else S.READY).value,
                submission_key=wanted.key,
            )
            sealing.seal(run)
            wake_ups.wake_background("environment_run", run.pk)
            return run
    except IntegrityError:
        # The race this answers: the same key twice at once. The unique constraint let one through.
        if wanted.key and (earlier := _submitted(by, wanted.key)):
            return earlier
        raise


def pause(run: EnvironmentRun, *, by: User) -> None:
    """Do no further action; the one under way is finished. Raises NotYours, NotPossibleNow."""
    rights.check_may_change(by, run)
    with _held(run) as row:
        if row.state == S.RUNNING:
            # Its worker sees this before the next action.
            EnvironmentRun.objects.filter(pk=row.pk).update(stop_at=row.at_step)
        else:
            _move(row, S.PAUSED, reason=f"paused by {by.username}")


def go_on(run: EnvironmentRun, *, by: User, until: int | None = None) -> None:
    """Go on, until the action of this number where one is given. Raises NotYours, NotPossibleNow."""
    rights.check_may_change(by, run)
    with _held(run) as row:
        if until is not None and until <= row.at_step:
            raise NotPossibleNow(f"The run is at action {row.at_step} already. Choose a later one.")
        _move(row, S.READY, stop_at=until)
        wake_ups.wake_background("environment_run", row.pk)


def step(run: EnvironmentRun, *, by: User) -> None:
    """Do one action, then pause. Raises NotYours, NotPossibleNow."""
    go_on(run, by=by, until=run.at_step + 1)


def stop(run: EnvironmentRun, *, by: User) -> None:
    """End it; what was done stays. Raises NotYours, NotPossibleNow."""
    rights.check_may_change(by, run)
    with _held(run) as row:
        _move(row, S.ENDED, reason=f"stopped by {by.username}", outcome=STOPPED, asked=None)


def answer(run: EnvironmentRun, action: str, *, number: int, by: User) -> None:
    """Choose the action of this number, one of those that are valid. Raises NotYours, NotPossibleNow, GoalRefused."""
    rights.check_may_change(by, run)
    said = " ".join(action.split())
    with _held(run) as row:
        if row.state != S.WAITING or row.asked is None or row.asked["number"] != number:
            raise NotPossibleNow("Nobody is asked for this action now. Somebody may have answered already.")
        offered = row.asked["actions"]
        if not 0 < len(said) <= MOST_CHARACTERS or (offered and said not in offered):
            raise GoalRefused("action", f"“{said[:80]}” is none of the actions that are valid here.")
        _move(row, S.READY, answer=said, answered_by=by)
        wake_ups.wake_background("environment_run", row.pk)


@contextmanager
def _held(run: EnvironmentRun) -> Iterator[EnvironmentRun]:
    """The run's row, locked: what is looked at stays so until it is changed."""
    with transaction.atomic():
        yield EnvironmentRun.objects.select_for_update(no_key=True).get(pk=run.pk)


def _move(row: EnvironmentRun, new: EnvironmentRunState, *, reason: str = "", **also: object) -> None:
    try:
        leased.to(row, new, reason=reason, **also)
    except MoveRefused as refused:
        raise NotPossibleNow(f"The run is {row.state} and cannot be {new.value} now.") from refused


def _submitted(by: User, key: str) -> EnvironmentRun | None:
    return EnvironmentRun.objects.filter(by=by, submission_key=key).first()


def _world(wanted: Start) -> World:
    """The environment, ready to be used. What is done in one that is no simulation would have to be reviewed first."""
    try:
        world = worlds.named(wanted.environment)
        if world.is_simulation is not True:
            raise GoalRefused("environment", f"{world.title} is no simulation: nobody reviews what is done there.")
        if missing := world.missing():
            raise GoalRefused("environment", missing)
        worlds.split_of(world, wanted.task, wanted.variation)
    except UnknownWorld as unknown:
        raise GoalRefused("environment", str(unknown)) from unknown
    except WorldUnusable as unusable:
        field = "variation" if wanted.task in world.tasks() else "task"
        raise GoalRefused(field, str(unusable)) from unusable
    return world


def _agent(wanted: Start) -> Agent:
    found = wanted.agent or Agent.objects.get_or_create(name=DEFAULT_AGENT)[0]
    if found.retired_at is not None or found.paused:
        raise GoalRefused("agent", f"The agent {found.name} takes no work now.")
    return found


def _check_fallback(wanted: Start, agent: Agent) -> None:
    if wanted.fallback not in FALLBACKS:
        raise GoalRefused("fallback", f"There is no fallback “{wanted.fallback[:40]}”.")
    if wanted.fallback == LANGUAGE_MODEL and not models_of(agent):
        raise GoalRefused("fallback", f"The agent {agent.name} has no language model. An operator sets one up.")
    if wanted.fallback == LEARNED:
        try:
            learned_policies.stored(wanted.environment, wanted.task)
        except PolicyUnusable as unusable:
            raise GoalRefused("fallback", str(unusable)) from unusable


def _check_numbers(wanted: Start) -> None:
    for field, value, least, most in (
        ("share", wanted.share, 0, 100),
        ("step_limit", wanted.step_limit, 1, MOST_STEPS),
    ):
        if not least <= value <= most:
            raise GoalRefused(field, f"A whole number from {least} to {most}.")
