"""Runs an approved intent plan under a lease: run each intent in a checkout, record, recover or end."""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.conf import settings

from agents.bdi.intentions.commitment import Course, Reconsidered
from agents.bdi.intentions.cycle import Decision
from agents.bdi.outcome.network import Network, network_of, reached_words, refusal_words
from agents.bdi.plans.document import Document, IntentSpec
from agents.bdi.plans.waits import is_wait
from agents.bdi.recovery import recovery
from agents.bdi.recovery.recovery import FailureClass
from agents.beliefs.perceiving import Place
from agents.execution import gate_check, reconsidering, recovering, waits
from agents.execution.beginning import Begun
from agents.execution.branch_track import Track
from agents.execution.companion import Companion
from agents.execution.database_outage import Answer, when_it_answers
from agents.execution.reconsidering import LetGo, Reconsiderer
from agents.execution.step_lines import beginning_of, label
from agents.execution.steps import StepOutcome, earlier_results, may_change_files, refers_back, run_step, unfit
from agents.execution.watching import Watch
from agents.execution.workplace import Desk, WouldEndPrograms, open_desk, remove_stale_checkouts, summary_of
from agents.models import IntentPlan
from agents.plans import ending, put_off, reporting
from agents.plans.outcome_evaluation import Observed
from agents.plans.report_filing import Filer
from agents.plans.reporting import Done, Running, Said
from agents.record import draining, gate, logs, telemetry
from agents.record.errors import StepWaits
from agents.record.lease import Lease, LeaseLost, renew
from agents.record.logs import NewLine
from agents.recovery import reconsideration
from agents.states import GoalState, IntentState
from agents.toolkit.limits import UnknownLimit, session_limits
from sandbox.contract import Limits, SandboxError, SandboxUnavailable, SessionState
from sandbox.gate.hosts import HostRefused, canonical
from sandbox.objects import StoreUnavailable
from sandbox.snapshots import SnapshotRefused

logger = logging.getLogger(__name__)

_WOULD_END = "it waits for an answer, and the programs that run beside it ({}) would end meanwhile"
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


class Executor:
    """One claim of one approved plan. `run` returns when the plan ended, waits, or somebody else has it."""

    def __init__(
        self,
        lease: Lease,
        companion: Companion,
        plan: IntentPlan,
        document: Document,
        granted: gate.Verdict,
        running: Running | None = None,
        watch: Watch | None = None,
        filer: Filer | None = None,
    ) -> None:
        self.lease = lease
        self.companion = companion
        self.filer = filer or Filer(plan.pk, plan.goal_id)
        self.watch = watch or Watch(plan.goal_id, plan.pk)
        self.reconsiderer = Reconsiderer(plan, document, self.watch)
        self.plan = plan
        self.document = document
        self.granted = granted
        self._first = running
        self.observed = Observed(plan, document)
        self.track = Track(plan, document)
        # The least isolation under which the gate let it run; None is the operator's.
        self.minimum = granted.minimum or None
        self.refused: set[str] = set()
        self._living: tuple[str, ...] = ()
        # What is said around a step is written by the statement that records it.
        self._lines: list[NewLine] = []

    # -- the way through the plan -----------------------------------------------------------------------------
    def run(self) -> bool:
        """Run main steps from where the plan stands, then end it; after a failure run the clean-up steps.

        Returns whether the lease was given back with the plan's end.
        """
        remove_stale_checkouts(self.lease.goal_id, self.lease.fence)
        try:
            if not self.plan.aborting and self._held_on():
                return True
            self.plan.refresh_from_db()
            if self.plan.aborting:
                self._cleanup_steps()
                ending.fail(self.plan, self.lease, self.plan.aborting)
        except reporting.Cancelled:
            ending.cancel(self.plan, self.lease)
        except gate_check.Refused as refused:
            gate_check.stop(self.lease, self.plan, self.document, refused.verdict)
        except reporting.Halted as halted:
            then = {"then": self.lease.then[0], "decision": Decision.YIELD.value} if self.lease.then else {}
            logs.say(self.lease.goal_id, "worker", "execute", f"paused: {halted}", level="warning", **then)
        except waits.StillWaits as still:
            ending.wait_until(self.plan, self.lease, str(still), still.until)
        except reporting.WorkspaceMoved:
            self._say("worker", "the workspace changed while the step ran; it starts again from the new state")
            self._write()
        except SandboxError as error:
            ending.wait_for_sandbox(self.plan, self.lease, str(error))
        except StepWaits as asked:
            ending.wait_for_answer(self.plan, self.lease, asked)
        return False

    def _held_on(self) -> bool:
        """Run the main intents unless the agent drops its intention between two of them."""
        try:
            return self._main_steps()
        except LetGo as given_up:
            first_cleanup = len(self.document.intents) + 1
            reconsidering.carry_out(self.plan, self.lease, given_up.decided, first_cleanup=first_cleanup)
            return False

    def _main_steps(self) -> bool:
        """Run the main intents; True when the lease was given back with the plan's end, False when the plan waits for
        a further try, is being aborted, or had no step left to run.
        """
        position: int | None = self.plan.position
        if self.plan.position > len(self.document.intents):
            ending.complete_behind_the_last(self.plan, self.lease, self.observed.verdict(self._head()))
            return False
        if self._first is None and self._recovered(self.plan.position):
            return False
        state = SessionState.from_json(self.plan.session.state)
        running, outcome = self._first, StepOutcome()
        needs = self._needs(self.document.at(self.plan.position))
        head = self._head() if running is None else running.before
        self.companion.deadline = time.monotonic() + settings.PLAN_S - self._seconds_run(running)
        with (
            open_desk(self.lease, head, state, *needs, minimum=self.minimum) as desk,
            self._everything_written(),
        ):
            if running is None and self.lease.state != GoalState.AWAITING_REVIEW:
                self._reconsidered(self.reconsiderer.before(self.plan.position, desk))
            while position is not None:
                running = running or self._begin(desk, position)
                self.observed.begun(position, running.before)
                outcome = self._try(desk, running)
                if outcome.failure is not None:
                    if not self._put_off(running, outcome):
                        self._recover(running, outcome)
                    return False
                self.observed.ended(position, None if outcome.skipped else outcome.answer)
                position = self.track.after(position, outcome)
                if position is not None:
                    running = self._finish(desk, running, outcome, following=position)
                    if running is None and self._recovered(position):
                        return False
            # Before the desk is cleared: people need not wait for thousands of files to be removed.
            self._complete(desk, running, outcome)
        return True

    def _reconsidered(self, decided: Reconsidered | None) -> None:
        """Raises LetGo when the agent does not go on; what it goes on in spite of is said with the next line."""
        if decided is not None and decided.course is not Course.GO_ON:
            raise LetGo(decided)
        if decided is not None:
            self._lines.append(reconsideration.line(decided))

    def _complete(self, desk: Desk, running: Running | None, outcome: StepOutcome) -> None:
        """The last step and the plan end together, in one transaction, and the lease with them."""
        if desk.session.living:
            self._say("worker", f"ended with the plan: {', '.join(desk.session.living)}")
        if running is None:
            raise LeaseLost(f"plan {self.plan.pk} has no step left at {self.plan.position}")
        done, said = self._done(desk, outcome), self._lines
        verdict = self.observed.verdict(done.after)
        # Reported twice, when only the reply was lost, it is the same end.
        self._report(lambda: ending.complete(self.plan, self.lease, running, done, said, verdict))
        self.filer.filed()
        self._lines = []

    def _cleanup_steps(self) -> None:
        """Run the approved clean-up, best effort: a failing step is recorded and the next one is tried."""
        first, last = len(self.document.intents) + 1, len(self.document.all_intents)
        if self.plan.position > last:
            return
        self.companion.without_deadline()
        running: Running | None = None
        start = max(first, self.plan.position)
        needs, least = self._needs(self.document.at(start)), self.minimum
        with (
            open_desk(self.lease, self._head(), SessionState(), *needs, part="cleanup", minimum=least) as desk,
            self._everything_written(),
        ):
            for position in range(start, last + 1):
                running = running or self._begin(desk, position)
                outcome = self._try(desk, running)
                running = self._finish(desk, running, outcome, following=position + 1 if position < last else None)

    def _seconds_run(self, running: Running | None) -> float:
        """How long earlier tries took; at the first try of a plan there is none to ask about."""
        is_first = running is not None and (running.position, running.number) == (1, 1)
        return 0.0 if is_first else reporting.seconds_run(self.plan)

    # -- one step ---------------------------------------------------------------------------------------------
    def _begin(self, desk: Desk, position: int) -> Running:
        """Begin a try that no finished step before it began: the first of a claim."""
        if draining.is_asked():
            raise reporting.Halted("this worker was told to stop; another one takes over")
        if self.lease.state == GoalState.RECOVERING:
            desk.session.start()
        begins = [beginning_of(self.document.at(position), desk.session.state)]
        return reporting.begin(self.plan, self.lease, position, said=Said((), begins, self.granted.stamp))

    def _try(self, desk: Desk, running: Running) -> StepOutcome:
        self.granted = gate_check.before_a_try(self.lease, self.plan, running, self.granted)
        spec = self._chosen(running)
        self._living = desk.session.living
        limits, hosts = self._needs(spec)
        if self._living and "command_line" not in spec.params:
            hosts = desk.hosts  # it runs nothing that could reach one
        if self.companion.out_of_time or self._is_over():
            return _out_of_time(StepOutcome(), spec)
        try:
            desk.under(limits, hosts)
        except WouldEndPrograms as error:
            return unfit(FailureClass.PLANNING_ERROR, str(error))
        self.companion.new_attempt()
        if not running.told:
            self._lines.append(beginning_of(spec, desk.session.state, running.number, running.alternative))
            self._write()
        outcome = self._run(desk, running, spec)
        if outcome.failure is None and not outcome.skipped:
            outcome = self._kept(desk, outcome, spec)
        self._lines += self._report(self.companion.drain)
        self._stop_if_told(running, outcome, spec)
        if outcome.failure is not None and self.companion.out_of_time:
            outcome = _out_of_time(outcome, spec)
        if outcome.skipped:
            self._say("bdi_agent", f"intent {spec.position} skipped: {outcome.skipped}")
        elif outcome.result is not None:
            level = "info" if outcome.failure is None else "error"
            self._say(label(spec), summary_of(outcome.result, outcome.failure), level=level, intent=spec.position)
            self._tell_network(network_of(outcome.answer), spec)
        return outcome

    def _run(self, desk: Desk, running: Running, spec: IntentSpec) -> StepOutcome:
        """Run the step. It did not fail when there are no files for it. Raises StillWaits."""
        if is_wait(spec.tool, spec.command) and (in_vain := self._waited(desk, spec)) is not None:
            return in_vain
        try:
            return run_step(
                spec,
                desk.session,
                self._earlier(spec),
                self.companion.output,
                self.companion.stop_work,
                version=self.document.version_of(spec),
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
                reporting.not_tried(self.plan, self.lease, running, "unavailable", why)
            raise

    def _waited(self, desk: Desk, spec: IntentSpec) -> StepOutcome | None:
        """How a step ends that waited in vain; None when what it waited for is so. Raises StillWaits."""
        if desk.session.living:
            names = ", ".join(desk.session.living)
            return unfit(
                FailureClass.PLANNING_ERROR, f"{names} would end while the plan waits; stop it before this step"
            )
        self.filer.file()  # the first try, with which its time began, may not be a row yet
        session = desk.session.state
        looked = waits.look(self.plan, spec, Place(desk.head, session.cwd, session.venv, session.autonomous))
        self._say("bdi_agent", looked.words, intent=spec.position)
        return None if looked.held_by is not None else unfit(FailureClass.TOOL_EXECUTION_ERROR, looked.words)

    def _earlier(self, spec: IntentSpec) -> dict[int, Any]:
        """Results of the steps before it by position, read only when the step refers to one."""
        if not refers_back(spec):
            return {}
        self.filer.file()
        return earlier_results(self.plan, spec)

    def _tell_network(self, network: Network, spec: IntentSpec) -> None:
        """What came from the network, and each refused host once in a run: programs ask again and again."""
        for file in network.downloads:
            came = "was taken from the cache" if file.cached else "was downloaded"
            self._say("network", f"{file.file} {came}, SHA-256 {file.sha256}", intent=spec.position)
        for host in network.hosts:
            self._say("network", reached_words(host), intent=spec.position)
        for one in network.refused:
            if one.name not in self.refused:
                self.refused.add(one.name)
                self._say("network", refusal_words(Network((one,))), level="warning", intent=spec.position)

    def _kept(self, desk: Desk, outcome: StepOutcome, spec: IntentSpec) -> StepOutcome:
        """Store the files; a step that left what no workspace may hold has failed."""
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
        deadline = self.companion.deadline
        return deadline is not None and time.monotonic() >= deadline

    def _stop_if_told(self, running: Running, outcome: StepOutcome, spec: IntentSpec) -> None:
        if self.companion.lost:
            raise LeaseLost(f"the lease on goal {self.lease.goal_id} was lost while a step ran")
        if self.companion.cancelled:
            reporting.not_tried(self.plan, self.lease, running, "cancelled", "cancelled while it ran")
            raise reporting.Cancelled("cancelled while a step ran")
        if self.companion.interrupted and outcome.failure is not None:
            # Of a step that must run once nobody knows what it did before it was ended: a person is asked.
            closed = "lost" if spec.effect == "once" else "interrupted"
            reporting.not_tried(self.plan, self.lease, running, closed, "its worker was told to stop")
            raise reporting.Halted(f"this worker was told to stop; intent {running.position} starts again elsewhere")

    def _finish(
        self, desk: Desk, running: Running, outcome: StepOutcome, *, following: int | None = None
    ) -> Running | None:
        """Record the step, and begin the one at the position `following`."""
        done, first = self._done(desk, outcome), None
        decided = self._looked_again(desk, running, done) if following is not None else None
        if decided is None and not desk.session.living:
            first = self.watch.first()
        is_next = following == running.position + 1
        begins = [beginning_of(self.document.at(following), desk.session.state)] if is_next and following else []
        said = Said(self._lines, begins, self.granted.stamp)
        # Programs that live in the session would end with it, and the plan with them: those plans are not handed over.
        goes_on = following is not None and (not draining.is_asked() or bool(desk.session.living))
        goes_on = goes_on and decided is None and first is None
        begins_it = goes_on and is_next
        begun = self._report(
            lambda: reporting.advance(self.plan, self.lease, running, done, go_on=begins_it, said=said)
        )
        self.filer.reported()
        self._lines = []
        if decided is not None:
            raise LetGo(decided)
        if following is not None and goes_on and not is_next:
            put_off.go_to(self.plan, self.lease, running.position + 1, following)
            return None
        if following is not None and begun is None and first is not None:
            self.lease.then.append(first.goal)
            raise reporting.Halted(f"intent {following} begins later: {first.why}")
        if following is not None and begun is None:
            if goes_on:
                raise reporting.Halted(reporting.begins_later(self.plan.goal_id, following))
            raise reporting.Halted(
                f"intent {following} begins when another worker takes it, for this one was told to stop"
            )
        return begun

    def _looked_again(self, desk: Desk, running: Running, done: Done) -> Reconsidered | None:
        """What the agent decides between two main steps, when it does not simply go on."""
        spec = self.document.at(running.position)
        if spec.phase != "main":
            return None
        succeeded = done.intent_state is IntentState.SUCCEEDED
        try:
            self._reconsidered(self.reconsiderer.after(spec, desk, succeeded=succeeded))
        except LetGo as given_up:
            return given_up.decided
        return None

    def _done(self, desk: Desk, outcome: StepOutcome) -> Done:
        if outcome.failure is not None:
            state, reason = IntentState.FAILED, outcome.failure.reason
        elif outcome.skipped:
            state, reason = IntentState.SKIPPED, outcome.skipped
        else:
            state, reason = IntentState.SUCCEEDED, ""
        return Done(state, outcome.answer, desk.head, desk.session.state.to_json(), reason)

    def _recover(self, running: Running, outcome: StepOutcome) -> None:
        """Have a strategy chosen and carried out: the plan goes on later, waits for people, or is aborted."""
        self.filer.file()
        failed = recovering.Failed(
            self.plan, self.lease, self.document, self.granted, running, outcome, self._chosen(running), self._living
        )
        recovering.recover(failed, lambda line: self._lines.append(line), self._write)

    def _put_off(self, running: Running, outcome: StepOutcome) -> bool:
        """Whether the steps of another branch go on first. Not beside programs, whose jail ends with the failed try."""
        following = self.track.beside(running.position)
        if following is None or outcome.failure is None or self._living or self.companion.out_of_time:
            return False
        self.filer.file()
        put_off.put_off(self.plan, self.lease, running, outcome.answer, outcome.failure, following)
        self._say(
            "bdi_agent",
            f"intent {running.position} failed; intent {following}, in another branch, goes on before it is recovered",
            level="warning",
            intent=running.position,
        )
        return True

    def _recovered(self, position: int) -> bool:
        """Whether a strategy was chosen now for a failure at this position that was put off."""
        waiting = self.track.waiting(position)
        if waiting is not None:
            self._recover(*waiting)
        return waiting is not None

    def _chosen(self, running: Running) -> IntentSpec:
        """The step of the approved document, or the alternative of it that is tried in its place."""
        spec = self.document.at(running.position)
        return spec.alternatives[running.alternative - 1] if running.alternative else spec

    # -- small things -----------------------------------------------------------------------------------------
    def _needs(self, spec: IntentSpec) -> tuple[Limits, tuple[str, ...]]:
        """The limits and hosts that the approved document states for a step, and nothing beside them.

        What this worker cannot hold or let in waits for one that can.
        """
        try:
            return session_limits(spec.limits), canonical(spec.hosts)
        except (UnknownLimit, HostRefused) as unknown:
            raise SandboxUnavailable(f"{unknown}; update mindX on this worker") from unknown

    def _head(self) -> str:
        return IntentPlan.objects.values_list("workspace__head", flat=True).get(pk=self.plan.pk)

    def _report(self, act: Callable[[], Answer], again: Callable[[], Answer] | None = None) -> Answer:
        """Do what follows a step as soon as the database answers: the step has run and need not run again."""
        return when_it_answers(act, again, give_up=lambda: self.companion.lost)

    def _say(self, source: str, text: str, level: str = "info", **data: object) -> None:
        """Say it with the next thing that is written."""
        self._lines.append(NewLine(source, "execute", text, level, data))

    def _write(self) -> None:
        self.filer.file()  # what was reported before these lines stands before them in the log
        lines, self._lines = self._lines, []
        logs.write(self.lease.goal_id, lines)

    @contextmanager
    def _everything_written(self) -> Iterator[None]:
        """Whatever ends the steps, what was to be said about them is written before anything else is."""
        try:
            yield
        finally:
            self._write()


def _out_of_time(outcome: StepOutcome, spec: IntentSpec) -> StepOutcome:
    """The step did not fail by itself: the time of the whole plan is over."""
    answer = {**outcome.answer, "status": "ERROR", "limit": "plan_time"}
    return replace(outcome, answer=answer, failure=recovery.classify(answer, spec.limits))


def execute(lease: Lease, begun: Begun) -> bool:
    """Run a plan that was taken up. Returns whether the lease was given back with the plan's end."""
    watch = Watch(lease.goal_id, begun.plan.pk)
    filer = Filer(begun.plan.pk, lease.goal_id)
    if begun.is_reported:
        filer.reported()
    beside = Companion(
        lease.goal_id,
        renew=lambda: renew(lease),
        is_cancelled=watch.is_cancelled,
        before_writing=lambda wait: filer.file(wait=wait),
    )
    with telemetry.working_on(plan=begun.plan.pk), beside as companion:
        return Executor(lease, companion, begun.plan, begun.document, begun.granted, begun.running, watch, filer).run()
