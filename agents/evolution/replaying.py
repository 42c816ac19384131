"""The work of a replay: each case done anew by parent and candidate, in throw-away copies.

The files are those that the case's first step began with. A rule plans by what was believed then, and every other rule
is the one in use now, for both sides; a tool does the steps of then. Steps run as in a shadow run: no network, half the
limits, the strictest jail. What a copy cannot prove is no verdict for either side.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

from agents.bdi import outcome
from agents.bdi.document import Document
from agents.bdi.outcome import MISSED
from agents.bdi.shadow import Finding, Proof
from agents.evolution import contenders, replays, rollouts
from agents.evolution.contenders import Contender, Unusable
from agents.execution.companion import Companion
from agents.execution.shadow import Stopped, Trial, limits_of
from agents.execution.workplace import open_desk_in
from agents.models import Replay, ReplayCase
from agents.plans import outcome_evaluation
from agents.record import draining, logs
from agents.states import ReplayState
from agents.toolkit.limits import UnknownLimit
from sandbox.contract import SandboxError, SessionState

logger = logging.getLogger(__name__)

GONE = "the goal or its plan was removed since"
SAID_MAX = 500


@dataclass(frozen=True)
class Side:
    """How one side of a case ended. `passes` None: a copy could prove nothing. `traces`: what is compared."""

    passes: bool | None
    said: str
    traces: tuple[Any, ...] = ()
    duration_s: float = 0.0


def work(replay_id: int | None = None) -> None:
    """Do this replay, or the oldest that waits."""
    replay = None if draining.is_asked() else replays.claim(replay_id)
    if replay is not None:
        turn(replay)


def turn(replay: Replay) -> None:
    """Go on with a replay, case by case; what is done is kept whatever happens to this worker."""
    if replay.lease_fence > replays.BEGUN_MAX:
        replays.end(replay, ReplayState.IMPOSSIBLE, f"it has cost {replays.BEGUN_MAX} workers")
        return
    try:
        sides = contenders.of(replay.parent), contenders.of(replay.version)
    except Unusable as error:
        replays.end(replay, ReplayState.IMPOSSIBLE, logs.storable(str(error)))
        return
    with Companion(0, renew=lambda: replays.renew(replay), is_cancelled=lambda: False) as companion:
        try:
            for case in replay.cases.filter(is_done=False).select_related("goal__workspace", "goal__agent", "plan"):
                _do(replay, case, sides, companion.stop_work)
                if draining.is_asked():
                    replays.give_back(replay)
                    return
        except Stopped:
            if companion.interrupted:
                replays.give_back(replay)
            return
    if replays.end(replay, ReplayState.DONE) and replay.rollout is not None:
        rollouts.decide(replay.rollout)


def _do(replay: Replay, case: ReplayCase, sides: tuple[Contender, Contender], stop_work: Event) -> None:
    name = f"replay-{case.pk}-{replay.lease_fence}"
    parent, candidate = (tried(case, side, f"{name}-{side.version_id}", stop_work) for side in sides)
    case.parent_passes, case.parent_said, case.parent_s = parent.passes, parent.said, parent.duration_s
    case.candidate_passes, case.candidate_said, case.candidate_s = (
        candidate.passes,
        candidate.said,
        candidate.duration_s,
    )
    case.differs = parent.traces != candidate.traces
    if not replays.store(replay, case):
        raise Stopped


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
            passes, said, results = _run(document, case.base, name, stop_work)
    except (SandboxError, UnknownLimit, ValueError, KeyError, OSError) as error:
        logger.warning("A case could not be replayed", extra={"replay_case": case.pk}, exc_info=True)
        passes, said = None, f"could not be tried: {error}"
    return Side(passes, logs.storable(said)[:SAID_MAX], side.traces(document, results), time.monotonic() - started)


def _run(document: Document, base: str, name: str, stop_work: Event) -> tuple[bool | None, str, Mapping[int, Any]]:
    """How the steps ended in a copy, and what they answered by position."""
    with open_desk_in(name, base, SessionState(), limits_of(document.intents[0]), minimum="L3") as desk:
        trial = Trial(document, desk, stop_work)
        passes, said = judged(trial.findings())
        if not passes or not document.checks:
            return passes, said, trial.results
        facts = outcome_evaluation.facts_between(base, desk.head, trial.results)
        verdict = outcome.evaluate(document.checks, facts)
    if verdict.outcome in MISSED:
        failed = ", ".join(f"{one.check.kind.value} {one.check.path}".strip() for one in verdict.failed)
        return False, f"every step ran, but the goal was not met: {failed}", trial.results
    return True, said, trial.results


def judged(findings: Sequence[Finding]) -> tuple[bool | None, str]:
    """Whether the steps did what they should; None where a copy cannot tell."""
    for one in findings:
        if one.proof is Proof.FAILED:
            return False, f"step {one.position} failed: {one.why}"
        if one.proof is Proof.UNPROVEN:
            return None, f"step {one.position} cannot be tried in a copy: {one.why}"
    return True, f"{len(findings)} step{'' if len(findings) == 1 else 's'} ran"
