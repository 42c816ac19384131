"""Where snapshots live: one content-addressed store below the data folder, outside every jail."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from django.conf import settings

from sandbox.contract import DEFAULT_LIMITS, Limits
from sandbox.snapshots import SnapshotStore


@lru_cache(maxsize=16)
def _store(folder: Path, limits: Limits) -> SnapshotStore:
    return SnapshotStore(folder, limits)


def store(limits: Limits = DEFAULT_LIMITS) -> SnapshotStore:
    """The snapshot store of this installation; what it takes in is refused above these limits."""
    return _store(Path(settings.DATA_DIR) / "store", limits)


def checkouts() -> Path:
    """The folder in which claims make their checkouts; nobody reads one after its claim has ended."""
    folder = Path(settings.DATA_DIR) / "checkouts"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
