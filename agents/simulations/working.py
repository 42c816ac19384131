"""The loop of a run: one action a transaction, under a fenced lease.

Whoever goes on with a run, after a worker that died as after a person's answer, begins its environment anew, does what
was done so far once more, and goes on where it ended. An environment that then says something else ends the run. A
run that waits for a person has no worker.
"""

from __future__ import annotations

import logging
import time

from django.db import transaction

from agents.beliefs import entailment_model
from agents.environments import interpreter
from agents.environments.entailing import cascade
from agents.environments.guarding import EnvironmentFailure
from agents.environments.interpreter import RULE, Limits
from agents.environments.learned import PolicyUnusable
from agents.environments.replaying import Remembering, Replayed
from agents.execution.companion import Companion
from agents.models import Agent, EnvironmentRun, Standstill
from agents.record import draining, leased, wake_ups
from agents.simulations import drawn_rules, recorded, turns, worlds
from agents.simulations.fallbacks import fallback_of
from agents.simulations.recording import Recorder, Suspended
from agents.simulations.storable import Storable, clean
from agents.simulations.worlds import WorldBusy, WorldUnusable
from agents.states import EnvironmentRunState

logger = logging.getLogger(__name__)
S = EnvironmentRunState
# For one answer of an environment.
ANSWER_S = 30.0
# So long a worker stays with a run while others wait for one.
SLICE_S = 20.0
_WORDS = {"over": "The environment takes no further action.", "finished": "Every line of the rule was done."}


def work(run_id: int | None = None) -> None:
    """Go on with this run, or with the oldest that is ready, until it waits, pauses or ends."""
    run = None if draining.is_asked() else claim(run_id)
    if run is None:
        return
    with Companion(0, renew=lambda: leased.renew(run), is_cancelled=lambda: False) as companion:
        began = time.monotonic()

        def is_due(acted: int) -> bool:
            """Whether this worker has to stop, or others wait and it has done something: replaying is no progress."""
            if companion.stop_work.is_set() or draining.is_asked() or _stands_still(run):
                return True
            return acted > 0 and time.monotonic() - began > SLICE_S and turns.others_wait()

        try:
            _act(run, Recorder(run, is_due))
        except Suspended as suspended:
            logger.debug("A run in an environment is suspended: %s", suspended, extra={"environment_run": run.pk})
    _give_back(run)


def claim(run_id: int | None = None) -> EnvironmentRun | None:
    """Begin a run that nobody has, if it is a run's turn; one whose action has cost too many workers ends."""
    with transaction.atomic():
        if not turns.may_begin():
            return None
        free = turns.free_runs().select_related("by", "agent", "answered_by")
        return leased.begin(free.filter(pk=run_id) if run_id is not None else free)


def _act(run: EnvironmentRun, recorder: Recorder) -> None:
    """Pursue the goal of the run, and end it. Raises Suspended."""
    try:
        rules = drawn_rules.read(run.rules_text)
        policy = fallback_of(run, recorder)
        with worlds.named(run.environment).running() as begin:
            environment = begin(run.task, run.variation)
            if getattr(environment, "is_simulation", False) is not True:
                _end(run, "not_a_simulation", "What is done there would need a review first.")
                return
            recorder.goal = clean(environment.goal)
            before = recorded.actions_of(run)
            done = interpreter.run(
                Replayed(Storable(environment), recorded.first_of(run), before),
                recorder.goal,
                rules,
                entails=cascade(entailment_model.in_environments(run.created_at)),
                limits=Limits(steps=run.step_limit, answer_s=ANSWER_S),
                fallback=Remembering(policy, before, RULE) if policy is not None else None,
                watch=recorder,
            )
    except WorldBusy:
        logger.info("The environment of a run is in use here; another worker goes on with it.")
    except WorldUnusable as unusable:
        _end(run, "environment_unusable", str(unusable))
    except PolicyUnusable as unusable:
        _end(run, "policy_unusable", str(unusable))
    except EnvironmentFailure as failure:
        _end(run, failure.reason, str(failure))
    else:
        _end(run, done.reason, _WORDS.get(done.reason, done.detail))


def _end(run: EnvironmentRun, outcome: str, reason: str) -> None:
    with transaction.atomic():
        row = leased.ours(run).select_for_update(no_key=True).first()
        if row is not None:
            leased.to(row, S.ENDED, reason=clean(reason)[:1_000], outcome=outcome, asked=None)


def _give_back(run: EnvironmentRun) -> None:
    """What this worker has left goes on with another one at once; and whichever waited for this one."""
    with transaction.atomic():
        row = leased.ours(run).select_for_update(no_key=True).first()
        if row is not None:
            leased.to(row, S.READY)
    sweep()


def sweep() -> None:
    """Wake a worker for the run that waits longest."""
    if (oldest := turns.free_runs().values_list("pk", flat=True).first()) is not None:
        wake_ups.wake_background("environment_run", oldest)


def _stands_still(run: EnvironmentRun) -> bool:
    """Whether an operator has paused everything, or the agent."""
    return Standstill.objects.exists() or Agent.objects.filter(pk=run.agent_id, paused=True).exists()
