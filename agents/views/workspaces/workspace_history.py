"""The history of a workspace, two of its states compared, and the way back to one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_GET, require_http_methods

from agents.models import Workspace
from agents.pages.files import snapshot_reading
from agents.pages.files.snapshot_reading import Reading
from agents.record.errors import WorkspaceRefused
from agents.views.access import person_of
from agents.views.workspaces.workspaces import may_write, visible_workspace
from agents.workspaces import file_paths, history, workspaces
from sandbox.store.snapshots import DamagedStore

_GONE = "One of these states is no longer stored, or it is damaged."


@require_GET
def timeline(request: HttpRequest, name: str) -> HttpResponse:
    """Every move of the head, newest first."""
    workspace = visible_workspace(request, name)
    found = history.page(workspace, by=person_of(request), before=_moment(request.GET.get("before", "")))
    context = {
        "workspace": workspace,
        "history": found,
        "start": found.start,
        "may_write": may_write(request, workspace),
        "running": workspaces.running(workspace),
    }
    return render(request, "agents/workspaces/history.html", context)


@require_GET
def compare(request: HttpRequest, name: str) -> HttpResponse:
    """What leads from one state of the workspace to another; `file` shows one path alone."""
    workspace = visible_workspace(request, name)
    may_look = history.may_be_compared
    before, after = (_state(workspace, request.GET.get(side, ""), may_look) for side in ("from", "to"))
    fold = request.GET.get("all") != "1"
    context: dict[str, Any] = {"workspace": workspace, "before": before, "after": after, "fold": fold}
    try:
        if file := request.GET.get("file", ""):
            context["only"] = snapshot_reading.read_one(before, after, file_paths.from_address(file))
        else:
            context["reading"] = _reading(request, before, after, fold)
    except (KeyError, DamagedStore):
        return render(request, "agents/workspaces/compare.html", context | {"error": _GONE}, status=404)
    return render(request, "agents/workspaces/compare.html", context)


@require_http_methods(["GET", "POST"])
def back(request: HttpRequest, name: str, digest: str) -> HttpResponse:
    """Ask with all that would change, then make an earlier state the head again."""
    workspace = visible_workspace(request, name)
    to = _state(workspace, digest)
    if not may_write(request, workspace):
        raise PermissionDenied("Only the owner of a workspace may change its files.")
    error = ""
    if request.method == "POST":
        try:
            workspaces.go_back(workspace, by=person_of(request), to=to, seen=request.POST.get("head", ""))
        except WorkspaceRefused as refused:
            error = refused.message
            workspace.refresh_from_db()
        else:
            messages.success(request, f"The files are restored to snapshot {to[:8]}.")
            return redirect("workspace-history", name)
    context: dict[str, Any] = {
        "workspace": workspace,
        "to": to,
        "running": workspaces.running(workspace),
        "is_head": workspace.head == to,
    }
    try:
        context["reading"] = _reading(request, workspace.head, to, fold=True)
    except (KeyError, DamagedStore):
        error = error or _GONE
    status = 422 if request.method == "POST" else 200
    return render(request, "agents/workspaces/back.html", context | {"error": error}, status=status)


def _reading(request: HttpRequest, before: str, after: str, fold: bool) -> Reading:
    start = request.GET.get("start", "0")
    number = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 0
    return snapshot_reading.read(before, after, start=number, fold=fold)


def _state(workspace: Workspace, digest: str, is_its_own: Callable[[Workspace, str], bool] = history.belongs) -> str:
    if "\0" in digest or not is_its_own(workspace, digest):
        raise Http404("This workspace was never in such a state.")
    return digest


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None
