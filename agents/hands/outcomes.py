"""A person says what became of a step that must run once and whose worker died while it ran."""

from __future__ import annotations

from enum import StrEnum

from django.db import transaction
from django.db.models import F

from agents.models import Goal, Intent, IntentPlan
from agents.record import logs, wake_ups
from agents.record.errors import NotPossibleNow
from agents.record.moves import move_goal, move_intents
from agents.states import GoalState, IntentState, PlanState
from people.models import User


class Outcome(StrEnum):
    """What the person found out: it took effect, it did not, or it may safely run again."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    RUN_AGAIN = "run_again"


_SAID = {
    Outcome.SUCCEEDED: "it took effect",
    Outcome.FAILED: "it did not take effect",
    Outcome.RUN_AGAIN: "it may run again",
}


def asked_about(goal: Goal) -> Intent | None:
    """The step of the goal's plan of which a person must say what became of it."""
    asked = Intent.objects.filter(intent_plan__goal=goal, intent_plan__state=PlanState.EXECUTING.value)
    return asked.filter(state=IntentState.OUTCOME_UNKNOWN.value).first()


def report(intent: Intent, *, by: User, outcome: Outcome) -> Intent:
    """Record the person's answer and let the plan go on from there; NotPossibleNow when nobody asked."""
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(intent_plans=intent.intent_plan_id)
        plan = IntentPlan.objects.get(pk=intent.intent_plan_id)
        if goal.state != GoalState.MANUAL or plan.state != PlanState.EXECUTING:
            # Cancelled meanwhile: what is said now would move a plan that has ended.
            raise NotPossibleNow(f"Goal {goal.pk} is {goal.state} now, so no answer is needed. Nothing was changed.")
        asked = plan.intents.filter(pk=intent.pk, state=IntentState.OUTCOME_UNKNOWN.value)
        new = IntentState.SUCCEEDED if outcome is Outcome.SUCCEEDED else IntentState.FAILED
        if not move_intents(asked, new, reason=f"{by.username} says: {_SAID[outcome]}"):
            raise NotPossibleNow("No answer is needed for this intent. Somebody may already have answered.")
        cleans_up = bool(plan.aborting)
        if outcome is Outcome.SUCCEEDED or (outcome is Outcome.FAILED and cleans_up):
            # Cleaning up is best effort: whatever became of one step of it, the next one is tried.
            IntentPlan.objects.filter(pk=plan.pk).update(position=F("position") + 1)
        elif outcome is Outcome.FAILED:
            first_cleanup = plan.intents.filter(phase=Intent.Phase.MAIN).count() + 1
            move_intents(
                plan.intents.filter(phase=Intent.Phase.MAIN, state=IntentState.PENDING.value),
                IntentState.SKIPPED,
                reason="an earlier step failed",
            )
            IntentPlan.objects.filter(pk=plan.pk).update(
                position=first_cleanup, aborting=f"step {intent.position} did not take effect, says {by.username}"
            )
        logs.say(goal.pk, "review", "execute", f"step {intent.position}: {_SAID[outcome]}, says {by.username}")
        move_goal(goal, GoalState.EXECUTING, by=by.username, only_from=[GoalState.MANUAL])
        wake_ups.wake(goal.pk)
    intent.refresh_from_db()
    return intent
