"""`agents/{id}/pause` and `resume`."""

from __future__ import annotations

from ninja import Router, Schema

from agents.models import Agent
from agents.services import pausing
from mindx_web.api.auth import ApiRequest, BearerToken
from mindx_web.api.paging import found_id
from mindx_web.api.problems import Problem, not_found
from people.models import User
from people.roles import Role
from people.scopes import Scope

router = Router(tags=["agents"])

_MAY_WRITE = BearerToken(Scope.AGENTS_WRITE)


class AgentOut(Schema):
    """An agent. While it is paused it adopts no goal and starts no step."""

    id: str
    name: str
    paused: bool


@router.post("/{agent_id}/pause", response=AgentOut, auth=_MAY_WRITE, operation_id="pause_agent")
def pause(request: ApiRequest, agent_id: str) -> AgentOut:
    """Let the agent start nothing new; a step that runs is finished. Pausing twice changes nothing."""
    return _agent_out(pausing.pause(_agent(request.auth.user, agent_id), by=request.auth.user))


@router.post("/{agent_id}/resume", response=AgentOut, auth=_MAY_WRITE, operation_id="resume_agent")
def resume(request: ApiRequest, agent_id: str) -> AgentOut:
    """Let the agent go on where it stands."""
    return _agent_out(pausing.resume(_agent(request.auth.user, agent_id), by=request.auth.user))


def _agent(user: User, agent_id: str) -> Agent:
    """Agents are no secret, so somebody who may not pause them is told so."""
    if not user.has_role(Role.OPERATOR):
        raise Problem(403, "Pausing and resuming an agent needs the role operator.", kind="forbidden")
    missing = not_found("agent")
    agent = Agent.objects.filter(pk=found_id(agent_id, missing)).first()
    if agent is None:
        raise missing
    return agent


def _agent_out(agent: Agent) -> AgentOut:
    return AgentOut(id=str(agent.pk), name=agent.name, paused=agent.paused)
