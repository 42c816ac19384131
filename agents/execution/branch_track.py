"""Where a plan with branches goes on, as the worker that runs it sees it; of a plan without any it is the next step."""

from __future__ import annotations

from agents.bdi.plans import branches
from agents.bdi.plans.document import Document
from agents.bdi.recovery import recovery
from agents.execution.steps import StepOutcome
from agents.models import IntentPlan
from agents.plans import put_off
from agents.plans.reporting import Running
from agents.states import IntentState


class Track:
    """The main steps of one claim, and which of them have ended. States are read only where there are branches."""

    def __init__(self, plan: IntentPlan, document: Document) -> None:
        self._plan, self._intents = plan, document.intents
        self.has_branches = branches.has_branches(document.intents)
        self._states: dict[int, str] | None = None

    def after(self, position: int, outcome: StepOutcome) -> int | None:
        """The step after the one at `position`, which has ended well; None when it was the last."""
        if not self.has_branches:
            return position + 1 if position < len(self._intents) else None
        states = self._known()
        states[position] = (IntentState.SKIPPED if outcome.skipped else IntentState.SUCCEEDED).value
        return branches.going_on(self._intents, states, position + 1)

    def beside(self, position: int) -> int | None:
        """The step of another branch that can go on now that this one has failed; None when none can."""
        return branches.instead_of(self._intents, self._known(), position) if self.has_branches else None

    def waiting(self, position: int) -> tuple[Running, StepOutcome] | None:
        """The failure of this step whose recovery was put off, as it was then."""
        attempt = put_off.waiting_at(self._plan, position) if self.has_branches else None
        if attempt is None:
            return None
        spec = self._intents[position - 1]
        answer = attempt.result if isinstance(attempt.result, dict) else {}
        failure = recovery.Failure(
            recovery.FailureClass(attempt.failure_class),
            attempt.reason,
            cause=recovery.classify(answer, spec.limits).cause,
        )
        running = Running(attempt.pk, attempt.number, position, attempt.snapshot_before, attempt.alternative, told=True)
        return running, StepOutcome(failure=failure, answer=answer)

    def _known(self) -> dict[int, str]:
        if self._states is None:
            self._states = put_off.states_of(self._plan)
        return self._states
