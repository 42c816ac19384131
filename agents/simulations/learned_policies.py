"""Learned policies as rows: one for each task, trained between start and stop, forgotten by a reset."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from agents.environments.learned import Learned, PolicyUnusable
from agents.models import EnvironmentPolicy
from agents.record import leased, wake_ups
from agents.record.errors import GoalRefused, NotPossibleNow
from agents.simulations import rights, worlds
from agents.simulations.worlds import UnknownWorld
from agents.states import MoveRefused, TrainingState
from people import journal, sealing
from people.journal import Event
from people.models import User

T = TrainingState
MOST_EPISODES = 500


def stored(environment: str, task: str) -> tuple[Learned, str]:
    """What was learned for a task, and its digest. Raises PolicyUnusable: nothing yet, or damaged."""
    row = EnvironmentPolicy.objects.filter(environment=environment, task=task).first()
    if row is None or row.data is None:
        raise PolicyUnusable(f"No policy was trained for {task} yet. An operator trains one on its page.")
    return of_row(row), row.digest


def of_row(row: EnvironmentPolicy) -> Learned:
    """What a row holds; a new policy where it has learned nothing. Raises PolicyUnusable."""
    if row.data is None:
        return Learned(row.seed)
    data = bytes(row.data)
    if hashlib.sha256(data).hexdigest() != row.digest:
        raise PolicyUnusable("The stored policy is damaged. Reset it, and train it anew.")
    return Learned.from_bytes(data)


def train(environment: str, task: str, *, episodes: int, share: int, by: User) -> EnvironmentPolicy:
    """Have a worker train the policy of a task on so many train variations more, beside so many percent of the rules.

    Raises NotYours, GoalRefused naming the field, NotPossibleNow.
    """
    rights.check_may_train(by)
    _check(environment, task, episodes, share)
    with transaction.atomic():
        row, _ = EnvironmentPolicy.objects.get_or_create(environment=environment, task=task)
        with _held(row) as policy:
            try:
                of_row(policy)
            except PolicyUnusable as unusable:
                raise NotPossibleNow(str(unusable)) from unusable
            _move(policy, T.WAITING, episodes_left=episodes, share=share, by=by)
            sealing.seal(policy)
            wake_ups.wake_background("training", policy.pk)
            _keep("train", policy, by, episodes=episodes, share=share)
            return policy


def stop(policy: EnvironmentPolicy, *, by: User) -> None:
    """Train no further; the episode under way is not counted. Raises NotYours, NotPossibleNow."""
    rights.check_may_train(by)
    with _held(policy) as row:
        _move(row, T.STOPPED, reason=f"stopped by {by.username}", episodes_left=0, by=by)
        sealing.end(row)
        _keep("stop", row, by)


def reset(policy: EnvironmentPolicy, *, by: User) -> None:
    """Forget what was learned; its episodes stay as an earlier generation. Raises NotYours, NotPossibleNow."""
    rights.check_may_train(by)
    with _held(policy) as row:
        if row.state != T.STOPPED:
            raise NotPossibleNow("Stop the training first.")
        EnvironmentPolicy.objects.filter(pk=row.pk).update(
            data=None, digest="", episodes=0, generation=row.generation + 1, choices=0, lessons=0, explores=1.0,
            reason=f"reset by {by.username}", by=by,
        )  # fmt: skip
        before = {"episodes": row.episodes, "digest": row.digest}
        _keep("reset", row, by, before=before, after={"episodes": 0, "digest": ""})


def _keep(what: str, row: EnvironmentPolicy, by: User, **data: object) -> None:
    """What a policy learns holds for everybody's runs, so that everybody can look up who changed it."""
    told = {"what": what, "environment": row.environment, "task": row.task, **data}
    journal.record(Event.TRAINING, by=by, subject=f"environment-policy:{row.pk}", data=told)


def _check(environment: str, task: str, episodes: int, share: int) -> None:
    try:
        world = worlds.named(environment)
    except UnknownWorld as unknown:
        raise GoalRefused("environment", str(unknown)) from unknown
    if world.is_simulation is not True:
        raise GoalRefused("environment", f"{world.title} is no simulation: a policy is trained in nothing else.")
    if missing := world.missing():
        raise GoalRefused("environment", missing)
    if task not in world.tasks():
        raise GoalRefused("task", f"{world.title} has no task “{task[:60]}”.")
    if not 1 <= episodes <= MOST_EPISODES:
        raise GoalRefused("episodes", f"A whole number from 1 to {MOST_EPISODES}.")
    if not 0 <= share <= 100:
        raise GoalRefused("share", "A whole number from 0 to 100.")


@contextmanager
def _held(policy: EnvironmentPolicy) -> Iterator[EnvironmentPolicy]:
    """Its row, locked: what is looked at stays so until it is changed."""
    with transaction.atomic():
        yield EnvironmentPolicy.objects.select_for_update(no_key=True).get(pk=policy.pk)


def _move(row: EnvironmentPolicy, new: TrainingState, *, reason: str = "", **also: object) -> None:
    try:
        leased.to(row, new, reason=reason, **also)
    except MoveRefused as refused:
        raise NotPossibleNow(f"The training is {row.state} and cannot be {new.value} now.") from refused
