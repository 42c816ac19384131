"""The agents: what each of them does, intends and believes, and how firmly it holds on."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from agents import agent_page
from agents.bdi.commitment import Commitment
from agents.errors import NotYours
from agents.models import Agent
from agents.services import commitments
from agents.views.asking import person_of
from people.roles import Role

_ID_MAX = 2**62
KINDS = {
    Commitment.BLIND: "goes on until the goal is believed achieved",
    Commitment.SINGLE_MINDED: "goes on until it is believed achieved, or impossible",
    Commitment.OPEN_MINDED: "looks again after each step, and plans again when what a plan stood on has gone",
}


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """All agents."""
    rows, following = agent_page.page_of(_after(request))
    return render(request, "agents/agents/list.html", {"rows": rows, "following": following})


@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One agent."""
    user = person_of(request)
    page = agent_page.AgentPage(_agent(pk), user, _after(request))
    shown = {"page": page, "agent": page.agent, "kinds": KINDS.items(), "may_set": user.has_role(Role.OPERATOR)}
    return render(request, "agents/agents/agent.html", shown)


@require_POST
def commit(request: HttpRequest, pk: int) -> HttpResponse:
    """Set how firmly the agent holds on."""
    agent = _agent(pk)
    try:
        kind = Commitment(request.POST.get("kind", ""))
        commitments.set_to(agent, kind, by=person_of(request), why=request.POST.get("why", ""))
    except ValueError:
        messages.error(request, "Choose one of the three kinds.")
    except NotYours as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"From its next decision on the agent is {kind.replace('_', '-')}.")
    return redirect("agent", pk)


def _agent(pk: int) -> Agent:
    agent = Agent.objects.filter(pk=min(pk, _ID_MAX)).first()
    if agent is None:
        raise Http404("There is no agent of this number.")
    return agent


def _after(request: HttpRequest) -> int | None:
    text = request.GET.get("after", "")
    return min(int(text), _ID_MAX) if text.isascii() and text.isdigit() else None
