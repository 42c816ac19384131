"""The mark of a restore that has begun and not ended: until it has, nothing that was approved may run.

It lies in the data folder from before the first row is there until everything is settled. A restore that was stopped in
between is finished by starting it again; until then no worker begins.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from mindx_web.supervisor.data_folder import write_private

_NAME = "restoring"


@dataclass(frozen=True)
class Unfinished:
    """Which backup is being restored: where it lay, and the digest of its dump."""

    folder: str
    dump_sha256: str


def begin(root: Path, restoring: Unfinished) -> None:
    """Put the mark into this data folder."""
    write_private(root / _NAME, json.dumps(asdict(restoring)) + "\n")


def found(root: Path) -> Unfinished | None:
    """The restore into this data folder that has not ended. One whose mark cannot be read names no backup."""
    try:
        text = (root / _NAME).read_text(errors="replace")
    except FileNotFoundError:
        return None
    try:
        return Unfinished(**json.loads(text))
    except (ValueError, TypeError):
        return Unfinished("", "")


def end(root: Path) -> None:
    """Everything is settled."""
    (root / _NAME).unlink(missing_ok=True)


def why_not_to_start(root: Path) -> str:
    """Why no worker may begin; "" when nothing stands against it."""
    unfinished = found(root)
    if unfinished is None:
        return ""
    return (
        "a restore into this data folder was not finished, so plans approved earlier could run unasked."
        f" Finish it: `python -m mindx_web.backup restore {unfinished.folder or 'DIR'}`. Or start with another, empty"
        " MINDX_DATA."
    )
