"""Sending another version of a goal's design."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from agents.bdi.planning import levels
from agents.models import Goal
from agents.pages.goals.goal_page import GoalPage
from agents.plans import designs
from agents.record.errors import GoalRefused, NotPossibleNow
from agents.views.access import changeable_goal, person_of


@require_http_methods(["GET", "HEAD", "POST"])
def send(request: HttpRequest, pk: int) -> HttpResponse:
    """The form with the version that is there; sent, it takes that one's place."""
    goal = changeable_goal(request, pk)
    if request.method != "POST":
        return _form(request, goal, _text(goal))
    text = request.POST.get("design", "")
    try:
        document = designs.revise(goal, text, by=person_of(request))
    except GoalRefused as refused:
        return _form(request, goal, text, status=422, problem=refused.message)
    except NotPossibleNow as error:
        messages.warning(request, str(error))
        return redirect("goal", pk)
    messages.success(request, f"Version {document.number} of the design awaits review.")
    return redirect("goal", pk)


def _text(goal: Goal) -> str:
    newest = designs.newest_of(goal)
    return levels.read_design(bytes(newest.document)) if newest is not None else ""


def _form(request: HttpRequest, goal: Goal, text: str, *, status: int = 200, problem: str = "") -> HttpResponse:
    page = GoalPage(goal, person_of(request), "plans")
    context = {
        "page": page,
        "goal": goal,
        "text": text,
        "problem": problem,
        "newest": designs.newest_of(goal),
        "design_max": designs.DESIGN_MAX,
    }
    return render(request, "agents/goal/design.html", context, status=status)
