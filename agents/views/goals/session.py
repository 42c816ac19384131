"""The page of a goal's terminal session, and the commands that people type into it."""

from __future__ import annotations

from dataclasses import replace

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from agents.forms.hand import Typing
from agents.hands import hand_commands
from agents.models import Goal, HandCommand
from agents.pages.files import goal_files
from agents.pages.goals.goal_page import GoalPage
from agents.pages.sessions.hand_page import HandPage
from agents.pages.sessions.session_page import SessionPage
from agents.record.errors import CommandRefused, NotPossibleNow, NotYours
from agents.views.access import person_of, visible_goal

_PK_MAX = 2**62


@require_GET
def session(request: HttpRequest, pk: int) -> HttpResponse:
    """The terminal as it stands. The page asks again with `?seen=…`; 204 says that it would look the same."""
    return _show(request, visible_goal(request, pk), unless_seen=request.GET.get("seen", ""))


@require_POST
def type_in(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a command; a worker carries it out. A line that is refused stays in the form with the reason.

    One that may reach hosts is shown first, as it will run; the same form sent again with what was shown runs it.
    """
    goal, person = visible_goal(request, pk), person_of(request)
    typed = Typing.of(request.POST)
    try:
        reading = hand_commands.read(goal, person, typed.text, hosts=typed.entries, timeout_s=typed.seconds)
        if reading.hosts and typed.agreed != reading.text:
            return _show(request, goal, typed.to_be_agreed(reading))
        hand_commands.submit(
            goal,
            person,
            typed.text,
            autonomous=typed.autonomous,
            hosts=typed.entries,
            timeout_s=typed.seconds,
        )
    except NotYours as refusal:
        raise PermissionDenied(str(refusal)) from refusal
    except CommandRefused as refusal:
        return _show(request, goal, replace(typed, problem=str(refusal)), status=422)
    except NotPossibleNow as refusal:
        return _show(request, goal, replace(typed, problem=str(refusal)), status=409)
    return _show(request, goal) if request.htmx else redirect("goal-session", pk)  # type: ignore[attr-defined]  # its middleware sets it


@require_POST
def cancel(request: HttpRequest, pk: int, command: int) -> HttpResponse:
    """Stop a typed command."""
    goal = visible_goal(request, pk)
    row = HandCommand.objects.select_related("goal").filter(goal=goal, pk=min(command, _PK_MAX)).first()
    if row is None:
        raise Http404("There is no such command in this goal.")
    try:
        hand_commands.cancel(row, person_of(request))
    except NotYours as refusal:
        raise PermissionDenied(str(refusal)) from refusal
    except NotPossibleNow as refusal:
        messages.info(request, str(refusal))
    return redirect("goal-session", pk)


def _show(
    request: HttpRequest, goal: Goal, typed: Typing | None = None, *, status: int = 200, unless_seen: str = ""
) -> HttpResponse:
    page = GoalPage(goal, person_of(request), "session")
    terminal = SessionPage(page)
    # Taken before anything else is read: what changes while the page is made is asked for again, never missed.
    seen = terminal.seen
    if unless_seen == seen and request.htmx:  # type: ignore[attr-defined]  # its middleware sets it
        return HttpResponse(status=204)
    context = {
        "page": page,
        "goal": page.goal,
        "terminal": terminal,
        "hand": HandPage(terminal, typed or Typing()),
        "seen": seen,
        "changes": goal_files.changes(page.attempts),
    }
    return render(request, "agents/session/session.html", context, status=status)
