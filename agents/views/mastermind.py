"""The command line in the page: a line comes in, its answer stands below with what it made."""

from __future__ import annotations

from typing import cast
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from agents.components import candidates, known_components
from agents.coordinator import backlog, commanding
from agents.coordinator.commanding import Given
from agents.mastermind import commands as known_commands
from agents.mastermind.reading import MOST_CHARS
from agents.models import Agent, GivenCommand
from agents.record import selectors
from people.models import User

SHOWN = 20
_OFFERED_WORKSPACES = 50
_OFFERED_AGENTS = 50
_OFFERED_COMPONENTS = 60
_SHOWN_COPIES = 10


class LineForm(forms.Form):
    """A line as it is posted; what a line means is no business of the form."""

    line = forms.CharField(strip=False, required=False, max_length=MOST_CHARS)
    workspace = forms.CharField(required=False, max_length=80)
    agent = forms.CharField(required=False, max_length=64)
    key = forms.CharField(required=False, max_length=64)


@require_http_methods(["GET", "HEAD", "POST"])
def commands(request: HttpRequest) -> HttpResponse:
    """GET: the line, empty or as the address says, and what was answered lately. POST: carry it out."""
    user = cast(User, request.user)
    if request.method != "POST":
        return _page(request, user, line=request.GET.get("line", "")[:MOST_CHARS])
    form = LineForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"A command has at most {MOST_CHARS:,} characters. Nothing was done.")
        return _page(request, user, line=request.POST.get("line", "")[:MOST_CHARS], status=422)
    data = form.cleaned_data
    answer = commanding.carry_out(
        Given(
            data["line"],
            user,
            GivenCommand.Via.PAGE.value,
            workspace=data["workspace"],
            agent=data["agent"],
            key=f"page:{data['key']}" if data["key"] else "",
        )
    )
    if answer.is_done:
        return redirect(f"{reverse('mastermind')}#answers")
    return _page(request, user, line=data["line"], status=422, workspace=data["workspace"], agent=data["agent"])


def _page(
    request: HttpRequest, user: User, *, line: str, status: int = 200, workspace: str = "", agent: str = ""
) -> HttpResponse:
    given = list(user.given_commands.order_by("-pk")[:SHOWN])
    workspaces = selectors.workspaces_writable_by(user).order_by("-changed_at").values_list("name", flat=True)
    agents = Agent.objects.filter(retired_at=None).order_by("name").values_list("name", flat=True)
    context = {
        "line": line,
        "workspace": workspace,
        "agent": agent,
        "given": [(row, commanding.of_row(row)) for row in given],
        "earlier": list(dict.fromkeys(row.line for row in given)),
        "words": _words(),
        "workspaces": list(workspaces[:_OFFERED_WORKSPACES]),
        "agents": list(agents[:_OFFERED_AGENTS]),
        "commands": known_commands.COMMANDS,
        "key": uuid4().hex,
        "max": MOST_CHARS,
        "may_triage": backlog.may_triage(user),
        "copies": list(candidates.waiting_for(user)[:_SHOWN_COPIES]),
    }
    return render(request, "agents/mastermind/commands.html", context, status=status)


def _words() -> list[str]:
    """What the browser offers while somebody types: the commands, and what can be said of each component."""
    named = [one for one in known_components.known() if one.kind in ("tool", "agent")][:_OFFERED_COMPONENTS]
    offered = [command.name for command in known_commands.COMMANDS]
    offered += [f"evolve {one.name}" for one in named if one.kind == "tool"]
    offered += [f"coord_analyze {one.name}" for one in named if one.kind == "tool"]
    offered += [f"coord_improve {one.name} " for one in named if one.kind == "tool"]
    return offered + [f"introspect {one.name}" for one in named if one.kind == "agent"]
