"""How firmly an agent holds on: read at every decision, set by an operator, each change kept."""

from __future__ import annotations

from django.db import transaction

from agents.bdi.intentions.commitment import Commitment
from agents.models import Agent, AgentCommitment
from agents.record.errors import NotYours
from people import journal
from people.journal import Event
from people.models import User
from people.roles import Role

DEFAULT = Commitment.SINGLE_MINDED


def of(agent_id: int) -> Commitment:
    """The commitment that counts now: the newest row's, or the default."""
    newest = AgentCommitment.objects.filter(agent_id=agent_id).order_by("-pk").values_list("kind", flat=True).first()
    return Commitment(newest) if newest else DEFAULT


def set_to(agent: Agent, kind: Commitment, *, by: User, why: str = "") -> None:
    """Have the agent hold on like this from its next decision on. Raises NotYours; doing it again changes nothing."""
    if not by.has_role(Role.OPERATOR):
        raise NotYours("Only operators can set an agent's commitment.")
    with transaction.atomic():
        Agent.objects.select_for_update(no_key=True).get(pk=agent.pk)
        before = of(agent.pk)
        if before is kind:
            return
        AgentCommitment.objects.create(agent=agent, kind=kind.value, by=by, why=why.strip()[:300])
        said = {"why": why.strip()[:300]} if why.strip() else {}
        told = {"before": {"commitment": before.value}, "after": {"commitment": kind.value}, **said}
        journal.record(Event.AGENT, by=by, subject=f"agent:{agent.name}", data=told)
