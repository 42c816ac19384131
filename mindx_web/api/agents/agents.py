"""`agents`: what each does and its commitment; pausing and resuming it, and setting its commitment."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Router, Schema

from agents.actors import commitments, pauses
from agents.bdi.intentions.commitment import Commitment
from agents.models import Agent, AgentCommitment
from agents.pages.agents import agent_page
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, after_id, found_id, next_after
from mindx_web.api.protocol.problems import Problem, invalid, not_found
from mindx_web.api.protocol.shapes import Strict
from people.models import User
from people.roles import Role
from people.scopes import Scope

router = Router(tags=["agents"])

_MAY_READ = BearerToken(Scope.GOALS_READ)
_MAY_WRITE = BearerToken(Scope.AGENTS_WRITE)


class AgentOut(Schema):
    """An agent. A paused agent adopts no goal and starts no step."""

    id: str
    name: str
    # What works on its goals: mindx, or the name of a framework.
    framework: str
    paused: bool


class DoingOut(AgentOut):
    """What it is doing, and for how many open goals."""

    status: str
    open_goals: int


class AgentPage(Schema):
    """Agents, oldest first; ask again with `after=next` for more."""

    items: list[DoingOut]
    next: str | None


class CommitmentOut(Schema):
    """A setting of its commitment: by whom and why."""

    kind: str
    by: str
    at: datetime
    why: str


class AgentInFull(DoingOut):
    """Its commitment, and the latest settings of it, newest first. Without settings it is the default."""

    commitment: str
    commitments: list[CommitmentOut]


class CommitmentIn(Strict):
    """Its commitment from its next decision on."""

    kind: str
    why: str = ""


@router.get("", response=AgentPage, auth=_MAY_READ, operation_id="list_agents")
def page(request: ApiRequest, after: After = "") -> AgentPage:
    """All agents."""
    rows, following = agent_page.page_of(after_id(after))
    return AgentPage(items=[DoingOut(**_doing(row)) for row in rows], next=next_after(following))


@router.get("/{agent_id}", response=AgentInFull, auth=_MAY_READ, operation_id="read_agent")
def read(request: ApiRequest, agent_id: str) -> AgentInFull:
    """One agent."""
    return _in_full(_found(agent_id))


@router.post("/{agent_id}/commitment", response=AgentInFull, auth=_MAY_WRITE, operation_id="commit_agent")
def commit(request: ApiRequest, agent_id: str, payload: CommitmentIn) -> AgentInFull:
    """Set its commitment: blind, single_minded or open_minded. Stored with who set it and why."""
    agent = _agent(request.auth.user, agent_id, "Setting the commitment of an agent")
    try:
        kind = Commitment(payload.kind)
    except ValueError as error:
        raise invalid("kind", f"Choose one of {', '.join(Commitment)}.") from error
    commitments.set_to(agent, kind, by=request.auth.user, why=payload.why)
    return _in_full(agent)


@router.post("/{agent_id}/pause", response=AgentOut, auth=_MAY_WRITE, operation_id="pause_agent")
def pause(request: ApiRequest, agent_id: str) -> AgentOut:
    """Pause the agent: a running step is finished, and nothing new starts. Pausing twice changes nothing."""
    return _agent_out(pauses.pause(_agent(request.auth.user, agent_id), by=request.auth.user))


@router.post("/{agent_id}/resume", response=AgentOut, auth=_MAY_WRITE, operation_id="resume_agent")
def resume(request: ApiRequest, agent_id: str) -> AgentOut:
    """Resume the agent where it stopped."""
    return _agent_out(pauses.resume(_agent(request.auth.user, agent_id), by=request.auth.user))


def _agent(user: User, agent_id: str, what: str = "Pausing and resuming an agent") -> Agent:
    """Everybody may see agents, so the refusal may say that the right is missing."""
    if not user.has_role(Role.OPERATOR):
        raise Problem(403, f"{what} needs the role operator.", kind="forbidden")
    return _found(agent_id)


def _found(agent_id: str) -> Agent:
    missing = not_found("agent")
    agent = Agent.objects.filter(pk=found_id(agent_id, missing)).first()
    if agent is None:
        raise missing
    return agent


def _agent_out(agent: Agent) -> AgentOut:
    return AgentOut(**_named(agent))


def _doing(row: agent_page.Row) -> dict[str, Any]:
    return {**_named(row.agent), "status": row.status.value, "open_goals": row.open}


def _named(agent: Agent) -> dict[str, Any]:
    return {"id": str(agent.pk), "name": agent.name, "framework": agent.framework, "paused": agent.paused}


def _in_full(agent: Agent) -> AgentInFull:
    rows = AgentCommitment.objects.filter(agent=agent).select_related("by").order_by("-pk")[:10]
    said = [CommitmentOut(kind=row.kind, by=row.by.username, at=row.at, why=row.why) for row in rows]
    kind = commitments.of(agent.pk).value
    return AgentInFull(**_doing(agent_page.row_of(agent)), commitment=kind, commitments=said)
