"""Pausing and resuming an agent, or everything. Running steps are never discarded."""

from __future__ import annotations

import logging

from django.db import transaction
from django.db.models import Q

from agents.models import Agent, Goal, Standstill
from agents.record import wake_ups
from agents.states import GoalState, PlanState
from people import journal
from people.journal import Event
from people.models import User

logger = logging.getLogger(__name__)

# Open pages of goals that would go on, an approved plan's among them, say at once that they do not.
_MOVING = [one.value for one in (GoalState.PENDING, GoalState.PLANNING, GoalState.EXECUTING, GoalState.RECOVERING)]
_SHOWN = Q(state__in=_MOVING) | Q(state=GoalState.AWAITING_REVIEW.value, intent_plans__state=PlanState.APPROVED.value)
_TOLD_MOST = 500


def pause(agent: Agent, *, by: User) -> Agent:
    """Let the agent adopt no goal and start no step until it is resumed; a step that runs is finished."""
    return _set(agent, True, by)


def resume(agent: Agent, *, by: User) -> Agent:
    """Let the agent go on; the next sweep finds its goals."""
    return _set(agent, False, by)


def standstill() -> Standstill | None:
    """Who lets nothing begin at the moment, since when and why; None when all goes on."""
    return Standstill.objects.select_related("by").first()


def stop_all(*, by: User, reason: str) -> Standstill:
    """Let nothing begin anywhere until `go_on`; what runs is finished. Doing it again changes nothing."""
    with transaction.atomic():
        found, made = Standstill.objects.get_or_create(id=1, defaults={"by": by, "reason": reason})
        if made:
            journal.record(Event.STANDSTILL, by=by, subject="mindx:all", data={"after": {"reason": reason}})
            logger.info("Everything was stopped by %s: %s", by.username, reason)
    return found


def go_on(*, by: User) -> None:
    """Resume everything; the next sweep finds the waiting goals."""
    with transaction.atomic():
        found = Standstill.objects.select_for_update().first()
        if found is not None:
            found.delete()
            data = {"before": {"reason": found.reason}, "after": {"reason": ""}}
            journal.record(Event.STANDSTILL, by=by, subject="mindx:all", data=data)
            logger.info("Everything was resumed by %s", by.username)


def _set(agent: Agent, paused: bool, by: User) -> Agent:
    with transaction.atomic():
        if Agent.objects.filter(pk=agent.pk, paused=not paused).update(paused=paused):
            told = {"before": {"paused": not paused}, "after": {"paused": paused}}
            journal.record(Event.AGENT, by=by, subject=f"agent:{agent.name}", data=told)
            logger.info("Agent %s was %s by %s", agent.name, "paused" if paused else "resumed", by.username)
            shown = Goal.objects.filter(_SHOWN, agent=agent).order_by("-pk").values_list("pk", flat=True).distinct()
            for goal in shown[:_TOLD_MOST]:
                wake_ups.goal_changed(goal)
    agent.refresh_from_db(fields=["paused"])
    return agent
