"""Training a policy: train variations of its task, one after another, within the budget that was given.

What was learned is stored with the episodes that taught it, in one transaction under a fenced lease: a worker that dies
costs the episodes that were not stored, and they are played again. The memory of single choices stays in the process;
another worker goes on from what is stored, without it.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable
from typing import Any

from django.db import transaction

from agents.beliefs import entailment_model
from agents.environments import interpreter
from agents.environments.entailing import cascade
from agents.environments.guarding import EnvironmentFailure
from agents.environments.interpreter import RULE, Limits
from agents.environments.learned import Learned, PolicyUnusable
from agents.execution.companion import Companion
from agents.models import EnvironmentEpisode, EnvironmentPolicy, Standstill
from agents.record import draining, leased, wake_ups
from agents.simulations import drawn_rules, learned_policies, turns, worlds
from agents.simulations.storable import Storable
from agents.simulations.worlds import Begin, WorldBusy, WorldUnusable
from agents.states import TrainingState

logger = logging.getLogger(__name__)
T = TrainingState
STEPS = 100
ANSWER_S = 30.0
# So long a worker stays with a policy while others wait for one; and so often what was learned is stored: it is a
# megabyte.
SLICE_S, STORES_S = 20.0, 3.0
# The policy that this process trained last, with the digest of what it stored: it remembers single choices.
_last: dict[int, tuple[str, Learned]] = {}


def work(policy_id: int | None = None) -> None:
    """Train this policy, or the one that waits longest, until its budget is used up or somebody stops it."""
    row = None if draining.is_asked() else claim(policy_id)
    if row is None:
        return
    with Companion(0, renew=lambda: leased.renew(row), is_cancelled=lambda: False) as companion:
        began = time.monotonic()

        def is_due() -> bool:
            if companion.stop_work.is_set() or draining.is_asked() or Standstill.objects.exists():
                return True
            return time.monotonic() - began > SLICE_S and turns.others_wait()

        _train(row, is_due)
    _give_back(row)


def claim(policy_id: int | None = None) -> EnvironmentPolicy | None:
    """Begin a training that nobody has, if it is a training's turn; one that has cost too many workers is stopped."""
    with transaction.atomic():
        if not turns.may_begin():
            return None
        free = turns.free_trainings()
        return leased.begin(free.filter(pk=policy_id) if policy_id is not None else free)


def _train(row: EnvironmentPolicy, is_due: Callable[[], bool]) -> None:
    try:
        policy = _policy(row)
        world = worlds.named(row.environment)
        rules = drawn_rules.read(drawn_rules.draw(world, row.share, with_library=False).text)
        numbers = world.variations(row.task)["train"]
        with world.running() as begin:
            _play(row, policy, lambda number: _episode(row, policy, begin, rules, numbers, number), is_due)
    except WorldBusy:
        logger.info("The environment of a policy is in use here; another worker goes on with it.")
    except (WorldUnusable, PolicyUnusable, EnvironmentFailure) as failed:
        _stop(row, str(failed))


def _play(
    row: EnvironmentPolicy,
    policy: Learned,
    play: Callable[[int], EnvironmentEpisode],
    is_due: Callable[[], bool],
) -> None:
    """Play episodes and store what they taught, until the budget is used up or this worker has to stop."""
    policy.start()
    played: list[EnvironmentEpisode] = []
    stored = time.monotonic()
    while len(played) < row.episodes_left:
        played.append(play(row.episodes + len(played) + 1))
        is_last = len(played) == row.episodes_left or is_due()
        if is_last or time.monotonic() - stored > STORES_S:
            if not _store(row, policy, played) or is_last:
                return
            played, stored = [], time.monotonic()


def _episode(
    row: EnvironmentPolicy, policy: Learned, begin: Begin, rules: Any, numbers: Any, number: int
) -> EnvironmentEpisode:
    """One train variation from its beginning to its end, with the rules there are. They take turns."""
    began = time.monotonic()
    variation = numbers[(number - 1) % len(numbers)]
    environment = begin(row.task, variation)
    # A policy needs a simulation: the interpreter ends an episode in anything else.
    done = interpreter.run(
        Storable(environment),
        environment.goal,
        rules,
        entails=cascade(entailment_model.in_environments()),
        limits=Limits(steps=STEPS, answer_s=ANSWER_S),
        fallback=policy,
    )
    by_rules = sum(action.by == RULE for action in done.actions)
    if done.reason in ("environment_hangs", "environment_died", "not_a_simulation"):
        raise WorldUnusable(f"Episode {number} ended: {done.detail}.")
    return EnvironmentEpisode(
        policy=row,
        generation=row.generation,
        number=number,
        variation=variation,
        score=done.score,
        actions_by_rules=by_rules,
        actions_by_policy=len(done.actions) - by_rules,
        reason=done.reason,
        seconds=round(time.monotonic() - began, 3),
    )


def _store(row: EnvironmentPolicy, policy: Learned, played: list[EnvironmentEpisode]) -> bool:
    """Keep what was learned with its episodes; False when another worker has it, or it was stopped or used up."""
    data = policy.to_bytes()
    digest = hashlib.sha256(data).hexdigest()
    with transaction.atomic():
        # The race it closes: a worker that was given up, or whose training was stopped and reset, stores late.
        mine = leased.ours(row).select_for_update(no_key=True).first()
        if mine is None or mine.generation != row.generation:
            return False
        EnvironmentEpisode.objects.bulk_create(played)
        left = mine.episodes_left - len(played)
        values: dict[str, Any] = {
            "data": data, "digest": digest, "episodes": row.episodes + len(played), "episodes_left": left,
            "choices": policy.choices, "lessons": policy.lessons, "explores": policy.explores, "lost_workers": 0,
        }  # fmt: skip
        EnvironmentPolicy.objects.filter(pk=row.pk).update(**values)
        for name, value in values.items():
            setattr(row, name, value)
        if left <= 0:
            leased.to(mine, T.STOPPED, reason="every episode that was asked for was played")
    _last.clear()
    _last[row.pk] = (digest, policy)
    return left > 0


def _policy(row: EnvironmentPolicy) -> Learned:
    """What was stored, with its memory of single choices where this process made it. Raises PolicyUnusable."""
    digest, policy = _last.get(row.pk, ("", None))
    if policy is not None and digest == row.digest:
        return policy
    return learned_policies.of_row(row)


def _stop(row: EnvironmentPolicy, reason: str) -> None:
    with transaction.atomic():
        mine = leased.ours(row).select_for_update(no_key=True).first()
        if mine is not None:
            leased.to(mine, T.STOPPED, reason=reason[:1_000], episodes_left=0)


def _give_back(row: EnvironmentPolicy) -> None:
    with transaction.atomic():
        mine = leased.ours(row).select_for_update(no_key=True).first()
        if mine is not None:
            leased.to(mine, T.WAITING)
    sweep()


def sweep() -> None:
    """Wake a worker for the training that waits longest."""
    if (oldest := turns.free_trainings().values_list("pk", flat=True).first()) is not None:
        wake_ups.wake_background("training", oldest)
