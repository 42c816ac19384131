"""What a goal did to its workspace: the difference between the snapshot it started from and the last one it made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agents.models import Attempt
from agents.workspaces import file_paths
from agents.workspaces.stores import store
from sandbox.store.snapshots import Change, Entry

# What lies in a virtual environment is shown as one entry; nobody reads two thousand files of pip.
_SHOWN_MAX = 500
_VENV = b"/pyvenv.cfg"
# What is gone comes first: that is what a reader must not miss.
_ORDER = ("deleted", "changed", "added")


@dataclass(frozen=True)
class FileChange:
    """One changed path; `inside` counts further changes folded into it (a virtual environment)."""

    kind: str
    path: str
    address: str
    size_bytes: int
    inside: int = 0
    is_file: bool = True


@dataclass(frozen=True)
class Changes:
    """Deleted, then changed, then added; `left_out` counts what is beyond the limit of the page."""

    items: list[FileChange]
    left_out: int


def changes(tries: Sequence[Attempt]) -> Changes | None:
    """The files that a goal's tries, oldest first, changed so far; None when none of its intents has run."""
    ran = [attempt for attempt in tries if attempt.snapshot_after]
    if not ran:
        return None
    first, last = ran[0].snapshot_before, ran[-1].snapshot_after
    try:
        found = [change for change in store().diff(first, last) if _entry(change).kind != "dir"]
        venvs = [entry.path[: -len(_VENV)] for entry in store().entries(last) if entry.path.endswith(_VENV)]
    except KeyError:  # a snapshot that is not here any more
        return None
    shown: list[FileChange] = []
    folded: Counter[tuple[str, bytes]] = Counter()
    for change in found:
        venv = next((folder for folder in venvs if change.path.startswith(folder + b"/")), None)
        if venv is None:
            shown.append(_shown(change))
        else:
            folded[change.kind, venv] += 1
    shown += [_folded(kind, venv, count) for (kind, venv), count in folded.items()]
    shown.sort(key=lambda change: (_ORDER.index(change.kind), change.path))
    return Changes(shown[:_SHOWN_MAX], max(0, len(shown) - _SHOWN_MAX))


def _entry(change: Change) -> Entry:
    entry = change.after or change.before
    if entry is None:
        raise ValueError("a change is of something")
    return entry


def _shown(change: Change) -> FileChange:
    return FileChange(
        change.kind,
        file_paths.to_text(change.path),
        file_paths.to_address(change.path),
        _entry(change).size,
        is_file=change.after is not None and change.after.kind == "file",
    )


def _folded(kind: str, venv: bytes, count: int) -> FileChange:
    return FileChange(kind, file_paths.to_text(venv), file_paths.to_address(venv), 0, count, is_file=False)
