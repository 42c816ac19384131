"""Open plans of goals that cannot have one: they have ended, or are yet to be planned.

Every move of mindX takes a goal and its open plan along together, so there is none unless rows were changed past it: by
hand, by a restore of single tables, by a bug. No turn of its goal would ever end such a plan, and while it is executing
no other plan may begin on the files of its workspace.

A constraint would have to look at another table with every move of a goal and of a plan. The sweep looks once a second,
and a restore asks the same service.
"""

from __future__ import annotations

import logging

from django.db import DatabaseError, transaction
from django.db.models import Exists, F, OuterRef
from django.db.models.functions import Now

from agents.models import Attempt, Goal, IntentPlan
from agents.plans import report_filing
from agents.record import logs
from agents.record.moves import GIVEN_BACK, move_intents, move_plan
from agents.states import GOAL_ENDED, GOAL_MOVES, PLAN_ENDED, GoalState, IntentState, MoveRefused, PlanState

logger = logging.getLogger(__name__)

# The states that lead to no review: a goal in one of them has no plan that waits, may run or runs.
WITHOUT_PLAN = frozenset(state for state, targets in GOAL_MOVES.items() if GoalState.AWAITING_REVIEW not in targets)
BY = "sweep"
_OPEN = sorted(state.value for state in PlanState if state not in PLAN_ENDED)
_AT_ONCE = 50


def sweep() -> int:
    """End the stray plans there are; how many were found."""
    # By goals, of which two indexes hold those with an open plan and those that are open: no plan is read for it.
    fits = Goal.objects.filter(pk=OuterRef("goal_id")).exclude(state__in=sorted(GOAL_ENDED))
    fits = fits.exclude(state__in=sorted(WITHOUT_PLAN - GOAL_ENDED))
    stray = IntentPlan.objects.filter(~Exists(fits), state__in=_OPEN).order_by()
    found = list(stray.values_list("goal_id", flat=True)[:_AT_ONCE])
    for goal_id in found:
        try:
            with transaction.atomic():
                goal = Goal.objects.select_for_update(no_key=True).get(pk=goal_id)
                plan = goal.intent_plans.select_for_update(no_key=True).filter(state__in=_OPEN).first()
                if plan is not None:
                    end(goal, plan, by=BY)
        except MoveRefused as error:
            logger.info("The plan of goal %s moved while it was to be ended: %s", goal_id, error)
        except DatabaseError:
            # One that cannot be ended keeps no other one from it.
            logger.exception("The plan of goal %s could not be ended", goal_id)
    return len(found)


def end(goal: Goal, plan: IntentPlan, *, by: str, why: str = "") -> str:
    """Cancel an open plan whose goal can have none, and say so in the goal's log; the sentence, "" when it fits.

    The caller holds both rows. `why` says what led to it, where that is known. A worker that still runs a step of it
    loses its lease and stops; what it reports later is refused.
    """
    if goal.state not in WITHOUT_PLAN or plan.state in PLAN_ENDED:
        return ""
    said = f"revision {plan.revision} was {_words(plan.state)} although its goal is {_words(goal.state)}; it was ended"
    _file(plan)
    reason = f"its goal is {_words(goal.state)}" + (f"; {why}" if why else "")
    open_tries = Attempt.objects.filter(intent__intent_plan=plan, finished=None)
    open_tries.update(finished=Now(), outcome="cancelled", reason=reason)
    move_intents(plan.intents.filter(state=IntentState.RUNNING.value), IntentState.FAILED, reason=reason)
    move_intents(plan.intents.filter(state=IntentState.PENDING.value), IntentState.SKIPPED, reason=reason)
    move_plan(plan, PlanState.CANCELLED, by=by, reason=reason)
    Goal.objects.filter(pk=goal.pk).update(lease_fence=F("lease_fence") + 1, **GIVEN_BACK)
    logs.say(goal.pk, "worker", "cycle", said, level="error")
    logger.warning("Plan %s of goal %s: %s", plan.pk, goal.pk, said)
    return f"goal {goal.pk}: {said}"


def _file(plan: IntentPlan) -> None:
    """File what its steps reported before it ends; reports that cannot be filed do not keep it open."""
    try:
        with transaction.atomic():
            report_filing.file_locked(plan.pk, plan.goal_id)
    except DatabaseError:
        logger.exception("What steps of plan %s reported could not be filed", plan.pk)


def _words(state: str) -> str:
    return state.replace("_", " ")
