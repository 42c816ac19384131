"""Whether the last preparation was made by exactly this code, with this sentence model and these passwords of the
database, so that a start need not repeat it.

The stamp lies in the cluster's own folder: another or a new cluster has none. A preparation costs two seconds of
processor time, a third of a whole second start.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from .configuration import PROJECT
from .data_folder import DataFolder

STAMP = "prepared"
_NOT_OURS = {".git", ".venv", ".mindx", "__pycache__", "tests", "docs", "templates", "node_modules"}


def is_prepared(folder: DataFolder, cluster: Path) -> bool:
    """Whether database and static files are what this code would make of them."""
    stamp = cluster / STAMP
    static = folder.root / "static" / ".collected"
    return static.exists() and stamp.exists() and stamp.read_text() == _digest(folder)


def note_prepared(folder: DataFolder, cluster: Path) -> None:
    """Remember that the preparation was made by this code."""
    (cluster / STAMP).write_text(_digest(folder))


def forget_prepared(cluster: Path) -> None:
    """To be called before a preparation: one that fails half-way must be repeated."""
    (cluster / STAMP).unlink(missing_ok=True)


def _digest(folder: DataFolder) -> str:
    """Changes with the name, size or time of any file that a preparation could depend on, and with the sentence model,
    which a preparation asks once.
    """
    model = os.environ.get("MINDX_EMBEDDING_MODEL", "").strip()
    seen = hashlib.sha256(f"{PROJECT}\0{model}\n".encode("utf-8", "surrogateescape"))
    for path in sorted([*_files(PROJECT), *folder.secrets.glob("pg_*")]):
        state = path.stat()
        seen.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return seen.hexdigest()


def _files(project: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(project):
        folders[:] = [name for name in folders if name not in _NOT_OURS and not name.startswith(".")]
        yield from (Path(folder, name) for name in names if not name.startswith(".") and not name.endswith(".log"))
