"""Undoes what a program did to a workspace, for sessions whose folder survives them."""

from __future__ import annotations

import shutil
from pathlib import Path

from sandbox.store.snapshots import SnapshotStore


class Undo:
    """Stores a folder's state before each program, and can restore it.

    A caller that discards its checkout after a failed step (the executor) does not need this.
    """

    def __init__(self, root: Path, store: SnapshotStore) -> None:
        self._root = root
        self._store = store
        self._digest: str | None = None

    def remember(self) -> None:
        """Raises SnapshotRefused if the folder contains what a snapshot cannot."""
        self._digest = self._store.take(self._root, self._digest).digest

    def restore(self) -> None:
        """Restores the folder's state at the last `remember`. The jail must be idle."""
        if self._digest is None:
            raise RuntimeError("nothing was remembered")
        for path in self._root.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        self._store.checkout(self._digest, self._root)
