"""The workspaces of the benchmark, laid as real files and taken as snapshots, the older files first."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

if TYPE_CHECKING:
    from agents.models import Workspace
    from people.models import User

World = Mapping[str, Any]
_NO_FILES = ("git", "later", "commits")
_WHO = (("NAME", "Ada"), ("EMAIL", "ada@localhost"))
_ENVIRONMENT = {
    **{f"GIT_{role}_{part}": said for role in ("AUTHOR", "COMMITTER") for part, said in _WHO},
    "GIT_CONFIG_NOSYSTEM": "1",
    "HOME": "/nonexistent",
}


def lay(world: World, name: str, owner: User) -> Workspace:
    """A workspace that holds the files of a world; a file of `days` came into it that many days ago."""
    from django.utils import timezone

    from agents.models import Workspace, WorkspaceChange
    from agents.workspaces import workspaces
    from agents.workspaces.stores import store

    now = timezone.now()
    workspace: Workspace = workspaces.create_numbered(by=owner, name=name)
    with tempfile.TemporaryDirectory(prefix="everyday-") as folder:
        root = Path(folder)
        for days, files in _by_age(world):
            for path, content in files.items():
                _write(root / path, content)
            if world.get("git"):
                _commit(root, world)
            after, before = store().take(root).digest, workspace.head
            if after == before:
                continue
            with mock.patch.object(timezone, "now", lambda days=days: now - timedelta(days=days)):
                WorkspaceChange.objects.create(
                    workspace=workspace, by=owner, kind="write", what=name, before=before, after=after
                )
            Workspace.objects.filter(pk=workspace.pk).update(head=after)
            workspace.refresh_from_db()
    return workspace


def files_of(workspace: Workspace, folder: Path) -> None:
    """Lay the files that the workspace holds now into a folder."""
    from agents.workspaces.stores import store

    store().checkout(workspace.head, folder)


def _by_age(world: World) -> Iterator[tuple[int, dict[str, Any]]]:
    files = {path: content for path, content in world.items() if path not in _NO_FILES}
    ages = {path: content.get("days", 0) if isinstance(content, dict) else 0 for path, content in files.items()}
    for days in sorted(set(ages.values()) or {0}, reverse=True):
        yield days, {path: files[path] for path in files if ages[path] == days}


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        # Files of the same size are no duplicates of each other.
        text = content.get("text") or (path.name + "\n").ljust(content["size"], "x")
        path.write_text(text)
    elif str(path).endswith("/") or content == "":
        path.mkdir(exist_ok=True)
    else:
        path.write_text(content)


def _commit(root: Path, world: World) -> None:
    _git(root, "init", "--quiet", "--initial-branch=main")
    _git(root, "add", "--all")
    _git(root, "commit", "--quiet", "--message=first commit")
    for files in world.get("commits", ()):
        for path, content in files.items():
            _write(root / path, content)
        _git(root, "commit", "--quiet", "--all", "--message=second commit")
    for path, content in world.get("later", {}).items():
        _write(root / path, content)


def _git(root: Path, *words: str) -> None:
    git = {**os.environ, **_ENVIRONMENT}
    subprocess.run(["git", *words], cwd=root, env=git, check=True, capture_output=True)
