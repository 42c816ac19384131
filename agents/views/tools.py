"""The pages that explain the tools: what each is for, how it is said, what it takes and what it changes."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.presentation import tool_page, unified_diff
from agents.toolkit.registry import REGISTRY, UnknownTool
from library.models import Component, ComponentVersion

# Differences can be long; older ones stand in the administration.
CANDIDATES = 3


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """All tools."""
    return render(request, "agents/tools/list.html", {"tools": REGISTRY.tools})


@require_safe
def detail(request: HttpRequest, name: str) -> HttpResponse:
    """One tool with all its commands."""
    try:
        tool = REGISTRY.tool(name)
    except UnknownTool as unknown:
        raise Http404(str(unknown)) from unknown
    shown = {"tool": tool, "commands": tool_page.shown(tool), "limits": tool_page.usual_limits()}
    versions = ComponentVersion.objects.filter(component__kind=Component.Kind.TOOL, component__name=name)
    versions = versions.select_related("created_by").defer("content_embedding", "applicability_embedding")
    shown["candidates"] = [(one, unified_diff.read(one.body)) for one in versions.order_by("-pk")[:CANDIDATES]]
    return render(request, "agents/tools/tool.html", shown)
