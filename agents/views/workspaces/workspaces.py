"""The list of workspaces, one folder at a time, and uploads into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO, cast

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.models import Workspace
from agents.record.errors import WorkspaceRefused
from agents.record.selectors import workspaces_visible_to, workspaces_writable_by
from agents.views.access import person_of
from agents.workspaces import file_paths, workspaces
from agents.workspaces.workspaces import Upload

PAGE = 50
ITEMS_MAX = 1_000


@require_http_methods(["GET", "POST"])
def every(request: HttpRequest) -> HttpResponse:
    """The person's workspaces, newest first; a form makes another one."""
    context: dict[str, Any] = {}
    if request.method == "POST":
        name = request.POST.get("name", "")
        try:
            made = workspaces.create(by=person_of(request), name=name[:200])
        except WorkspaceRefused as error:
            context = {"error": error.message, "name": name[:200]}
        else:
            return redirect("workspace", made.name)
    rows = workspaces_visible_to(person_of(request)).order_by("-pk")
    after = request.GET.get("after", "")
    if after.isascii() and after.isdigit() and len(after) < 19:
        rows = rows.filter(pk__lt=int(after))
    found = list(rows[: PAGE + 1])
    context |= {"workspaces": found[:PAGE], "next": found[PAGE - 1].pk if len(found) > PAGE else None}
    return render(request, "agents/workspaces/list.html", context, status=422 if "error" in context else 200)


@require_GET
def folder(request: HttpRequest, name: str, path: str = "") -> HttpResponse:
    """What lies in one folder."""
    return show_folder(request, visible_workspace(request, name), path)


@require_POST
def upload(request: HttpRequest, name: str) -> HttpResponse:
    """Put files into a folder, or unpack one zip there: all of it or nothing."""
    workspace = visible_workspace(request, name)
    if not may_write(request, workspace):
        raise PermissionDenied("Only the owner of a workspace may change its files.")
    into = request.POST.get("folder", "").strip("/")
    sent = request.FILES.getlist("files")
    try:
        if request.POST.get("unpack"):
            count = _unpack(request, workspace, sent, into)
            said = f"Unpacked {count} file{'s' * (count != 1)}."
        else:
            uploads = [_upload(file, into) for file in sent]
            workspaces.put_files(workspace, by=person_of(request), uploads=uploads)
            said = f"Wrote {uploads[0].path}." if len(uploads) == 1 else f"Wrote {len(uploads)} files."
    except WorkspaceRefused as error:
        return show_folder(
            request, workspace, file_paths.to_address(into.encode()), {"error": error.message, "folder": into}, 422
        )
    messages.success(request, said)
    if not into:
        return redirect("workspace", name)
    return redirect("workspace-folder", name, file_paths.to_address(into.encode()))


def show_folder(
    request: HttpRequest, workspace: Workspace, address: str, more: Mapping[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    """The folder's page. An upload that was refused shows it again with the reason; its folder may not exist yet."""
    path = file_paths.from_address(address)
    try:
        items = workspaces.list_files(workspace, file_paths.to_text(path))
    except KeyError as error:
        if not more:
            raise Http404("There is no such folder in this workspace.") from error
        path, items = b"", workspaces.list_files(workspace)
    context = {
        "workspace": workspace,
        "items": items[:ITEMS_MAX],
        "left_out": max(0, len(items) - ITEMS_MAX),
        "crumbs": crumbs(path),
        "folder": file_paths.to_text(path),
        "may_write": may_write(request, workspace),
        "running": workspaces.running(workspace),
        **(more or {}),
    }
    return render(request, "agents/workspaces/folder.html", context, status=status)


def visible_workspace(request: HttpRequest, name: str) -> Workspace:
    """The workspace; 404 also when it is somebody else's."""
    workspace = workspaces_visible_to(person_of(request)).filter(name=name).first()
    if workspace is None:
        raise Http404("There is no workspace with this name that you may see.")
    return workspace


def may_write(request: HttpRequest, workspace: Workspace) -> bool:
    """Whether the person may change the files."""
    return workspaces_writable_by(person_of(request)).filter(pk=workspace.pk).exists()


def crumbs(path: bytes) -> list[tuple[str, str]]:
    """(name, address) of each folder on the way to a path, itself included."""
    parts = path.split(b"/") if path else []
    ways = (b"/".join(parts[: depth + 1]) for depth in range(len(parts)))
    return [(file_paths.to_text(part), file_paths.to_address(way)) for part, way in zip(parts, ways, strict=True)]


def _upload(file: UploadedFile, into: str) -> Upload:
    # The browser's file name may hold folders; Django has already cut it to its last part.
    name = file.name or ""
    if file.file is None:
        raise WorkspaceRefused("files", f"“{name}” did not arrive completely. Upload it again.")
    return Upload(f"{into}/{name}" if into else name, cast(BinaryIO, file.file), file.size or 0)


def _unpack(request: HttpRequest, workspace: Workspace, sent: list[UploadedFile], into: str) -> int:
    if len(sent) != 1 or sent[0].file is None:
        raise WorkspaceRefused("files", "Choose exactly one zip file to unpack.")
    return workspaces.import_zip(workspace, by=person_of(request), source=cast(BinaryIO, sent[0].file), folder=into)
