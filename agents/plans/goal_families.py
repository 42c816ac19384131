"""Goals that are parts of others: when the whole has ended, what is left of its parts is dropped."""

from __future__ import annotations

import logging

from django.db import transaction

from agents.bdi.intentions.cycle import Decision
from agents.beliefs import grounds
from agents.models import Goal
from agents.plans import ending
from agents.record import logs, wake_ups
from agents.record.moves import move_goal
from agents.states import GOAL_ENDED, PLAN_ENDED, GoalState, MoveRefused, PlanState

logger = logging.getLogger(__name__)

_AT_ONCE = 50


def drop_orphans() -> int:
    """Drop open goals whose parent has ended; how many were found. For the sweeper, and when a goal is learned from.

    One whose plan runs is let go of by its worker, which sees it within seconds and runs the clean-up.
    """
    ended = [state.value for state in GOAL_ENDED]
    orphans = Goal.objects.filter(parent__state__in=ended).exclude(state__in=ended).order_by("pk")[:_AT_ONCE]
    for goal_id in orphans.values_list("pk", flat=True):
        try:
            with transaction.atomic():
                _drop(Goal.objects.select_for_update(no_key=True).get(pk=goal_id))
        except MoveRefused as error:
            logger.info("Goal %s moved while it was dropped with its parent: %s", goal_id, error)
    return len(orphans)


def _drop(goal: Goal) -> None:
    why = grounds.superseded(goal)
    if goal.has_ended or not why:
        return
    open_plan = goal.intent_plans.select_for_update(no_key=True)
    plan = open_plan.exclude(state__in=[state.value for state in PLAN_ENDED]).first()
    if plan is not None and plan.state == PlanState.EXECUTING:
        wake_ups.wake(goal.pk)
        return
    logs.say_decided(goal.pk, Decision.DROP, "reconsider", f"dropped: {why}", "warning", parent=goal.parent_id)
    if plan is not None:
        ending.cancelled(goal, plan, by="bdi_agent", reason=f"superseded: {why}")
    else:
        move_goal(goal, GoalState.DROPPED, by="bdi_agent", reason=f"superseded: {why}")
