"""One try of one step: ask the gate, run it in the jail that its document states, keep its files, tell how it ended."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from agents.bdi.outcome.network import Network, network_of, reached_words, refusal_words
from agents.bdi.plans.document import Document, IntentSpec
from agents.bdi.plans.waits import is_wait
from agents.bdi.recovery import recovery
from agents.bdi.recovery.recovery import FailureClass
from agents.beliefs.perceiving import Place
from agents.execution import gate_check, waits
from agents.execution.companion import Companion
from agents.execution.database_outage import Answer, when_it_answers
from agents.execution.step_lines import beginning_of, label
from agents.execution.steps import StepOutcome, earlier_results, may_change_files, refers_back, run_step, unfit
from agents.execution.workplace import Desk, WouldEndPrograms, summary_of
from agents.models import IntentPlan
from agents.plans import reporting
from agents.plans.report_filing import Filer
from agents.plans.reporting import Running
from agents.record import gate, logs
from agents.record.errors import StepWaits
from agents.record.lease import Lease, LeaseLost
from agents.record.logs import NewLine
from agents.toolkit.limits import UnknownLimit, session_limits
from sandbox.contract import Limits, SandboxError, SandboxUnavailable
from sandbox.gate.hosts import HostRefused, canonical
from sandbox.store.objects import StoreUnavailable
from sandbox.store.snapshots import SnapshotRefused

_WOULD_END = "it waits for an answer, and the programs that run beside it ({}) would end meanwhile"
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


class PendingLines:
    """Lines of the log that the next statement writes, which records the step that they are about."""

    def __init__(self, goal_id: int, filer: Filer) -> None:
        self._goal_id, self._filer = goal_id, filer
        self.pending: list[NewLine] = []

    def say(self, source: str, text: str, level: str = "info", **data: object) -> None:
        """Say it with the next thing that is written."""
        self.pending.append(NewLine(source, "execute", text, level, data))

    def write(self) -> None:
        """Write them now."""
        self._filer.file()  # what was reported before these lines stands before them in the log
        lines, self.pending = self.pending, []
        logs.write(self._goal_id, lines)

    @contextmanager
    def all_written(self) -> Iterator[None]:
        """Whatever ends the steps, what was to be said about them is written before anything else is."""
        try:
            yield
        finally:
            self.write()


class Attempts:
    """The tries of one claim. `granted` is the gate's last answer, `living` the programs left from the step before."""

    def __init__(
        self,
        lease: Lease,
        companion: Companion,
        plan: IntentPlan,
        document: Document,
        granted: gate.Verdict,
        filer: Filer,
        lines: PendingLines,
    ) -> None:
        self._lease, self._companion = lease, companion
        self._plan, self._document = plan, document
        self._filer, self._lines = filer, lines
        self.granted = granted
        self.living: tuple[str, ...] = ()
        self._refused: set[str] = set()

    def attempt(self, desk: Desk, running: Running) -> StepOutcome:
        """Carry one try out. Raises what ends the claim: a lost lease, a cancellation, a worker told to stop."""
        self.granted = gate_check.before_a_try(self._lease, self._plan, running, self.granted)
        spec = self.chosen(running)
        self.living = desk.session.living
        limits, hosts = self.needs(spec)
        if self.living and "command_line" not in spec.params:
            hosts = desk.hosts  # it runs nothing that could reach one
        if self._companion.out_of_time or self._is_over():
            return _out_of_time(StepOutcome(), spec)
        try:
            desk.under(limits, hosts)
        except WouldEndPrograms as error:
            return unfit(FailureClass.PLANNING_ERROR, str(error))
        self._companion.new_attempt()
        if not running.told:
            self._lines.pending.append(beginning_of(spec, desk.session.state, running.number, running.alternative))
            self._lines.write()
        outcome = self._kept(desk, self._run(desk, running, spec), spec)
        self._lines.pending += self.report(self._companion.drain)
        self._stop_if_told(running, outcome, spec)
        if outcome.failure is not None and self._companion.out_of_time:
            outcome = _out_of_time(outcome, spec)
        self._tell(outcome, spec)
        return outcome

    def report(self, act: Callable[[], Answer]) -> Answer:
        """Do what follows a step as soon as the database answers: the step has run and need not run again."""
        return when_it_answers(act, give_up=lambda: self._companion.lost)

    def chosen(self, running: Running) -> IntentSpec:
        """The step of the approved document, or the alternative of it that is tried in its place."""
        spec = self._document.at(running.position)
        return spec.alternatives[running.alternative - 1] if running.alternative else spec

    def needs(self, spec: IntentSpec) -> tuple[Limits, tuple[str, ...]]:
        """The limits and hosts that the approved document states for a step, and nothing beside them.

        What this worker cannot hold or let in waits for one that can.
        """
        try:
            return session_limits(spec.limits), canonical(spec.hosts)
        except (UnknownLimit, HostRefused) as unknown:
            raise SandboxUnavailable(f"{unknown}; update mindX on this worker") from unknown

    def _run(self, desk: Desk, running: Running, spec: IntentSpec) -> StepOutcome:
        """Run the step. It did not fail when there are no files for it. Raises StillWaits."""
        if is_wait(spec.tool, spec.command) and (in_vain := self._waited(desk, spec)) is not None:
            return in_vain
        try:
            return run_step(
                spec,
                desk.session,
                self._earlier(spec),
                self._companion.output,
                self._companion.stop_work,
                version=self._document.version_of(spec),
            )
        except SandboxError:
            raise
        except StepWaits:
            if desk.session.living:
                return unfit(FailureClass.PLANNING_ERROR, _WOULD_END.format(", ".join(desk.session.living)))
            raise
        except Exception as error:
            if desk.checkout.is_missing:
                why = f"its files could not be laid out: {error}"
                reporting.not_tried(self._plan, self._lease, running, "unavailable", why)
            raise

    def _waited(self, desk: Desk, spec: IntentSpec) -> StepOutcome | None:
        """How a step ends that waited in vain; None when what it waited for is so. Raises StillWaits."""
        if desk.session.living:
            names = ", ".join(desk.session.living)
            return unfit(
                FailureClass.PLANNING_ERROR, f"{names} would end while the plan waits; stop it before this step"
            )
        self._filer.file()  # the first try, with which its time began, may not be a row yet
        session = desk.session.state
        looked = waits.look(self._plan, spec, Place(desk.head, session.cwd, session.venv, session.autonomous))
        self._lines.say("bdi_agent", looked.words, intent=spec.position)
        return None if looked.held_by is not None else unfit(FailureClass.TOOL_EXECUTION_ERROR, looked.words)

    def _earlier(self, spec: IntentSpec) -> dict[int, Any]:
        """Results of the steps before it by position, read only when the step refers to one."""
        if not refers_back(spec):
            return {}
        self._filer.file()
        return earlier_results(self._plan, spec)

    def _kept(self, desk: Desk, outcome: StepOutcome, spec: IntentSpec) -> StepOutcome:
        """Store the files of a step that did not fail; one that left what no workspace may hold has failed."""
        if outcome.failure is not None or outcome.skipped:
            return outcome
        try:
            desk.keep(may_change=may_change_files(spec))
        except SnapshotRefused as refused:
            answer = {**outcome.answer, "status": "ERROR", "reason": str(refused), "limit": refused.limit}
            return replace(outcome, answer=answer, failure=recovery.classify(answer, spec.limits))
        except StoreUnavailable as error:
            if spec.effect == "once":
                # It has run: its try stays open, and a person is asked what it did.
                raise OSError(errno.EIO, str(error)) from error
            raise
        except OSError as error:
            # A full disk says nothing about the step. One that must run once has run: its try stays open, and a person
            # is asked what it did.
            if error.errno not in _NO_ROOM or spec.effect == "once":
                raise
            raise SandboxUnavailable(f"a disk of this worker is full ({error.strerror}); make room on it") from error
        return outcome

    def _is_over(self) -> bool:
        deadline = self._companion.deadline
        return deadline is not None and time.monotonic() >= deadline

    def _stop_if_told(self, running: Running, outcome: StepOutcome, spec: IntentSpec) -> None:
        if self._companion.lost:
            raise LeaseLost(f"the lease on goal {self._lease.goal_id} was lost while a step ran")
        if self._companion.cancelled:
            reporting.not_tried(self._plan, self._lease, running, "cancelled", "cancelled while it ran")
            raise reporting.Cancelled("cancelled while a step ran")
        if self._companion.interrupted and outcome.failure is not None:
            # Of a step that must run once nobody knows what it did before it was ended: a person is asked.
            closed = "lost" if spec.effect == "once" else "interrupted"
            reporting.not_tried(self._plan, self._lease, running, closed, "its worker was told to stop")
            raise reporting.Halted(f"this worker was told to stop; step {running.position} starts again elsewhere")

    def _tell(self, outcome: StepOutcome, spec: IntentSpec) -> None:
        if outcome.skipped:
            self._lines.say("bdi_agent", f"step {spec.position} skipped: {outcome.skipped}")
        elif outcome.result is not None:
            level = "info" if outcome.failure is None else "error"
            summary = summary_of(outcome.result, outcome.failure)
            self._lines.say(label(spec), summary, level=level, intent=spec.position)
            self._tell_network(network_of(outcome.answer), spec)

    def _tell_network(self, network: Network, spec: IntentSpec) -> None:
        """What came from the network, and each refused host once in a run: programs ask again and again."""
        for file in network.downloads:
            came = "was taken from the cache" if file.cached else "was downloaded"
            self._lines.say("network", f"{file.file} {came}, SHA-256 {file.sha256}", intent=spec.position)
        for host in network.hosts:
            self._lines.say("network", reached_words(host), intent=spec.position)
        for one in network.refused:
            if one.name not in self._refused:
                self._refused.add(one.name)
                self._lines.say("network", refusal_words(Network((one,))), level="warning", intent=spec.position)


def _out_of_time(outcome: StepOutcome, spec: IntentSpec) -> StepOutcome:
    """The step did not fail by itself: the time of the whole plan is over."""
    answer = {**outcome.answer, "status": "ERROR", "limit": "plan_time"}
    return replace(outcome, answer=answer, failure=recovery.classify(answer, spec.limits))
