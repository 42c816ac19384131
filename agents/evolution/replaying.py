"""The work of a replay: each case done anew by parent and candidate, in throw-away copies.

The files are those that the case's first step began with. A rule plans by what was believed then, and every other rule
is the one in use now, for both sides; a tool does the steps of then; of a prompt and of firmware a model is asked again
(`answer_sides`). What a copy cannot prove is no verdict for either side.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Event
from typing import Any

from agents.evolution.ab_trials import version_trials
from agents.evolution.activation import rollouts
from agents.evolution.replays import agent_sides, answer_cases, answer_sides, contenders, copies, replays
from agents.evolution.replays.answer_sides import OutOfBudget
from agents.evolution.replays.contenders import Contender, Unusable
from agents.evolution.replays.copies import GONE, SAID_MAX, Side
from agents.execution.companion import Companion
from agents.execution.shadow import Stopped
from agents.models import Replay, ReplayCase
from agents.record import draining, leased, logs
from agents.states import ReplayState
from agents.toolkit.limits import UnknownLimit
from library.models import ComponentVersion
from sandbox.contract import SandboxError

logger = logging.getLogger(__name__)

Trier = Callable[[ReplayCase, str, Event], Side]


def work(replay_id: int | None = None) -> None:
    """Do this replay, or the oldest that waits."""
    replay = None if draining.is_asked() else replays.claim(replay_id)
    if replay is not None:
        turn(replay)


def turn(replay: Replay) -> None:
    """Go on with a replay, case by case; what is done is kept whatever happens to this worker."""
    try:
        sides = _side(replay, replay.parent), _side(replay, replay.version)
    except Unusable as error:
        replays.end(replay, ReplayState.IMPOSSIBLE, logs.storable(str(error)))
        return
    is_ours = leased.is_ours
    with Companion(0, renew=lambda: leased.renew(replay), is_cancelled=lambda: not is_ours(replay)) as companion:
        try:
            for case in replay.cases.filter(is_done=False).select_related("goal__workspace", "goal__agent", "plan"):
                _do(replay, case, sides, companion.stop_work)
                if replay.trial is not None and version_trials.has_decided(replay.trial):
                    break
                if draining.is_asked():
                    leased.give_back(replay)
                    return
        except Stopped:
            if companion.interrupted:
                leased.give_back(replay)
            return
        except OutOfBudget as spent:
            replays.end(replay, ReplayState.IMPOSSIBLE, logs.storable(str(spent))[:SAID_MAX])
            return
    if replays.end(replay, ReplayState.DONE):
        _decide(replay)


def _decide(replay: Replay) -> None:
    """Have those decide who waited for a replay."""
    if replay.rollout is not None:
        rollouts.decide(replay.rollout)
    if replay.trial is not None:
        version_trials.decide(replay.trial)


def _side(replay: Replay, version: ComponentVersion) -> tuple[int, Trier]:
    """How a version does a case, and its number. Raises Unusable."""
    if answer_cases.can_be(version):
        return version.pk, answer_sides.of(replay, version).tried
    if agent_sides.can_be(version):
        return version.pk, agent_sides.of(replay, version).tried
    contender = contenders.of(version)
    return version.pk, lambda case, name, stop_work: tried(case, contender, name, stop_work)


def _do(replay: Replay, case: ReplayCase, sides: tuple[tuple[int, Trier], ...], stop_work: Event) -> None:
    name = f"replay-{case.pk}-{replay.lease_fence}"
    parent, candidate = (do(case, f"{name}-{number}", stop_work) for number, do in sides)
    parent, candidate = _beside(parent, candidate), _beside(candidate, parent)
    case.parent_call, case.candidate_call = parent.call, candidate.call
    case.parent_passes, case.parent_said, case.parent_s = parent.passes, parent.said, parent.duration_s
    case.candidate_passes, case.candidate_said, case.candidate_s = (
        candidate.passes,
        candidate.said,
        candidate.duration_s,
    )
    case.differs = parent.traces != candidate.traces
    if not replays.store(replay, case):
        raise Stopped


def _beside(side: Side, other: Side) -> Side:
    """A plan that no copy can prove still beats an answer that could not be used."""
    return replace(side, passes=True) if side.is_valid and other.is_void else side


def tried(case: ReplayCase, side: Contender, name: str, stop_work: Event) -> Side:
    """One side of a case, done anew in a copy of this name. Raises Stopped when this worker shall stop."""
    if case.goal is None or case.plan is None:
        return Side(None, GONE)
    started = time.monotonic()
    document = side.document(case)
    if isinstance(document, str):
        return Side(False, document[:SAID_MAX])
    results: Mapping[int, Any] = {}
    try:
        with side.in_use():
            passes, said, results = copies.run(document, case.base, name, stop_work)
    except (SandboxError, UnknownLimit, ValueError, KeyError, OSError) as error:
        logger.warning("A case could not be replayed", extra={"replay_case": case.pk}, exc_info=True)
        passes, said = None, f"could not be tried: {error}"
    return Side(passes, logs.storable(said)[:SAID_MAX], side.traces(document, results), time.monotonic() - started)
