"""Looking over the workspace before and after a program: what has gone, what grew, what a snapshot cannot keep."""

from __future__ import annotations

import os
import stat

from .tree import kind_of, quietly, shown

MOST_DEEP = 256
_ROUNDED_BYTES = 8192  # what an honest small file may take on the disk beyond its size
# Programs clear these by themselves all the time; nobody ever put anything there.
CACHES = (b"__pycache__", b".pytest_cache", b".mypy_cache", b".ruff_cache", b".hypothesis")


class Survey:
    """Every path of the workspace, and the first reason why its state could not be kept ("" when it can be)."""

    def __init__(self) -> None:
        self.paths: set[bytes] = set()
        self.size_bytes = 0
        self.over_limit = False
        self.unfit = ""


def survey(root: bytes, most_bytes: int, most_files: int) -> Survey:
    """Walks `root` without following links, and stops at the limits."""
    found = Survey()
    waiting: list[tuple[bytes, int]] = [(b"", 1)]
    while waiting and not found.over_limit:
        above, depth = waiting.pop()
        if depth > MOST_DEEP:
            found.unfit = found.unfit or f"folders are nested more than {MOST_DEEP} deep"
            continue
        try:
            folder = quietly(root + b"/" + above)
        except OSError as error:
            found.unfit = found.unfit or f"{shown(above)} cannot be listed ({os.strerror(error.errno or 0)})"
            continue
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    path = above + os.fsencode(entry.name)
                    _note(found, path, entry.stat(follow_symlinks=False))
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((path + b"/", depth + 1))
        finally:
            os.close(folder)
        found.over_limit = found.size_bytes > most_bytes or len(found.paths) > most_files
    return found


def _note(found: Survey, path: bytes, state: os.stat_result) -> None:
    found.paths.add(path)
    kind = kind_of(state.st_mode)
    # Room that is only reserved, and a folder that once held many names, take more than their size says.
    beyond = state.st_blocks * 512 - _ROUNDED_BYTES
    found.size_bytes += max(state.st_size if kind == "file" else 0, beyond)
    readable = stat.S_IRUSR | (stat.S_IXUSR if kind == "dir" else 0)
    if kind not in ("file", "dir", "link"):
        found.unfit = found.unfit or f"{shown(path)} is a {kind}, which a workspace cannot keep"
    elif kind != "link" and state.st_mode & readable != readable:
        found.unfit = found.unfit or f"{shown(path)} cannot be read: its permissions forbid it"


def deleted(before: Survey, after: Survey) -> list[bytes]:
    """Paths that have gone, caches aside."""
    gone = before.paths - after.paths
    return sorted(path for path in gone if not any(part in CACHES for part in path.split(b"/")))
