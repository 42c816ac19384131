"""Pages of A/B trials: all of them, a new one with what it takes, one with its course, and stopping it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.components.rule_writing import RuleInvalid
from agents.components.tool_writing import ToolInvalid
from agents.components.workflow_library import WorkflowInvalid
from agents.evolution.ab_trials import version_trials
from agents.evolution.ab_trials.trial_plans import Asked
from agents.evolution.ab_trials.version_trials import Wanted
from agents.pages.evolution import trial_page
from agents.pages.evolution.trial_page import TrialPage
from agents.record.errors import NotPossibleNow
from agents.views.access import person_of
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion

_MOST_LISTED = 100
_REFUSED = (LibraryRefused, NotPossibleNow, RuleInvalid, ToolInvalid, WorkflowInvalid)


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """The newest trials, and how one is begun."""
    return render(request, "agents/evolution/trials.html", {"trials": version_trials.listed()[:_MOST_LISTED]})


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The form of a trial; a POST begins it, or with `plan` only says what it would take."""
    by = person_of(request)
    sent = request.POST if request.method == "POST" else request.GET
    component = get_object_or_404(Component, pk=_number(sent.get("component")), kind__in=version_trials.kinds())
    wanted = _wanted(request, component) if request.method == "POST" else None
    if wanted is not None and "plan" not in request.POST:
        try:
            return redirect("version-trial", version_trials.begin(wanted, by=by).pk)
        except _REFUSED as refused:
            messages.error(request, str(refused))
    usual = {"b": _number(sent.get("b")), "mode": sent.get("mode")}
    page = trial_page.form_of(component, by, wanted, usual)
    name = "_trial_plan.html" if request.headers.get("HX-Request") and wanted is not None else "trial_new.html"
    return render(request, f"agents/evolution/{name}", {"form": page, "component": component})


@require_safe
def trial(request: HttpRequest, pk: int) -> HttpResponse:
    """One trial: its verdict, its course against its boundaries, and its cases."""
    found = get_object_or_404(version_trials.listed(), pk=pk)
    name = "_trial.html" if request.headers.get("HX-Request") else "trial.html"
    return render(request, f"agents/evolution/{name}", {"page": TrialPage(found, person_of(request))})


@require_POST
def stop(request: HttpRequest, pk: int) -> HttpResponse:
    """End it before its time."""
    found = get_object_or_404(version_trials.listed(), pk=pk)
    try:
        version_trials.stop(found, by=person_of(request))
    except _REFUSED as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, "The trial is stopped. The cases so far are kept.")
    return redirect("version-trial", pk)


def _wanted(request: HttpRequest, component: Component) -> Wanted:
    """What the form says; numbers that are none are out of every range, which the plan says."""
    sent = request.POST
    rows = ComponentVersion.objects.filter(component=component).select_related("component", "parent")
    sides = {row.pk: row for row in rows}
    try:
        a, b = (sides[_number(sent.get(name))] for name in ("a", "b"))
    except KeyError as missing:
        raise Http404 from missing
    asked = Asked(*(_number(sent.get(name)) for name in ("difference", "differ", "alpha", "power")))
    return Wanted(a, b, str(sent.get("mode", "")), asked, _text(sent.get("why")), _text(sent.get("reason")))


def _number(text: Any) -> int:
    said = str(text or "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 10 else -1


def _text(said: str | None) -> str:
    return (said or "").replace("\0", "").strip()[:500]
