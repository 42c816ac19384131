"""Pausing an agent and letting it go on. What it has begun is never thrown away."""

from __future__ import annotations

import logging

from django.db import transaction

from agents.models import Agent
from people import journal
from people.journal import Event
from people.models import User

logger = logging.getLogger(__name__)


def pause(agent: Agent, *, by: User) -> Agent:
    """Let the agent adopt no goal and start no step until it is resumed; a step that runs is finished."""
    return _set(agent, True, by)


def resume(agent: Agent, *, by: User) -> Agent:
    """Let the agent go on; the next sweep finds its goals."""
    return _set(agent, False, by)


def _set(agent: Agent, paused: bool, by: User) -> Agent:
    with transaction.atomic():
        if Agent.objects.filter(pk=agent.pk, paused=not paused).update(paused=paused):
            told = {"before": {"paused": not paused}, "after": {"paused": paused}}
            journal.record(Event.AGENT, by=by, subject=f"agent:{agent.name}", data=told)
            logger.info("Agent %s was %s by %s", agent.name, "paused" if paused else "resumed", by.username)
    agent.refresh_from_db(fields=["paused"])
    return agent
