"""Whether an agent plans with memory, which operators decide; each change is in the journal."""

from __future__ import annotations

from django.db import transaction

from agents.models import Agent
from agents.record.errors import NotYours
from library.memory import switches
from people import journal
from people.journal import Event
from people.models import User
from people.roles import Role


def set_to(agent: Agent, *, on: bool, by: User) -> None:
    """Have its next planning use memory or not. Raises NotYours; doing it again changes nothing."""
    if not by.has_role(Role.OPERATOR):
        raise NotYours("Only operators can switch an agent's memory on or off.")
    with transaction.atomic():
        if switches.switch(agent.name, on=on, by=by):
            told = {"before": {"memory": not on}, "after": {"memory": on}}
            journal.record(Event.AGENT, by=by, subject=f"agent:{agent.name}", data=told)
