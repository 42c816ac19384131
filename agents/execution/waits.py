"""Steps that wait until something is so: looked at when a claim comes to them, and between claims by the sweep.

Between claims nobody has a lease on the goal: it sleeps until the time is over, and the sweep wakes it sooner when what
it waits for is so. What the sweep sees decides nothing; the claim looks again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from agents.bdi.plans import document as documents
from agents.bdi.plans import waits
from agents.bdi.plans.document import IntentSpec
from agents.bdi.plans.waits import Awaited
from agents.beliefs import perceiving
from agents.beliefs.perceiving import Place
from agents.models import Attempt, Goal, IntentPlan
from agents.record import wake_ups
from agents.record.errors import AgentsError
from agents.states import GoalState, PlanState
from agents.toolkit.types import Belief
from agents.workspaces.waiting_for_hands import WAITS_UNTIL
from sandbox.contract import SessionState

# Of one sweep: looking at a workspace takes milliseconds, and the sweep has other parts. Where more wait, chance draws
# those that are looked at, so that none of them is left out for ever.
MOST_LOOKED_AT = 100


class StillWaits(AgentsError):
    """The condition does not hold yet and there is time left, so the goal sleeps until the deadline."""

    def __init__(self, wanted: Awaited, until: datetime) -> None:
        super().__init__(f"waits until {wanted.words}, at most until {until:%Y-%m-%d %H:%M:%S} UTC")
        self.wanted, self.until = wanted, until


@dataclass(frozen=True)
class Looked:
    """What a look came to: the belief that holds it, if any, and how long it has been waited for, in seconds."""

    wanted: Awaited
    held_by: Belief | None
    waited_s: float

    @property
    def words(self) -> str:
        """How the wait ended, in words for the log and the page."""
        after = f"after {self.waited_s:.0f} s"
        if self.held_by is not None:
            return f"“{self.wanted.words}” holds {after}, because of the belief “{self.held_by.sentence}”"
        return f"“{self.wanted.words}” did not come to hold within {self.wanted.most_s} s"


def look(plan: IntentPlan, spec: IntentSpec, place: Place) -> Looked:
    """Whether what the step waits for is so now, or its time is over. Raises StillWaits.

    Its time began with its first try, so that neither a lost worker nor a try after a failure makes it longer.
    """
    wanted = waits.awaited(spec.params)
    now = timezone.now()
    first = Attempt.objects.filter(intent__intent_plan=plan, intent__position=spec.position).order_by("number").first()
    began = first.started if first is not None else now
    goal = Goal.objects.select_related("agent", "workspace").get(pk=plan.goal_id)
    held_by = waits.holding(wanted, perceiving.perceive(goal, place), place.folder)
    until = began + timedelta(seconds=wanted.most_s)
    if held_by is None and now < until:
        raise StillWaits(wanted, until)
    return Looked(wanted, held_by, max(0.0, (now - began).total_seconds()))


def sweep() -> None:
    """Wake the goals whose wait may be over before its time."""
    asleep = Goal.objects.filter(
        state=GoalState.RECOVERING.value, reason__startswith=WAITS_UNTIL, wake_at__gt=timezone.now(), lease_until=None
    )
    for goal in asleep.select_related("agent", "workspace").order_by("?")[:MOST_LOOKED_AT]:
        plan = goal.intent_plans.select_related("session").filter(state=PlanState.EXECUTING.value).first()
        if plan is None or (plan.cancel_requested or _is_so(goal, plan)):
            # The race it leaves open: a claim between look and update finds out for itself, and so does the next one.
            Goal.objects.filter(pk=goal.pk, state=GoalState.RECOVERING.value, wake_at=goal.wake_at).update(wake_at=None)
            wake_ups.wake(goal.pk)


def _is_so(goal: Goal, plan: IntentPlan) -> bool:
    step = documents.read(bytes(plan.document)).at(plan.position)
    if not waits.is_wait(step.tool, step.command):
        return True  # whoever claims it finds out what it is
    state = SessionState.from_json(plan.session.state)
    place = Place(goal.workspace.head, state.cwd, state.venv, state.autonomous)
    return waits.holding(waits.awaited(step.params), perceiving.perceive(goal, place), place.folder) is not None
