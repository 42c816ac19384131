"""The sandbox's folders, and the numeric identity of a jail that root starts."""

from __future__ import annotations

import os
from pathlib import Path

# One uid and gid for every jail that root starts, in a range that systemd's table of uids leaves unused. Not nobody
# (65534), because the database may run as that. Without root the jail has the user's own uid.
JAIL_UID = 60942


def data_folder() -> Path:
    """`MINDX_DATA`, else `.mindx` beside the program."""
    named = os.environ.get("MINDX_DATA")
    return Path(named).absolute() if named else Path(__file__).resolve().parent.parent / ".mindx"


def owner() -> tuple[int, int] | None:
    """The uid and gid that a jail's files must have, or None if they are the caller's."""
    return (JAIL_UID, JAIL_UID) if os.geteuid() == 0 else None


def templates_folder() -> Path:
    """Prepared virtual environments; every jail sees this folder, read-only."""
    return _open_folder("environments")


def helpers_folder() -> Path:
    """The helper's code, version by version."""
    return _open_folder("helpers")


def _open_folder(name: str) -> Path:
    """A folder in our data that another uid may read once it is bound to a reachable place."""
    folder = data_folder() / "sandbox" / name
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
    return folder
