"""A dry run: the plan's main steps in a throw-away copy, without a network, with half the limits, at L3 only.

It changes no workspace and moves no goal. The same code that will run the approved steps runs them here, so preview and
execution cannot differ in how they check. A program can find out that it is watched; the page says so.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from threading import Event
from typing import Any

from django.db import transaction

from agents.bdi.forecast import shadow
from agents.bdi.forecast.shadow import Finding, Proof
from agents.bdi.forecast.touched_paths import touched
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, IntentSpec
from agents.bdi.recovery import recovery
from agents.components import made_tools
from agents.execution.companion import Companion
from agents.execution.steps import may_change_files, run_step
from agents.execution.workplace import Desk, open_desk_in
from agents.models import ShadowRun
from agents.plans import shadowing
from agents.record import draining, leased, logs, telemetry
from agents.record.moves import move_shadow
from agents.states import MoveRefused, ShadowState
from agents.toolkit.limits import UnknownLimit, session_limits
from agents.toolkit.registry import tools_in_use
from people import sealing
from sandbox.contract import Limits, SandboxError, SessionState
from sandbox.store import read_times
from sandbox.store.snapshots import SnapshotRefused

logger = logging.getLogger(__name__)


class Stopped(Exception):
    """Whoever asked no longer waits, or another worker has this run."""


def one(run_id: int | None = None) -> bool:
    """Do this dry run, or the oldest that waits; False when there is none to be had."""
    run = None if draining.is_asked() else shadowing.claim(run_id)
    if run is None:
        return False
    try:
        turn(run)
    except MoveRefused as moved:
        logger.warning("A dry run continued on another worker: %s", moved)
    return True


def turn(run: ShadowRun) -> None:
    """One dry run from its beginning to a row that says what it found."""
    try:
        with Companion(
            run.intent_plan.goal_id,
            renew=lambda: leased.renew(run),
            is_cancelled=lambda: not shadowing.is_wanted(run),
        ) as companion:
            plan = run.intent_plan
            with telemetry.working_on(plan=plan.pk), telemetry.span("shadow", plan.goal_id):
                findings, after = _tried(run, companion)
    except Stopped:
        if companion.interrupted:
            leased.give_back(run)
            return
        move_shadow(run, ShadowState.STOPPED, reason="the plan was decided while the dry run was under way")
    except (SandboxError, UnknownLimit, ValueError, KeyError, OSError) as error:
        logger.warning("A dry run was impossible", extra={"shadow_run": run.pk}, exc_info=True)
        move_shadow(run, ShadowState.IMPOSSIBLE, reason=logs.storable(str(error)))
    else:
        told = [finding.to_json() for finding in findings]
        with transaction.atomic():
            move_shadow(run, ShadowState.DONE, findings=told, after=after)
            sealing.seal(run)
        logs.say(run.intent_plan.goal_id, "review", "shadow", _in_one_line(findings))


def _tried(run: ShadowRun, companion: Companion) -> tuple[list[Finding], str]:
    document = documents.read(bytes(run.intent_plan.document))
    made_tools.refresh_for(document)
    first = document.intents[0]
    name = f"shadow-{run.pk}-{run.lease_fence}"
    with open_desk_in(name, run.base, SessionState(), limits_of(first), minimum="L3") as desk:
        findings = Trial(document, desk, companion.stop_work).findings()
        return _with_reads(document, findings, desk), desk.head


def _with_reads(document: Document, findings: list[Finding], desk: Desk) -> list[Finding]:
    """What the programs that were done opened, said of each of them: of which one it was nobody knows."""
    named = touched(document, tools_in_use())
    did = {each.position for each in findings if each.proof is Proof.DONE and named[each.position].is_program}
    read = read_times.opened(desk.checkout.folder, desk.checkout.laid_ns) if did else None
    if read is None:
        return findings
    try:
        paths = tuple(path.decode() for path in read)
    except UnicodeDecodeError:  # no stored text says this name, so nobody could compare it later
        return findings
    return [replace(each, reads=paths) if each.position in did else each for each in findings]


class Trial:
    """The way through a plan's main steps in a copy. `results`: answers of the steps that succeeded, by position."""

    def __init__(self, document: Document, desk: Desk, stop_work: Event) -> None:
        self._document = document
        self._desk = desk
        self._stop_work = stop_work
        self._untried = shadow.untried(document)
        self.results: dict[int, Any] = {}

    def findings(self) -> list[Finding]:
        """What became of each step. Raises Stopped."""
        found: list[Finding] = []
        for spec in self._document.intents:
            if self._stop_work.is_set():
                raise Stopped
            if stopped := next((each for each in found if each.got_halfway), None):
                found.append(Finding(spec.position, Proof.NOT_REACHED, f"step {stopped.position} got no further here"))
            elif why := self._untried.get(spec.position):
                found.append(Finding(spec.position, Proof.UNPROVEN, why))
            else:
                found.append(self._try(spec))
        return found

    def _try(self, spec: IntentSpec) -> Finding:
        limits = limits_of(spec)
        self._desk.under(limits, ())
        started = time.monotonic()
        outcome = run_step(
            spec,
            self._desk.session,
            self.results,
            cancel=self._stop_work,
            adjust=lambda params: shadow.within(params, limits),
            version=self._document.version_of(spec),
        )
        duration_s = time.monotonic() - started
        if self._stop_work.is_set():
            raise Stopped
        if outcome.skipped:
            return Finding(spec.position, Proof.SKIPPED, outcome.skipped, duration_s=duration_s)
        answer, reason = outcome.answer, outcome.failure.reason if outcome.failure else ""
        if not reason:
            answer, reason = self._kept(spec, answer)
        if not reason:
            self.results[spec.position] = answer
        return shadow.judge(spec, answer, reason, duration_s, list(self._untried))

    def _kept(self, spec: IntentSpec, answer: Any) -> tuple[Any, str]:
        """Store the copy's files, as the real run would after this step; what no workspace may hold is a failure."""
        try:
            self._desk.keep(may_change=may_change_files(spec))
        except SnapshotRefused as refused:
            answer = {**answer, "status": "ERROR", "reason": str(refused), "limit": refused.limit}
            return answer, recovery.classify(answer, spec.limits).reason
        return answer, ""


def limits_of(spec: IntentSpec) -> Limits:
    """What a step may use in a copy."""
    return shadow.halved(session_limits(spec.limits))


def _in_one_line(findings: list[Finding]) -> str:
    counts = {proof: sum(each.proof is proof for each in findings) for proof in Proof}
    words = {
        Proof.DONE: "would be done",
        Proof.FAILED: "would fail",
        Proof.SKIPPED: "would be skipped",
        Proof.UNPROVEN: "unproven",
        Proof.NOT_REACHED: "not reached",
    }
    return "dry run: " + ", ".join(f"{count} {words[proof]}" for proof, count in counts.items() if count)
