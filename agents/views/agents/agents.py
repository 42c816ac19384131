"""The agents: what each of them does, intends and believes, and how firmly it holds on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from agents.actors import commitments, memory, pauses
from agents.bdi.intentions.commitment import Commitment
from agents.components import agent_versions
from agents.forms.agents import StandstillForm
from agents.goals import agent_goals
from agents.goals.component_goals import Terms
from agents.models import Agent
from agents.pages.agents import agent_page
from agents.presentation.line_diff import compare
from agents.record.errors import AgentsError, NotYours
from agents.views.access import person_of
from agents.views.library.versions import version_named_in
from library.memory import switches
from people.roles import Role

_ID_MAX = 2**62
VERSIONS = 20
KINDS = {
    Commitment.BLIND: "continues until it believes the goal achieved",
    Commitment.SINGLE_MINDED: "continues until it believes the goal achieved or impossible",
    Commitment.OPEN_MINDED: "reconsiders after each step, and plans again when a reason for the plan no longer holds",
}


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """All agents."""
    rows, following = agent_page.page_of(_after(request))
    may_stop = person_of(request).has_role(Role.OPERATOR)
    shown = {"rows": rows, "following": following, "may_stop": may_stop}
    return render(request, "agents/agents/list.html", shown)


@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One agent."""
    user = person_of(request)
    page = agent_page.AgentPage(_agent(pk), user, _after(request))
    shown = {"page": page, "agent": page.agent, "kinds": KINDS.items(), "may_set": user.has_role(Role.OPERATOR)}
    shown["uses_memory"] = switches.is_on(page.agent.name)
    return render(request, "agents/agents/agent.html", {**shown, **_versions(request, page.agent)})


def _versions(request: HttpRequest, agent: Agent) -> dict[str, Any]:
    """Its versions in the library, and how the one that the address names differs from the one it came from."""
    found = list(agent_versions.of(agent).values())
    shown = version_named_in(request, "version", found)
    against = version_named_in(request, "against", found) or (shown.parent if shown is not None else None)
    compared = shown is not None and against is not None
    return {
        "versions": found[:VERSIONS],
        "versions_more": max(0, len(found) - VERSIONS),
        "shown": shown,
        "against": against,
        "difference": compare(against.body, shown.body) if compared and against and shown else None,
    }


@require_POST
def become(request: HttpRequest, pk: int, version: int) -> HttpResponse:
    """Have a plan written that sets the agent to a version: a candidate, or one to go back to."""
    agent, user = _agent(pk), person_of(request)
    wanted = next((one for one in agent_versions.of(agent).values() if one.pk == version), None)
    if wanted is None:
        raise Http404("The agent has no such version.")
    try:
        plan = agent_goals.become(agent, wanted, Terms(user, key=request.POST.get("key", "")[:64]))
    except AgentsError as refused:
        messages.error(request, str(refused))
        return redirect("agent", pk)
    return redirect(plan)


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


@require_POST
def use_memory(request: HttpRequest, pk: int) -> HttpResponse:
    """Have the agent plan with memory or without."""
    on = request.POST.get("on") == "1"
    try:
        memory.set_to(_agent(pk), on=on, by=person_of(request))
    except NotYours as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Its next plans are made {'with' if on else 'without'} memory.")
    return redirect("agent", pk)


@require_POST
def stop_all(request: HttpRequest) -> HttpResponse:
    """Let nothing begin anywhere, for a reason that everybody reads."""
    user, asked = person_of(request), StandstillForm(request.POST)
    if not user.has_role(Role.OPERATOR):
        messages.error(request, "Only operators can stop everything.")
    elif asked.is_valid():
        pauses.stop_all(by=user, reason=asked.cleaned_data["reason"])
    else:
        messages.error(request, "Give a reason of at most 300 characters. Everybody sees it on every page.")
    return redirect("agents")


@require_POST
def go_on(request: HttpRequest) -> HttpResponse:
    """Let everything go on where it stands."""
    user = person_of(request)
    if user.has_role(Role.OPERATOR):
        pauses.go_on(by=user)
        messages.success(request, "Resumed.")
    else:
        messages.error(request, "Only operators can resume everything.")
    return redirect("agents")


@require_POST
def pause(request: HttpRequest, pk: int) -> HttpResponse:
    """Let the agent begin nothing until it is resumed."""
    return _paused(request, pk, pauses.pause, "Paused. A running step finishes; nothing else starts.")


@require_POST
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    """Let the agent go on."""
    return _paused(request, pk, pauses.resume, "Resumed.")


def _paused(request: HttpRequest, pk: int, does: Callable[..., Agent], said: str) -> HttpResponse:
    agent, user = _agent(pk), person_of(request)
    if user.has_role(Role.OPERATOR):
        does(agent, by=user)
        messages.success(request, said)
    else:
        messages.error(request, "Only operators can pause and resume agents.")
    return redirect("agent", pk)


def _agent(pk: int) -> Agent:
    agent = Agent.objects.filter(pk=min(pk, _ID_MAX)).first()
    if agent is None:
        raise Http404("There is no agent with this number.")
    return agent


def _after(request: HttpRequest) -> int | None:
    text = request.GET.get("after", "")
    return min(int(text), _ID_MAX) if text.isascii() and text.isdigit() else None
