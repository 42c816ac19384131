"""Changing what an open goal was given beside its text: its priority, its deadline, and its place among others."""

from __future__ import annotations

from datetime import UTC

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from agents.bdi.intentions.goal_terms import Terms
from agents.forms.goals import TermsForm
from agents.goals import goal_terms
from agents.models import Goal
from agents.pages.goals.goal_page import GoalPage
from agents.record.errors import GoalRefused, NotPossibleNow
from agents.record.selectors import goals_visible_to
from agents.states import GoalState
from agents.views.access import changeable_goal, person_of

_NOT_BEGUN = (GoalState.BLOCKED, GoalState.PENDING)
_MEANWHILE = (
    "Somebody changed this goal since you opened the page. Below are its values now; change them again if needed."
)


@require_http_methods(["GET", "HEAD", "POST"])
def terms(request: HttpRequest, pk: int) -> HttpResponse:
    """GET shows the form with what is so, POST changes it."""
    goal = changeable_goal(request, pk)
    if goal.has_ended:
        messages.warning(request, f"Goal {pk} has already ended, so nothing was changed.")
        return redirect("goal", pk)
    person = person_of(request)
    now = goal_terms.of(goal)
    if request.method != "POST":
        return _shown(request, goal, now, TermsForm(initial=_initial(goal, now), by=person, goal=goal))
    if request.POST.get("seen", "") != _seen(now):
        messages.warning(request, _MEANWHILE)
        return redirect("goal-terms", pk)
    form = TermsForm(request.POST, by=person, goal=goal)
    if not form.is_valid():
        return _shown(request, goal, now, form, status=422)
    wanted = {name: form.cleaned_data[name] for name in ("priority", "deadline", "parent")}
    if goal.state in _NOT_BEGUN:
        # What it waits for and the person does not see was not on the form, so it is not taken away by it.
        seen = goals_visible_to(person).values("pk")
        unseen = Goal.objects.filter(dependants=goal).exclude(pk__in=seen)
        wanted["depends_on"] = [*form.cleaned_data["depends_on"], *unseen]
    try:
        changed = goal_terms.change(goal, by=person, **wanted)
    except GoalRefused as refused:
        form.add_error(refused.field if refused.field in form.fields else None, refused.message)
        return _shown(request, goal, now, form, status=422)
    except NotPossibleNow as refused:
        messages.warning(request, str(refused))
        return redirect("goal-terms", pk)
    is_new = goal_terms.of(changed) != now
    messages.success(request, "Saved. It is used from the next decision on." if is_new else "Nothing was changed.")
    return redirect("goal", pk)


def _shown(request: HttpRequest, goal: Goal, now: Terms, form: TermsForm, status: int = 200) -> HttpResponse:
    shown = {
        "page": GoalPage(goal, person_of(request), "terms"),
        "goal": goal,
        "form": form,
        "seen": _seen(now),
        "priority": str(form["priority"].value() or goal.priority),
        "offered_goals": form.offered_goals(),
        "offered_wholes": form.offered_wholes(),
        "part_of": str(form["parent"].value() or ""),
        "waits_for": {str(value) for value in form["depends_on"].value() or ()},
        "may_wait": goal.state in _NOT_BEGUN,
    }
    return render(request, "agents/goal/terms.html", shown, status=status)


def _initial(goal: Goal, now: Terms) -> dict[str, object]:
    # As the field of a browser writes it, which knows no zone.
    moment = "" if goal.deadline is None else goal.deadline.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    deadline = moment.removesuffix(":00")
    return {"priority": now.priority, "deadline": deadline, "parent": now.parent, "depends_on": now.depends_on}


def _seen(now: Terms) -> str:
    """What the form was filled from, so that nobody takes back unseen what somebody else has just changed."""
    return f"{now.priority} {now.deadline} {now.parent or ''} {','.join(map(str, now.depends_on))}"
