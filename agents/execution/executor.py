"""Runs an approved intent plan under a lease: try each intent, record how it ended, go on, recover or end."""

from __future__ import annotations

import logging
import time

from django.conf import settings

from agents.bdi.intentions.commitment import Course, Reconsidered
from agents.bdi.intentions.cycle import Decision
from agents.bdi.intentions.deliberation import GoesFirst
from agents.bdi.plans.document import Document
from agents.bdi.plans.waits import is_wait
from agents.execution import gate_check, reconsidering, recovering, waits
from agents.execution.attempts import Attempts, PendingLines
from agents.execution.beginning import Begun
from agents.execution.branch_track import Track
from agents.execution.companion import Companion
from agents.execution.reconsidering import LetGo, Reconsiderer
from agents.execution.step_lines import beginning_of
from agents.execution.steps import StepOutcome
from agents.execution.watching import Watch
from agents.execution.workplace import Desk, open_desk, remove_stale_checkouts
from agents.models import Attempt, IntentPlan
from agents.plans import ending, footings, put_off, reporting
from agents.plans.outcome_evaluation import Observed
from agents.plans.report_filing import Filer
from agents.plans.reporting import Done, Running, Said
from agents.record import draining, gate, logs, telemetry
from agents.record.errors import StepWaits
from agents.record.lease import Lease, renew
from agents.record.logs import NewLine
from agents.recovery import reconsideration
from agents.states import GoalState, IntentState
from library.language import may_wait
from sandbox.contract import SandboxError, SessionState

logger = logging.getLogger(__name__)


class Executor:
    """One claim of one approved plan. `run` returns when the plan ended, waits, or somebody else has it."""

    def __init__(
        self,
        lease: Lease,
        companion: Companion,
        plan: IntentPlan,
        document: Document,
        granted: gate.Verdict,
        running: Running | None,
        watch: Watch,
        filer: Filer,
    ) -> None:
        self.lease = lease
        self.companion = companion
        self.filer = filer
        self.watch = watch
        self.reconsiderer = Reconsiderer(plan, document, watch)
        self.plan = plan
        self.document = document
        self._first = running
        self.observed = Observed(plan, document)
        self.track = Track(plan, document)
        # The least isolation under which the gate let it run; None is the operator's.
        self.minimum = granted.minimum or None
        self.lines = PendingLines(plan.goal_id, filer)
        self.attempts = Attempts(lease, companion, plan, document, granted, filer, self.lines)

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
            self.lines.say("worker", "the workspace changed while the step ran; it starts again from the new state")
            self.lines.write()
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
        if self.plan.position > len(self.document.intents):
            ending.complete_behind_the_last(self.plan, self.lease, self.observed.verdict(self._head()))
            return False
        if self.document.sends_text:
            may_wait.check()  # such a plan runs in the background pool as a whole, so that its programs live on
        running = self._first
        if running is None and self._recovered(self.plan.position):
            return False
        state = SessionState.from_json(self.plan.session.state)
        needs = self.attempts.needs(self.document.at(self.plan.position))
        head = self._head() if running is None else running.before
        self.companion.deadline = time.monotonic() + settings.PLAN_S - self._seconds_run(running)
        with (
            open_desk(self.lease, head, state, *needs, minimum=self.minimum) as desk,
            self.lines.all_written(),
        ):
            if running is None and self.lease.state != GoalState.AWAITING_REVIEW:
                self._reconsidered(self.reconsiderer.before(self.plan.position, desk))
            return self._steps_from(self.plan.position, desk, running)

    def _steps_from(self, position: int, desk: Desk, running: Running | None) -> bool:
        """Run one step after the other; `running` is a try of the first that has begun. Returns as `_main_steps`."""
        while True:
            running = running or self._begin(desk, position)
            self.observed.begun(position, running.before)
            outcome = self.attempts.attempt(desk, running)
            if outcome.failure is not None:
                if not self._put_off(running, outcome):
                    self._recover(running, outcome)
                return False
            self.observed.ended(position, None if outcome.skipped else outcome.answer)
            following = self.track.after(position, outcome)
            if following is None:
                # Before the desk is cleared: people need not wait for thousands of files to be removed.
                self._complete(desk, running, outcome)
                return True
            running = self._finish(desk, running, outcome, following=following)
            if running is None and self._recovered(following):
                return False
            position = following

    def _reconsidered(self, decided: Reconsidered | None) -> None:
        """Raises LetGo when the agent does not go on; what it goes on in spite of is said with the next line."""
        if decided is not None and decided.course is not Course.GO_ON:
            raise LetGo(decided)
        if decided is not None:
            self.lines.pending.append(reconsideration.line(decided))

    def _complete(self, desk: Desk, running: Running, outcome: StepOutcome) -> None:
        """The last step and the plan end together, in one transaction, and the lease with them."""
        if desk.session.living:
            self.lines.say("worker", f"ended with the plan: {', '.join(desk.session.living)}")
        done, said = _done(desk, outcome), self.lines.pending
        verdict = self.observed.verdict(done.after)
        # Reported twice, when only the reply was lost, it is the same end.
        self.attempts.report(lambda: ending.complete(self.plan, self.lease, running, done, said, verdict))
        self.filer.filed()
        self.lines.pending = []

    def _cleanup_steps(self) -> None:
        """Run the approved clean-up, best effort: a failing step is recorded and the next one is tried."""
        first, last = len(self.document.intents) + 1, len(self.document.all_intents)
        if self.plan.position > last:
            return
        self.companion.without_deadline()
        running: Running | None = None
        start = max(first, self.plan.position)
        needs, least = self.attempts.needs(self.document.at(start)), self.minimum
        with (
            open_desk(self.lease, self._head(), SessionState(), *needs, part="cleanup", minimum=least) as desk,
            self.lines.all_written(),
        ):
            for position in range(start, last + 1):
                running = running or self._begin(desk, position)
                outcome = self.attempts.attempt(desk, running)
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
        return reporting.begin(self.plan, self.lease, position, said=Said((), begins, self.attempts.granted.stamp))

    def _finish(
        self, desk: Desk, running: Running, outcome: StepOutcome, *, following: int | None = None
    ) -> Running | None:
        """Record the step, and begin the one at the position `following`."""
        done = _done(desk, outcome)
        if following is None:
            return self._recorded(running, done, [], go_on=False)
        decided = self._looked_again(desk, running, done)
        first = self.watch.first() if decided is None and not desk.session.living else None
        # Programs that live in the session would end with it, and the plan with them: those plans are not handed over.
        hands_over = draining.is_asked() and not desk.session.living
        goes_on = not hands_over and decided is None and first is None
        is_next = following == running.position + 1
        begins = [beginning_of(self.document.at(following), desk.session.state)] if is_next else []
        begun = self._recorded(running, done, begins, go_on=goes_on and is_next)
        if decided is not None:
            raise LetGo(decided)
        if goes_on and not is_next:
            put_off.go_to(self.plan, self.lease, running.position + 1, following)
            return None
        if begun is None:
            raise self._halted(following, first, goes_on=goes_on)
        return begun

    def _recorded(self, running: Running, done: Done, begins: list[NewLine], *, go_on: bool) -> Running | None:
        """Record the step, and the next one as begun when it is to `go_on`; `begins` is what the log then says."""
        said = Said(self.lines.pending, begins, self.attempts.granted.stamp)
        begun = self.attempts.report(
            lambda: reporting.advance(self.plan, self.lease, running, done, go_on=go_on, said=said)
        )
        self.filer.reported()
        self.lines.pending = []
        return begun

    def _halted(self, following: int, first: GoesFirst | None, *, goes_on: bool) -> reporting.Halted:
        """Why the next step was not begun here and now."""
        if first is not None:
            self.lease.then.append(first.goal)
            return reporting.Halted(f"step {following} begins later: {first.why}")
        if goes_on:
            return reporting.Halted(reporting.begins_later(self.plan.goal_id, following))
        return reporting.Halted(f"step {following} begins when another worker takes it, for this one was told to stop")

    def _looked_again(self, desk: Desk, running: Running, done: Done) -> Reconsidered | None:
        """What the agent decides between two main steps, when it does not simply go on."""
        spec = self.document.at(running.position)
        if spec.phase != "main":
            return None
        succeeded = done.intent_state is IntentState.SUCCEEDED
        if succeeded and is_wait(spec.tool, spec.command) and (moved := self._taken_meanwhile(running, done)):
            return Reconsidered(Course.PLAN_AGAIN, footings.in_words(moved, "while it waited"), {"paths": list(moved)})
        try:
            self._reconsidered(self.reconsiderer.after(spec, desk, succeeded=succeeded))
        except LetGo as given_up:
            return given_up.decided
        return None

    def _taken_meanwhile(self, running: Running, done: Done) -> tuple[str, ...]:
        """What came during a wait and would go with a step behind it."""
        self.filer.file()
        tries = Attempt.objects.filter(intent__intent_plan=self.plan, intent__position=running.position)
        before = tries.order_by("number").values_list("snapshot_before", flat=True).first()
        return footings.taken_meanwhile(self.document, running.position, before or running.before, done.after)

    def _recover(self, running: Running, outcome: StepOutcome) -> None:
        """Have a strategy chosen and carried out: the plan goes on later, waits for people, or is aborted."""
        self.filer.file()
        failed = recovering.Failed(
            self.plan,
            self.lease,
            self.document,
            self.attempts.granted,
            running,
            outcome,
            self.attempts.chosen(running),
            self.attempts.living,
        )
        recovering.recover(failed, self.lines)

    def _put_off(self, running: Running, outcome: StepOutcome) -> bool:
        """Whether the steps of another branch go on first. Not beside programs, whose jail ends with the failed try."""
        following = self.track.beside(running.position)
        if following is None or outcome.failure is None or self.attempts.living or self.companion.out_of_time:
            return False
        self.filer.file()
        put_off.put_off(self.plan, self.lease, running, outcome.answer, outcome.failure, following)
        self.lines.say(
            "bdi_agent",
            f"step {running.position} failed; step {following}, in another branch, goes on before it is recovered",
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

    # -- small things -----------------------------------------------------------------------------------------

    def _head(self) -> str:
        return IntentPlan.objects.values_list("workspace__head", flat=True).get(pk=self.plan.pk)


def _done(desk: Desk, outcome: StepOutcome) -> Done:
    if outcome.failure is not None:
        state, reason = IntentState.FAILED, outcome.failure.reason
    elif outcome.skipped:
        state, reason = IntentState.SKIPPED, outcome.skipped
    else:
        state, reason = IntentState.SUCCEEDED, ""
    return Done(state, outcome.answer, desk.head, desk.session.state.to_json(), reason)


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
