"""The list of goals, the composer, its preview and the examples."""

from __future__ import annotations

from typing import Any, cast
from uuid import uuid4

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.forms.goals import DEFAULT_PRIORITY, GoalFilterForm, GoalForm
from agents.goals import examples
from agents.goals import goals as services
from agents.pages.files import files_held
from agents.pages.goals.goal_list import find
from agents.plans.designs import DESIGN_MAX
from agents.record import selectors
from agents.record.errors import AgentsError, GoalRefused, TooManyGoals
from agents.understanding import goal_preview
from people.models import User

_SLOT = "slot-"
_FORM_FIELDS = {"text", "workspace", "agent", "priority", "depends_on", "design", "deadline", "parent"}


@require_safe
def goals(request: HttpRequest) -> HttpResponse:
    """The goals the person may see, newest first."""
    user = cast(User, request.user)
    form = GoalFilterForm(request.GET)
    wanted = form.wanted()
    page = find(selectors.goals_visible_to(user), wanted)
    files_held.mark(page.goals, user)
    kept: dict[str, str | int] = {k: v for k, v in (("state", wanted.state), ("q", wanted.text)) if v}
    return render(
        request,
        "agents/goals/list.html",
        {
            "form": form,
            "wanted": wanted,
            "page": page,
            "older": urlencode({**kept, "after": page.older}) if page.older else "",
            "newest": urlencode(kept),
            "sees_everything": selectors.sees_everything(user),
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The composer: GET shows it, filled from the address when that names something; POST submits the goal.

    A form made out of a rule posts `rule` and its slots instead of a text.
    """
    user = cast(User, request.user)
    if request.method != "POST":
        asked = {name: request.GET[name] for name in ("text", "workspace", "agent", "parent") if name in request.GET}
        return _composer(request, GoalForm(initial=asked, by=user))
    form = GoalForm(_with_text(request.POST), by=user)
    if request.POST.get("show") == "preview":  # the way without scripts; with them the preview is there while typing
        return _composer(request, form)
    if not form.is_valid():
        return _composer(request, form, status=422)
    try:
        goal = services.submit(
            by=user,
            text=form.cleaned_data["text"],
            priority=form.cleaned_data["priority"],
            workspace=form.cleaned_data["workspace"],
            depends_on=form.cleaned_data["depends_on"],
            submission_key=form.cleaned_data["key"],
            design=form.cleaned_data["design"],
            deadline=form.cleaned_data["deadline"],
            parent=form.cleaned_data["parent"],
            agent=form.cleaned_data["agent"],
        )
    except GoalRefused as refused:
        form.add_error(refused.field if refused.field in _FORM_FIELDS else None, refused.message)
        return _composer(request, form, status=429 if isinstance(refused, TooManyGoals) else 422)
    return redirect(goal)


def _with_text(posted: QueryDict) -> QueryDict:
    """The posted form with the goal's text in it, made out of a rule's slots when they were sent instead."""
    if "rule" not in posted:
        return posted
    values = {name.removeprefix(_SLOT): str(posted[name]) for name in posted if name.startswith(_SLOT)}
    filled = posted.copy()
    filled["text"] = goal_preview.goal_text(str(posted["rule"]), values) or posted.get("text", "")
    return filled


def _composer(request: HttpRequest, form: GoalForm, status: int = 200) -> HttpResponse:
    text = form["text"].value() or ""
    return render(
        request,
        "agents/goals/new.html",
        {
            "form": form,
            "text_max": settings.GOAL_TEXT_MAX,
            "design_max": DESIGN_MAX,
            "priority": str(form["priority"].value() or DEFAULT_PRIORITY),
            "offered_agents": form.offered_agents(),
            "offered_goals": form.offered_goals(),
            "offered_wholes": form.offered_wholes(),
            "part_of": str(form["parent"].value() or ""),
            "waits_for": {str(value) for value in form["depends_on"].value() or ()},
            **_previewed(cast(User, request.user), text, form["workspace"].value() or ""),
        },
        status=status,
    )


@require_POST
def example(request: HttpRequest, key: str) -> HttpResponse:
    """Submit one of the prepared goals, in a workspace with the files it is about."""
    prepared = examples.EXAMPLES.get(key)
    if prepared is None:
        raise Http404
    try:
        goal = examples.start(prepared, by=cast(User, request.user), submission_key=request.POST.get("key", "")[:64])
    except AgentsError as refused:
        messages.error(request, str(refused))
        return redirect("overview")
    return redirect(goal)


@require_safe
def preview(request: HttpRequest) -> HttpResponse:
    """The fragment beside the composer: what would plan the text so far. `hint`: without a text, how that is shown."""
    shown = _previewed(cast(User, request.user), request.GET.get("text", ""), request.GET.get("workspace", ""))
    return render(request, "agents/goals/_preview.html", {**shown, "hint": "hint" in request.GET})


def _previewed(user: User, text: str, workspace_name: str) -> dict[str, Any]:
    """What the preview's fragment needs. A workspace the person may not use counts as a new one."""
    text = text.strip()
    workspace = selectors.workspaces_writable_by(user).filter(name=workspace_name).first() if workspace_name else None
    shown: dict[str, Any] = {"text": text, "workspace_name": workspace.name if workspace else "", "key": uuid4().hex}
    if text:
        try:
            shown["preview"] = goal_preview.preview(services.checked_text(text), by=user, workspace=workspace)
        except GoalRefused as refused:
            shown["refused"] = refused.message
    return shown
