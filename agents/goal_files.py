"""What a goal did to its workspace: the difference between the snapshot it started from and the last one it made."""

from __future__ import annotations

from dataclasses import dataclass

from agents.goal_page import GoalPage
from agents.services import file_paths
from agents.services.stores import store

# What lies in a virtual environment is shown as one entry; nobody reads two thousand files of pip.
_SHOWN_MAX = 500


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


def changes(page: GoalPage) -> Changes | None:
    """The files the goal changed so far; None when none of its intents has run."""
    ran = [attempt for attempt in page.attempts if attempt.snapshot_after]
    if not ran:
        return None
    snapshots = store()
    first, last = ran[0].snapshot_before, ran[-1].snapshot_after
    try:
        found = [change for change in snapshots.diff(first, last) if (change.after or change.before).kind != "dir"]
        entries = snapshots.entries(last)
    except KeyError:
        return None
    venvs = [entry.path.removesuffix(b"pyvenv.cfg") for entry in entries if entry.path.endswith(b"/pyvenv.cfg")]
    shown: list[FileChange] = []
    folded: dict[tuple[str, bytes], int] = {}
    for change in found:
        venv = next((folder for folder in venvs if change.path.startswith(folder)), None)
        if venv is not None:
            folded[change.kind, venv] = folded.get((change.kind, venv), 0) + 1
            continue
        entry = change.after or change.before
        shown.append(
            FileChange(
                change.kind,
                file_paths.to_text(change.path),
                file_paths.to_address(change.path),
                entry.size if entry else 0,
                is_file=change.after is not None and change.after.kind == "file",
            )
        )
    for (kind, venv), count in folded.items():
        path = venv.rstrip(b"/")
        shown.append(FileChange(kind, file_paths.to_text(path), file_paths.to_address(path), 0, count, is_file=False))
    order = {"deleted": 0, "changed": 1, "added": 2}
    shown.sort(key=lambda change: (order[change.kind], change.path))
    return Changes(shown[:_SHOWN_MAX], max(0, len(shown) - _SHOWN_MAX))
