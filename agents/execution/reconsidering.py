"""Reconsidering between two steps: asked without a statement, and only of who has a reason to look again.

A blind or single-minded agent looks when something was told (`watching.py`); an open-minded one after each step, for
the price of a few statements and a look at the files. What comes of it is one transaction, after the step was recorded.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from agents.bdi.intentions import premises
from agents.bdi.intentions.commitment import Commitment, Course, Reconsidered, reconsider
from agents.bdi.intentions.premises import Ground, Loss, Standing
from agents.bdi.plans.document import Document, IntentSpec
from agents.beliefs import grounds, perceiving
from agents.beliefs.perceiving import Place, Words
from agents.execution.watching import Watch
from agents.execution.workplace import Desk
from agents.models import Goal, Intent, IntentPlan
from agents.plans import report_filing
from agents.plans.ending import DROPPED
from agents.plans.reporting import held
from agents.record import wake_ups
from agents.record.errors import AgentsError
from agents.record.lease import Lease
from agents.record.moves import move_intents
from agents.recovery import reconsideration, told_beliefs
from agents.states import IntentState
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import Belief


class LetGo(AgentsError):
    """The agent does not go on with this plan; nothing of it runs any more but its clean-up."""

    def __init__(self, decided: Reconsidered) -> None:
        super().__init__(decided.why)
        self.decided = decided


class Reconsiderer:
    """Looks at one claim's plan between its steps."""

    def __init__(self, plan: IntentPlan, document: Document, watch: Watch) -> None:
        self._plan, self._document, self._watch = plan, document, watch
        self._standing: Standing | None = None
        # What the last look found, and from what: an agent that looks after each step most often finds the same.
        self._told: tuple[int, int, int] | None = None
        self._at: Place | None = None
        self._beliefs: list[Belief] = []
        self._held_on: frozenset[Ground] = frozenset()
        self._words: Words | None = None
        self._said = ""

    def after(self, spec: IntentSpec, desk: Desk, *, succeeded: bool) -> Reconsidered | None:
        """What to do now that this step is over; None when nobody has a reason to look, or nothing is new."""
        is_open = self._commitment() is Commitment.OPEN_MINDED
        # Kept up once it is known: an operator may have the agent look after each step from here on, or no longer.
        if is_open or self._standing is not None:
            known = self._standing or self._standing_before(spec.position)
            self._standing = known.after(spec, tools_in_use()) if succeeded else known
        if not (self._watch.news() or is_open):
            return None
        return self._looked(spec.position + 1, desk)

    def before(self, position: int, desk: Desk) -> Reconsidered | None:
        """The same for a plan that goes on after it lay still: nobody looked meanwhile."""
        return self._looked(position, desk)

    def _looked(self, position: int, desk: Desk) -> Reconsidered | None:
        known = self._standing = self._standing or self._standing_before(position)
        session = desk.session.state
        at = Place(desk.head, session.cwd, session.venv, session.autonomous)
        expected, told = known.expected(position), told_beliefs.mark(self._plan.goal_id)
        goal = Goal.objects.select_related("agent", "workspace").get(pk=self._plan.goal_id)
        lost: tuple[Loss, ...] = ()
        is_same = told == self._told and at == self._at and not self._is_over()
        if is_same and set(expected) <= self._held_on:
            # Neither the files nor the words are others than when each of these held: only the goal itself is asked.
            beliefs = self._beliefs
        else:
            beliefs = self._perceived(goal, at, told) if expected else grounds.held(goal)
            lost = premises.losses(expected, beliefs)
        self._told, self._at, self._beliefs = told, at, beliefs
        self._held_on = frozenset(expected) - {loss.ground for loss in lost}
        decided = reconsider(self._commitment(), grounds.situation(goal, beliefs, lost))
        if decided.course is Course.GO_ON and (len(decided.data) <= 2 or decided.why == self._said):
            return None  # all holds, or it was said already
        self._said = decided.why
        return decided

    def _perceived(self, goal: Goal, at: Place, told: tuple[int, int, int]) -> list[Belief]:
        """What is so now; what people said is read again only when it is no longer the same."""
        if told != self._told or self._words is None or self._is_over():
            self._words = perceiving.words_about(goal)
        return perceiving.perceive(goal, at, self._words)

    def _is_over(self) -> bool:
        """Whether the time of something that was told is over, which the sweep may not have seen yet."""
        return self._words is not None and self._words.expires(timezone.now())

    def _commitment(self) -> Commitment:
        """How firmly the agent holds on now: as the last look beside the steps saw it, at first as the claim did."""
        return Commitment(self._watch.commitment or self._plan.commitment or Commitment.SINGLE_MINDED)

    def _standing_before(self, position: int) -> Standing:
        report_filing.file(self._plan.pk, self._plan.goal_id)
        done = self._plan.intents.filter(state=IntentState.SUCCEEDED.value, position__lt=position)
        return grounds.standing_of(self._plan, self._document, set(done.values_list("position", flat=True)))


def carry_out(plan: IntentPlan, lease: Lease, decided: Reconsidered, *, first_cleanup: int) -> None:
    """End the plan as was decided, or have its clean-up run first when the goal is dropped."""
    with transaction.atomic():
        goal = held(plan, lease)
        locked = goal.intent_plans.select_for_update(no_key=True).get(pk=plan.pk)
        reconsideration.say(goal.pk, decided)
        if decided.course is not Course.DROP:
            reconsideration.let_go(goal, locked, decided, by=lease.owner)
            return
        reason = f"{DROPPED}{reconsideration.in_a_word(decided)}"
        pending = locked.intents.filter(phase=Intent.Phase.MAIN, state=IntentState.PENDING.value)
        move_intents(pending, IntentState.SKIPPED, reason=f"not run: {decided.why}"[:1000])
        IntentPlan.objects.filter(pk=plan.pk, fence=lease.fence).update(aborting=reason, position=first_cleanup)
        wake_ups.goal_changed(plan.goal_id)
