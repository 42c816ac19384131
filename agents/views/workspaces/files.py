"""One file of a workspace: looked at, downloaded, drawn, deleted; and the whole workspace as a zip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from agents.models import Workspace
from agents.presentation import file_text
from agents.record.errors import WorkspaceRefused
from agents.views.access import person_of
from agents.views.streams import as_attachment, streamed, untrusted
from agents.views.workspaces.workspaces import crumbs, may_write, visible_workspace
from agents.workspaces import file_paths, folders, workspaces
from agents.workspaces.stores import store
from sandbox.store.snapshots import Entry

CHUNK_BYTES = 256 << 10
IMAGE_MAX_BYTES = 10 << 20


@require_GET
def view(request: HttpRequest, name: str, path: str) -> HttpResponse:
    """The file as text with line numbers, as a picture, or as size and digest."""
    workspace = visible_workspace(request, name)
    entry = _entry(workspace, path)
    context = {
        "workspace": workspace,
        "entry": entry,
        "path": file_paths.to_text(entry.path),
        "target": file_paths.to_text(entry.target or b""),
        "address": file_paths.to_address(entry.path),
        "crumbs": crumbs(entry.path),
        "may_write": may_write(request, workspace),
    }
    if entry.kind == "file":
        with store().open(workspace.head, entry.path) as source:
            head = source.read(file_text.SHOWN_BYTES)
        media = file_text.image_type(head)
        context["is_image"] = bool(media) and entry.size <= IMAGE_MAX_BYTES
        context["text"] = None if media else file_text.text_of(head, is_whole=len(head) == entry.size)
    return render(request, "agents/workspaces/file.html", context)


@require_GET
def download(request: HttpRequest, name: str, path: str) -> HttpResponseBase:
    """The file, to be saved and never opened in place."""
    source, size, entry = _opened(request, name, path)
    response = streamed(request, _chunks(source), "application/octet-stream")
    response["Content-Length"] = str(size)
    return as_attachment(response, file_paths.to_text(entry.path.rsplit(b"/", 1)[-1]))


@require_GET
def image(request: HttpRequest, name: str, path: str) -> HttpResponse:
    """A picture for the file's page; 404 for everything whose first bytes are not those of a picture."""
    source, size, _ = _opened(request, name, path)
    with source:
        data = source.read(IMAGE_MAX_BYTES) if size <= IMAGE_MAX_BYTES else b""
    media = file_text.image_type(data)
    if not media:
        raise Http404("This file is not a picture that can be shown.")
    return untrusted(HttpResponse(data, content_type=media))


@require_GET
def archive(request: HttpRequest, name: str) -> HttpResponseBase:
    """The whole workspace as a zip."""
    workspace = visible_workspace(request, name)
    return as_attachment(streamed(request, workspaces.archive(workspace), "application/zip"), f"{name}.zip")


@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest, name: str, path: str) -> HttpResponse:
    """Ask, then delete a file, a link, or a folder with everything in it."""
    workspace = visible_workspace(request, name)
    if not may_write(request, workspace):
        raise PermissionDenied("Only the owner of a workspace may change its files.")
    wanted = file_paths.from_address(path)
    inside = _inside(workspace, wanted)
    if request.method == "POST":
        try:
            workspaces.remove_file(workspace, by=person_of(request), path=wanted)
        except WorkspaceRefused as error:
            messages.error(request, error.message)
        except KeyError:
            messages.warning(request, "It was already deleted.")
        else:
            messages.success(request, f"Deleted {file_paths.to_text(wanted)}.")
        above = wanted.rpartition(b"/")[0]
        if above and _is_folder(workspace, above):
            return redirect("workspace-folder", name, file_paths.to_address(above))
        return redirect("workspace", name)
    context = {
        "workspace": workspace,
        "path": file_paths.to_text(wanted),
        "address": file_paths.to_address(wanted),
        "inside": inside,
        "crumbs": crumbs(wanted),
    }
    return render(request, "agents/workspaces/delete.html", context)


def _entry(workspace: Workspace, address: str) -> Entry:
    try:
        return folders.find(store().entries(workspace.head), file_paths.from_address(address))
    except KeyError as error:
        raise Http404("There is no such file in this workspace.") from error


def _opened(request: HttpRequest, name: str, address: str) -> tuple[BinaryIO, int, Entry]:
    workspace = visible_workspace(request, name)
    entry = _entry(workspace, address)
    if entry.kind != "file":
        raise Http404("This is not a file.")
    return store().open(workspace.head, entry.path), entry.size, entry


def _inside(workspace: Workspace, path: bytes) -> int:
    """How many files lie below a path; 404 when there is nothing of this name."""
    entries = store().entries(workspace.head)
    below = [entry for entry in entries if entry.path == path or entry.path.startswith(path + b"/")]
    if not below or not path:
        raise Http404("There is no such file in this workspace.")
    return sum(entry.kind != "dir" for entry in below)


def _is_folder(workspace: Workspace, path: bytes) -> bool:
    return any(entry.path == path and entry.kind == "dir" for entry in store().entries(workspace.head))


def _chunks(source: BinaryIO) -> Iterator[bytes]:
    with source:
        while chunk := source.read(CHUNK_BYTES):
            yield chunk
