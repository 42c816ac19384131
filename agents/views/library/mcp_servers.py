"""The pages of MCP servers: those that there are, adding one, and the tools of each."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.components import made_tools
from agents.evolution.activation import asked_again
from agents.foreign_tools import servers
from agents.foreign_tools.servers import ServerRefused
from agents.models import McpServer
from agents.pages.library import mcp_page
from agents.record.errors import NotPossibleNow, NotYours
from agents.states import AskedState

_FIELDS = {"name": 40, "command": servers.COMMAND_MOST + 1, "address": 2_000, "source": servers.SOURCE_MOST + 1}


@require_http_methods(["GET", "HEAD", "POST"])
def listing(request: HttpRequest) -> HttpResponse:
    """All servers; a developer adds one. What is refused stays in the form."""
    if request.method != "POST":
        return _page(request, {})
    user: Any = request.user
    typed = {name: request.POST.get(name, "").replace("\0", "")[:most] for name, most in _FIELDS.items()}
    try:
        made = servers.add(by=user, **typed)
    except NotYours as refused:
        return _page(request, typed, {"": str(refused)}, status=403)
    except ServerRefused as refused:
        return _page(request, typed, {refused.field: str(refused)}, status=422)
    messages.success(request, f"Added “{made.name}”. Its tools are being listed; nothing uses them before a review.")
    return redirect("mcp-server", made.pk)


@require_safe
def one(request: HttpRequest, pk: int) -> HttpResponse:
    """One server with its tools."""
    server = get_object_or_404(servers.known(), pk=pk)
    made_tools.refresh()
    user: Any = request.user
    tools = mcp_page.tools_of(server)
    asked = asked_again.of_all([tool.newest for tool in tools if tool.newest is not None and tool.is_new], user)
    context = {
        "server": server,
        "lines": server.source.splitlines(),
        "tools": [(tool, asked.get(tool.newest.pk) if tool.newest is not None else None) for tool in tools],
        "may_manage": servers.may_manage(request.user),
        "is_listing": server.state != AskedState.ENDED,
    }
    fragment = request.headers.get("HX-Target", "") == "mcp-tools"
    return render(request, "agents/mcp/_tools.html" if fragment else "agents/mcp/server.html", context)


@require_POST
def act(request: HttpRequest, pk: int, act: str) -> HttpResponse:
    """Have its tools listed again, or remove it; all of its tools are stopped then."""
    server = get_object_or_404(McpServer, pk=pk, removed_at=None)
    user: Any = request.user
    try:
        if act == "refresh":
            servers.refresh(server, by=user)
            messages.success(request, "Its tools are being listed again.")
        else:
            servers.remove(server, by=user)
            messages.success(request, f"Removed “{server.name}”. Its tools are no longer in use.")
            return redirect("mcp-servers")
    except (NotYours, NotPossibleNow) as refused:
        messages.error(request, str(refused))
    return redirect("mcp-server", server.pk)


def _page(
    request: HttpRequest, typed: dict[str, str], errors: dict[str, str] | None = None, status: int = 200
) -> HttpResponse:
    found = list(servers.known()[:200])
    context = {
        "servers": [(server, sum(1 for tool in server.tools if tool["component"])) for server in found],
        "typed": typed,
        "errors": {name: [message] for name, message in (errors or {}).items() if name},
        "refused": (errors or {}).get("", ""),
        "may_manage": servers.may_manage(request.user),
    }
    return render(request, "agents/mcp/list.html", context, status=status)
