"""The files that goals work on: a workspace is a name and a head; each change makes a snapshot and moves the head once.

A change is refused while a plan runs on the workspace. Nothing is ever checked out here: edits are made in manifests.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from agents.models import HandCommand, Workspace, WorkspaceChange
from agents.presentation import hidden
from agents.record.errors import WorkspaceRefused
from agents.record.selectors import workspaces_writable_by
from agents.states import HandState
from agents.workspaces import file_paths, folders, waiting_for_hands, zip_export, zip_import
from agents.workspaces.folders import Item
from agents.workspaces.stores import store
from people import journal
from people.journal import Event
from people.models import User
from people.roles import Role
from sandbox.contract import Limits
from sandbox.store.snapshots import EMPTY, DamagedStore, Snapshot, SnapshotRefused, SnapshotStore

_TRIES = 5
_ADDRESS_WORDS = frozenset({"new"})


@dataclass(frozen=True)
class Upload:
    """A file somebody sent: where it should go and what is in it. The source can be read again from its start."""

    path: str
    source: BinaryIO
    size_bytes: int


def create(*, by: User, name: str, owner: User | None = None) -> Workspace:
    """A new, empty workspace, of whoever makes it or of `owner`. Raises WorkspaceRefused for a name that is taken or is
    none.
    """
    if not by.has_role(Role.SUBMITTER, Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER):
        raise WorkspaceRefused("name", "You may not create workspaces. Ask an admin for the role submitter.")
    name = name.strip()
    try:
        validate_slug(name)
    except ValidationError as error:
        raise WorkspaceRefused("name", "Use letters, digits, - and _, for example weather-report.") from error
    if len(name) > 80 or name in _ADDRESS_WORDS:
        raise WorkspaceRefused("name", "This name cannot be used. Choose another one of at most 80 letters.")
    try:
        with transaction.atomic():
            workspace = Workspace.objects.create(name=name, owner=owner or by, head=EMPTY)
            journal.record(Event.WORKSPACE_MADE, by=by, subject=f"workspace:{name}")
            return workspace
    except IntegrityError as error:
        raise WorkspaceRefused("name", f"There is already a workspace named {name}. Choose another name.") from error


def create_numbered(*, by: User, name: str, owner: User | None = None) -> Workspace:
    """As `create`; where the name is taken, the first free one of NAME-2, NAME-3, …"""
    for _ in range(_TRIES):
        taken = set(Workspace.objects.filter(name__startswith=name).values_list("name", flat=True))
        free = next(each for each in _numbered(name) if each not in taken)
        # The race: somebody takes it at this moment. The next one is tried then.
        with suppress(WorkspaceRefused):
            return create(by=by, name=free, owner=owner)
    return create(by=by, name=name, owner=owner)


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in itertools.count(2))


def put_file(workspace: Workspace, *, by: User, path: str, source: BinaryIO) -> Workspace:
    """Write one file, new or over the old one. The source is read from its start."""
    source.seek(0, 2)
    return put_files(workspace, by=by, uploads=[Upload(path, source, source.tell())])


def put_files(workspace: Workspace, *, by: User, uploads: Sequence[Upload]) -> Workspace:
    """Write several files as one change: all of them or none."""
    if not uploads:
        raise WorkspaceRefused("files", "Choose at least one file.")
    wanted: dict[bytes, Upload] = {}
    for upload in uploads:
        path = file_paths.checked(upload.path)
        if path in wanted:
            raise WorkspaceRefused("path", f"“{hidden.visible_text(upload.path)}” was sent twice. Keep one of them.")
        if upload.size_bytes > settings.UPLOAD_MAX_BYTES:
            raise WorkspaceRefused(
                "files", f"“{upload.path}” has {upload.size_bytes:,} bytes; {settings.UPLOAD_MAX_BYTES:,} is the most."
            )
        wanted[path] = upload

    def change(snapshots: SnapshotStore, head: str) -> Snapshot:
        _check_places(snapshots, head, wanted)
        for upload in wanted.values():
            upload.source.seek(0)
        return snapshots.with_files(head, [(path, upload.source) for path, upload in wanted.items()])

    _check_room(workspace, sum(upload.size_bytes for upload in wanted.values()))
    what = file_paths.to_text(next(iter(wanted))) if len(wanted) == 1 else f"{len(wanted):,} files"
    return _edit(workspace, by, change, WorkspaceChange.Kind.WRITE, what)


def import_zip(workspace: Workspace, *, by: User, source: BinaryIO, folder: str = "") -> int:
    """Unpack a zip into the workspace as one change and return the number of files. Hostile ones change nothing."""
    prefix = file_paths.checked(folder, "folder") + b"/" if folder else b""
    source.seek(0, 2)
    if source.tell() > settings.UPLOAD_MAX_BYTES:
        raise WorkspaceRefused("files", f"The zip has more than {settings.UPLOAD_MAX_BYTES:,} bytes.")
    source.seek(0)
    with zip_import.opened(source) as archive:
        _check_room(workspace, archive.size_bytes)
        paths = {file_paths.checked(prefix + path, zip_import.FIELD): path for path in archive.files}

        def change(snapshots: SnapshotStore, head: str) -> Snapshot:
            _check_places(snapshots, head, paths)
            return snapshots.with_files(head, [(path, archive.open(member)) for path, member in paths.items()])

        what = f"{len(paths):,} file{'s' * (len(paths) != 1)} from a zip"
        _edit(workspace, by, change, WorkspaceChange.Kind.WRITE, what)
    return len(paths)


def remove_file(workspace: Workspace, *, by: User, path: str | bytes) -> Workspace:
    """Remove a file, a link, or a folder with everything in it. KeyError when it is not there."""
    wanted = path.encode("utf-8", "surrogateescape") if isinstance(path, str) else path

    def change(snapshots: SnapshotStore, head: str) -> Snapshot:
        return snapshots.without(head, wanted)

    return _edit(workspace, by, change, WorkspaceChange.Kind.DELETE, hidden.visible_text(file_paths.to_text(wanted)))


def go_back(workspace: Workspace, *, by: User, to: str, seen: str) -> Workspace:
    """Make an earlier state the head again; that is a new change, which can be taken back in the same way.

    `seen` is the head the person looked at: when it has moved since, nothing is changed. The caller has checked that
    `to` belongs to this workspace.
    """

    def change(snapshots: SnapshotStore, head: str) -> Snapshot:
        if head != seen:
            raise WorkspaceRefused("workspace", "The files have changed since you looked. Look again, then decide.")
        if head == to:
            raise WorkspaceRefused("workspace", "The files are in this state already.")
        try:
            # First of all: from here on nobody removes it as old.
            snapshots.renew(to)
            entries = snapshots.entries(to)
        except (KeyError, DamagedStore) as error:
            raise WorkspaceRefused("workspace", "This state is no longer stored, or it is damaged.") from error
        files = [entry for entry in entries if entry.kind == "file"]
        return Snapshot(to, len(files), sum(entry.size for entry in files))

    return _edit(workspace, by, change, WorkspaceChange.Kind.RETURN, f"snapshot {to[:8]}")


def list_files(workspace: Workspace, folder: str = "") -> list[Item]:
    """What lies directly in a folder, folders first. KeyError when there is no such folder."""
    return folders.listing(store().entries(workspace.head), folder.encode("utf-8", "surrogateescape"))


def open_file(workspace: Workspace, path: str | bytes) -> tuple[BinaryIO, int]:
    """A file's content and its size in bytes. KeyError when there is none of this name (links are not followed)."""
    wanted = path.encode("utf-8", "surrogateescape") if isinstance(path, str) else path
    snapshots = store()
    entry = folders.find(snapshots.entries(workspace.head), wanted)
    if entry.kind != "file":
        raise KeyError(wanted)
    return snapshots.open(workspace.head, wanted), entry.size


def archive(workspace: Workspace) -> Iterator[bytes]:
    """The whole workspace as a zip, piece by piece."""
    return zip_export.stream(store(), workspace.head, workspace.changed_at)


def running(workspace: Workspace) -> str:
    """The sentence that says what runs on these files, so that nobody else changes them; empty when nothing does."""
    if waiting_for_hands.plans_on_files().filter(workspace=workspace).exists():
        return "A plan is running on these files."
    if workspace.hand_commands.filter(state=HandState.RUNNING.value).exists():
        return "A command typed by hand is running on these files."
    return ""


def _edit(
    workspace: Workspace,
    by: User,
    change: Callable[[SnapshotStore, str], Snapshot],
    kind: WorkspaceChange.Kind,
    what: str,
) -> Workspace:
    """Make a snapshot from the head and move the head to it, or raise WorkspaceRefused with nothing changed.

    A row says who did it; a change that leads to the same state leaves none.

    The race it closes: two writers, or a writer and a plan that is claimed at this moment. The head moves only while
    it still is the one that the snapshot was made from and no plan is executing; the loser starts again.
    """
    if not workspaces_writable_by(by).filter(pk=workspace.pk).exists():
        raise WorkspaceRefused("workspace", "Only the owner of a workspace may change its files.")
    snapshots = store()
    for _ in range(_TRIES):
        workspace.refresh_from_db(fields=["head", "quota_bytes"])
        if runs := running(workspace):
            raise WorkspaceRefused("workspace", f"{runs} Wait until it has ended, or cancel it.")
        try:
            snapshot = change(snapshots, workspace.head)
        except SnapshotRefused as error:
            raise WorkspaceRefused("files", f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
        # Whoever deletes makes room, however much is still too much: a quota or a limit may have been lowered.
        if kind is not WorkspaceChange.Kind.DELETE:
            _check_quota(workspace, snapshot)
        if _move(workspace, snapshot.digest, by, kind, what):
            workspace.refresh_from_db(fields=["head", "changed_at"])
            return workspace
    raise WorkspaceRefused("workspace", "Somebody else is changing these files right now. Try again.")


def _move(workspace: Workspace, after: str, by: User, kind: WorkspaceChange.Kind, what: str) -> bool:
    """One conditional update and its row; False when the head is not what it was, or a plan has been claimed."""
    plan = waiting_for_hands.plans_on_files().filter(workspace=OuterRef("pk"))
    typed = HandCommand.objects.filter(workspace=OuterRef("pk"), state=HandState.RUNNING.value)
    before = workspace.head
    with transaction.atomic():
        moved = (
            Workspace.objects.filter(~Exists(plan), ~Exists(typed), pk=workspace.pk, head=before)
            .update(head=after, changed_at=timezone.now())
        )  # fmt: skip
        if moved and before != after:
            change = WorkspaceChange.objects.create(
                workspace=workspace, by=by, kind=kind, what=what, before=before, after=after
            )  # fmt: skip
            told = {"change": change.pk, "kind": kind.value, "what": what, "before": before, "after": after}
            journal.record(Event.WORKSPACE_FILES, by=by, subject=f"workspace:{workspace.name}", data=told)
    return bool(moved)


def _check_places(snapshots: SnapshotStore, head: str, paths: Collection[bytes]) -> None:
    """Refuse a file where a folder is, and a file below a file or link: nothing may vanish under an upload."""
    kinds = {entry.path: entry.kind for entry in snapshots.entries(head)}
    parents = {path.rsplit(b"/", 1)[0] for path in kinds if b"/" in path}
    for path in paths:
        parts = path.split(b"/")
        above = (b"/".join(parts[:depth]) for depth in range(1, len(parts)))
        blocked = next((folder for folder in above if kinds.get(folder, "dir") != "dir"), None)
        if blocked is not None:
            raise WorkspaceRefused("path", f"“{file_paths.to_text(blocked)}” is a file, so nothing can be inside it.")
        if kinds.get(path) == "dir" or path in parents:
            raise WorkspaceRefused("path", f"“{file_paths.to_text(path)}” is a folder. Use another name.")
        if kinds.get(path) == "link":
            raise WorkspaceRefused("path", f"“{file_paths.to_text(path)}” is a link. Delete it first.")


def _check_room(workspace: Workspace, more_bytes: int) -> None:
    """Refuse before anything is unpacked what could not fit even into an empty workspace."""
    if more_bytes > workspace.quota_bytes:
        raise WorkspaceRefused(
            "files", f"This takes {more_bytes:,} bytes; the workspace may hold {workspace.quota_bytes:,}."
        )


def _check_quota(workspace: Workspace, snapshot: Snapshot) -> None:
    if snapshot.size_bytes > workspace.quota_bytes:
        raise WorkspaceRefused(
            "files",
            f"With this the workspace would hold {snapshot.size_bytes:,} bytes; {workspace.quota_bytes:,} is its quota."
            " Delete files first.",
        )
    if snapshot.files > Limits().workspace_files:
        raise WorkspaceRefused(
            "files",
            f"With this the workspace would hold {snapshot.files:,} files; {Limits().workspace_files:,} is the most.",
        )
