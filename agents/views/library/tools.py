"""The pages of tools: what each is for, how it is said, what it takes and changes; of a made one also its versions."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agents.components import made_tools
from agents.evolution.activation import asked_again, deciding, tool_checks
from agents.models import Replay
from agents.pages.evolution import replay_page, search_page, trial_page
from agents.presentation import tool_page, unified_diff
from agents.presentation.line_diff import compare
from agents.toolkit.command import Tool
from agents.toolkit.made import MadeToolFault
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.trials.checking import COLUMNS
from agents.views.library import version_moves
from agents.views.library.versions import version_in_use, version_named_in
from library.components import services
from library.models import Component, ComponentVersion

# Differences can be long; older ones stand in the administration.
CANDIDATES = 3
_FRAGMENTS = {
    "trials": "agents/tools/_trials.html",
    "replay": "agents/rules/_replay.html",
    "watch": "agents/rules/_watch.html",
    "search": "agents/rules/_search.html",
    "writer": "agents/rules/_writer.html",
}


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """All tools, and those that wait to be used."""
    made_tools.refresh()
    versions = ComponentVersion.objects.filter(component__kind=made_tools.KIND).select_related("component")
    waiting = versions.filter(status=ComponentVersion.Status.CANDIDATE).order_by("-pk")[:100]
    context = {
        "tools": tools_in_use().tools,
        "waiting": [one for one in waiting if made_tools.is_made(one)],
        "may_write": services.may_write(request.user),
    }
    return render(request, "agents/tools/list.html", context)


@require_safe
def detail(request: HttpRequest, name: str) -> HttpResponse:
    """One tool with all its commands."""
    made_tools.refresh()
    component = Component.objects.filter(kind=made_tools.KIND, name=name).first()
    if component is not None and not made_tools.is_shipped(name):
        return _made(request, component)
    try:
        tool = tools_in_use().tool(name)
    except UnknownTool as unknown:
        raise Http404(str(unknown)) from unknown
    shown = {"tool": tool, "commands": tool_page.shown(tool), "limits": tool_page.usual_limits()}
    versions = ComponentVersion.objects.filter(component__kind=Component.Kind.TOOL, component__name=name)
    versions = versions.exclude(origin=services.STARTER).select_related("created_by")
    versions = versions.defer("content_embedding", "applicability_embedding")
    shown["candidates"] = [(one, unified_diff.read(one.body)) for one in versions.order_by("-pk")[:CANDIDATES]]
    return render(request, "agents/tools/tool.html", shown)


@require_POST
def move(request: HttpRequest, name: str, version: int, move: str) -> HttpResponse:
    """Put a version to use, retire it, run its trials, or have it replayed beside its parent."""
    rows = ComponentVersion.objects.select_related("component", "parent")
    found = get_object_or_404(rows, pk=version, component__name=name, component__kind=made_tools.KIND)
    user: Any = request.user
    version_moves.do(request, found, move, user)
    return redirect(f"{reverse('tool', args=[name])}?version={version}")


@require_POST
def ask_model(request: HttpRequest, name: str) -> HttpResponse:
    """Have a model write a candidate, which is tried and replayed like a person's; or stop that."""
    component = get_object_or_404(Component, kind=made_tools.KIND, name=name)
    user: Any = request.user
    version_moves.ask_model(request, component, user)
    return redirect(reverse("tool", args=[name]) + "#writer")


@require_POST
def search(request: HttpRequest, name: str) -> HttpResponse:
    """Search for a better version with a model, or stop that."""
    user: Any = request.user
    version_moves.search(request, get_object_or_404(Component, kind=made_tools.KIND, name=name), user)
    return redirect(reverse("tool", args=[name]) + "#search")


def _made(request: HttpRequest, component: Component) -> HttpResponse:
    """A tool that people made: its versions, what they were tried on, and all of its code."""
    user: Any = request.user
    rows = component.versions.select_related("component", "created_by", "parent__component")
    versions = list(rows.defer("content_embedding", "applicability_embedding").order_by("-pk"))
    shown = version_named_in(request, "version", versions) or version_in_use(versions) or next(iter(versions), None)
    if shown is None:
        raise Http404("This tool has no version.")
    against = version_named_in(request, "against", versions)
    tool, fault = _read(shown)
    page = reverse("tool", args=[component.name])
    context = {
        "component": component,
        "versions": versions,
        "shown": shown,
        "against": against,
        "difference": compare(against.body, shown.body) if against else None,
        "tool": tool,
        "fault": fault,
        "commands": tool_page.shown(tool) if tool else [],
        "limits": tool_page.usual_limits(),
        "lines": shown.body.splitlines(),
        "active": version_in_use(versions),
        "check": tool_checks.of(shown),
        "columns": COLUMNS,
        "standing": deciding.standing(shown),
        "asked": asked_again.of(shown, user),
        "proof": replay_page.of(shown, request.user),
        "ab_trials": trial_page.OfComponent(component, user),
        "writer": search_page.writer_of(component),
        "strategies": Replay.Strategy.choices,
        "found": search_page.of(component, user),
        "may_write": services.may_write(request.user),
        "may_activate": services.may_activate(request.user),
        "page": page,
        "moves": f"{page}versions/{shown.pk}",
    }
    return render(request, _FRAGMENTS.get(request.headers.get("HX-Target", ""), "agents/tools/made.html"), context)


def _read(version: ComponentVersion) -> tuple[Tool | None, str]:
    try:
        return made_tools.read(version), ""
    except MadeToolFault as fault:
        return None, str(fault)
