"""The page of a goal's terminal session."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from agents import goal_files
from agents.goal_page import GoalPage
from agents.session_page import SessionPage
from agents.views.asking import person_of, visible_goal


@require_GET
def session(request: HttpRequest, pk: int) -> HttpResponse:
    """The terminal as it stands. The page asks again with `?seen=…`; 204 says that it would look the same."""
    page = GoalPage(visible_goal(request, pk), person_of(request), "session")
    terminal = SessionPage(page)
    # Taken before anything else is read: what changes while the page is made is asked for again, never missed.
    seen = terminal.seen
    if request.htmx and request.GET.get("seen") == seen:  # type: ignore[attr-defined]
        return HttpResponse(status=204)
    return render(
        request,
        "agents/session/session.html",
        {
            "page": page,
            "goal": page.goal,
            "terminal": terminal,
            "seen": seen,
            "changes": goal_files.changes(page),
        },
    )
