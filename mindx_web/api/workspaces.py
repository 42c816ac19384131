"""`workspaces`: create one, list and read its files, write a file, download everything."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from tempfile import SpooledTemporaryFile
from typing import Annotated, BinaryIO, cast

from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse
from ninja import Query, Router, Schema
from ninja.responses import Status

from agents.models import Workspace
from agents.record import selectors
from agents.views.streams import as_attachment, streamed
from agents.workspaces import file_paths, folders, stores
from agents.workspaces import workspaces as services
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, newest_first
from mindx_web.api.protocol.problems import Problem, not_found
from mindx_web.api.protocol.shapes import Strict
from people.models import User
from people.scopes import Scope
from sandbox.store.snapshots import Entry

router = Router(tags=["workspaces"])

_MAY_READ = BearerToken(Scope.FILES_READ)
_MAY_WRITE = BearerToken(Scope.FILES_WRITE)
_MOST_FILES = 1000
_IN_MEMORY_BYTES = 1024 * 1024
_PIECE_BYTES = 256 * 1024


class WorkspaceIn(Strict):
    """Letters, digits, - and _."""

    name: str


class WorkspaceOut(Schema):
    """A workspace; `head` is the digest of the snapshot with its files."""

    name: str
    owner: str
    head: str
    quota_bytes: int
    created_at: datetime
    changed_at: datetime


class WorkspacePage(Schema):
    """Workspaces, newest first."""

    items: list[WorkspaceOut]
    next: str | None


class FileOut(Schema):
    """One entry. A path that is not UTF-8 is written with %XX and can be used in that form."""

    path: str
    kind: str
    size_bytes: int
    mode: str
    sha256: str | None
    target: str | None


class FilePage(Schema):
    """Entries of all folders by path."""

    items: list[FileOut]
    next: str | None


@router.post("", response={201: WorkspaceOut}, auth=_MAY_WRITE, operation_id="make_workspace")
def make(request: ApiRequest, response: HttpResponse, payload: WorkspaceIn) -> Status[WorkspaceOut]:
    """Create an empty workspace."""
    workspace = services.create(by=request.auth.user, name=payload.name)
    response.headers["Location"] = f"/api/v1/workspaces/{workspace.name}"
    return Status(201, _workspace_out(workspace))


@router.get("", response=WorkspacePage, auth=_MAY_READ, operation_id="list_workspaces")
def page(request: ApiRequest, after: After = "", limit: Limit = 50) -> WorkspacePage:
    """The workspaces you may see, newest first."""
    rows, following = newest_first(selectors.workspaces_visible_to(request.auth.user), after, limit)
    return WorkspacePage(items=[_workspace_out(row) for row in rows], next=following)


@router.get("/{name}", response=WorkspaceOut, auth=_MAY_READ, operation_id="read_workspace")
def read(request: ApiRequest, name: str) -> WorkspaceOut:
    """One workspace."""
    return _workspace_out(_visible(request.auth.user, name))


@router.get("/{name}/files", response=FilePage, auth=_MAY_READ, operation_id="list_files")
def files(
    request: ApiRequest,
    name: str,
    after: After = "",
    limit: Annotated[int, Query(ge=1, le=_MOST_FILES)] = _MOST_FILES,
) -> FilePage:
    """Every file, folder and link of the workspace, by path."""
    workspace = _visible(request.auth.user, name)
    start = file_paths.from_address(after)
    entries = [entry for entry in stores.store().entries(workspace.head) if entry.path > start]
    more = len(entries) > limit
    return FilePage(
        items=[_file_out(entry) for entry in entries[:limit]],
        next=file_paths.to_address(entries[limit - 1].path) if more else None,
    )


@router.get("/{name}/files/{path:path}", auth=_MAY_READ, operation_id="read_file", url_name="workspace_file")
def read_file(request: ApiRequest, name: str, path: str) -> StreamingHttpResponse:
    """The bytes of one file, as an attachment. Links are not followed."""
    workspace = _visible(request.auth.user, name)
    missing = not_found("file")
    for candidate in (path.encode("utf-8", "surrogateescape"), file_paths.from_address(path)):
        try:
            source, size = services.open_file(workspace, candidate)
        except KeyError:
            continue
        response = streamed(request, _pieces_of(source), "application/octet-stream")
        response.headers["Content-Length"] = str(size)
        return as_attachment(response, file_paths.to_text(candidate).rsplit("/", 1)[-1])
    raise missing


@router.put(
    "/{name}/files/{path:path}",
    response={200: FileOut, 201: FileOut},
    auth=_MAY_WRITE,
    operation_id="write_file",
    url_name="workspace_file",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
def write_file(request: ApiRequest, name: str, path: str) -> Status[FileOut]:
    """Write one file: 201 if it is new, 200 if it replaces one. The body is its bytes. Refused while a plan runs."""
    user = request.auth.user
    workspace = _visible(user, name)
    if not selectors.workspaces_writable_by(user).filter(pk=workspace.pk).exists():
        raise Problem(403, "Only the owner of a workspace may change its files.", kind="forbidden")
    head_before = workspace.head
    with SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as body:
        receive(request, cast(BinaryIO, body))
        workspace = services.put_file(workspace, by=user, path=path, source=cast(BinaryIO, body))
    wanted = path.encode()
    is_new = all(entry.path != wanted for entry in stores.store().entries(head_before))
    entry = folders.find(stores.store().entries(workspace.head), wanted)
    return Status(201 if is_new else 200, _file_out(entry))


@router.get("/{name}/archive", auth=_MAY_READ, operation_id="read_archive")
def archive(request: ApiRequest, name: str) -> StreamingHttpResponse:
    """The whole workspace as a zip."""
    workspace = _visible(request.auth.user, name)
    pieces = streamed(request, services.archive(workspace), "application/zip")
    return as_attachment(pieces, f"{workspace.name}.zip")


def _visible(user: User, name: str) -> Workspace:
    workspace = selectors.workspaces_visible_to(user).filter(name=name).first()
    if workspace is None:
        raise Problem(404, "There is no workspace with this name, or you may not see it.", kind="not_found")
    return workspace


def receive(request: ApiRequest, target: BinaryIO) -> None:
    """Write the body to `target`; Problem 413 beyond the limit, whatever Content-Length said."""
    size = 0
    while piece := request.read(_PIECE_BYTES):
        size += len(piece)
        if size > settings.UPLOAD_MAX_BYTES:
            raise Problem(413, f"A file may have {settings.UPLOAD_MAX_BYTES:,} bytes.", kind="too_large")
        target.write(piece)


def _pieces_of(source: BinaryIO) -> Iterator[bytes]:
    with source:
        while piece := source.read(_PIECE_BYTES):
            yield piece


def _workspace_out(workspace: Workspace) -> WorkspaceOut:
    return WorkspaceOut(
        name=workspace.name,
        owner=workspace.owner.username,
        head=workspace.head,
        quota_bytes=workspace.quota_bytes,
        created_at=workspace.created_at,
        changed_at=workspace.changed_at,
    )


def _file_out(entry: Entry) -> FileOut:
    return FileOut(
        path=_spelled(entry.path),
        kind=entry.kind,
        size_bytes=entry.size,
        mode=f"{entry.mode:04o}",
        sha256=entry.sha256,
        target=_spelled(entry.target) if entry.target is not None else None,
    )


def _spelled(path: bytes) -> str:
    """UTF-8 as it is; anything else escaped, since JSON is text."""
    try:
        return path.decode()
    except UnicodeDecodeError:
        return file_paths.to_address(path)
