"""This machine's copies from a shared store: long unused ones are removed, by age and by size.

We set a file's time of last access; its time of last change says when it was stored.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.store.store_lock import StoreBusy, removing

_STAMP = ".trimmed"
_EVERY_S = 600.0
# A process that has just checked for a copy may be about to open it.
_IN_USE_S = 60.0


@dataclass(frozen=True)
class CachePolicy:
    """The maximum size of the copies in bytes, and how long an unused one is kept (seconds)."""

    most_bytes: int = 10 * 1024**3
    unused_s: float = 7 * 86_400.0
    every_s: float = _EVERY_S


def note_use(path: Path) -> None:
    """Marks this copy as used now."""
    with suppress(FileNotFoundError):
        os.utime(path, (time.time(), path.stat().st_mtime))


def trim(folder: Path, policy: CachePolicy, now: float) -> int:
    """Removes copies, the longest unused first, at most once in `policy.every_s`. Returns how many.

    Nothing is removed while a process on this machine writes: a writer relies on copies that it found.
    """
    stamp = folder / _STAMP
    try:
        if stamp.stat().st_mtime > now - policy.every_s:
            return 0
    except FileNotFoundError:
        pass
    stamp.touch()
    try:
        with removing(folder, 0.0):
            return sum(map(_removed, _too_many(folder, policy, now)))
    except StoreBusy:
        stamp.unlink(missing_ok=True)
        return 0


def _too_many(folder: Path, policy: CachePolicy, now: float) -> Iterator[Path]:
    found = sorted(_copies(folder), key=lambda each: each[0])
    left = sum(size for _, size, _ in found)
    for used, size, path in found:
        if used > now - _IN_USE_S or (left <= policy.most_bytes and used > now - policy.unused_s):
            return
        left -= size
        yield path


def _copies(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """Last use, size in bytes and path of every copy."""
    for pattern in ("blobs/[0-9a-f][0-9a-f]/*", "manifests/*"):
        for path in folder.glob(pattern):
            with suppress(FileNotFoundError):
                state = path.stat()
                yield state.st_atime, state.st_size, path


def _removed(path: Path) -> bool:
    path.unlink(missing_ok=True)
    return True
