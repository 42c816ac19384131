"""Where snapshots live: one content-addressed store below the data folder, outside every jail."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.conf import settings

from sandbox.snapshots import SnapshotStore


@cache
def _store(folder: Path) -> SnapshotStore:
    return SnapshotStore(folder)


def store() -> SnapshotStore:
    """The snapshot store of this installation."""
    return _store(Path(settings.DATA_DIR) / "store")


def checkouts() -> Path:
    """The folder in which claims make their checkouts; nobody reads one after its claim has ended."""
    folder = Path(settings.DATA_DIR) / "checkouts"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
