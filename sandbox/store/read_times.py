"""Which files of a checkout were opened since it was laid out, from the times that the file system keeps of reads."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

# More than these are too many to be told; then anything may have been read.
MOST = 2_000


def opened(folder: Path, since_ns: int) -> list[bytes] | None:
    """Files that were read and folders that were listed, as paths from `folder`, those of folders with a slash at
    their end; None where the file system does not keep such times, or there are too many.

    `since_ns`: when the folder had been laid out. What was changed since, in any way, counts as read, too: a read
    before the change leaves no trace, and the change may have put back what was there.
    """
    if not _keeps_times(folder):
        return None
    found = []
    for path in _read(os.fsencode(folder), since_ns):
        found.append(path)
        if len(found) > MOST:
            return None
    return sorted(found)


def quietly(path: bytes | Path, flags: int, folder: int | None = None) -> int:
    """A descriptor whose reads leave no time behind, where that may be had: what mindX itself reads is no plan's."""
    try:
        return os.open(path, flags | os.O_NOATIME, dir_fd=folder)
    except PermissionError:
        return os.open(path, flags, dir_fd=folder)


def _keeps_times(folder: Path) -> bool:
    """Whether a read can be seen, tried with a file beside the folder; mounts may be told not to keep the times."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder.parent) as file:
            tried = Path(file.name)
            tried.write_bytes(b"x")
            os.utime(tried, ns=(1, 1))
            tried.read_bytes()
            return tried.stat().st_atime_ns != 1
    except OSError:
        return False


def _read(top: bytes, since_ns: int) -> Iterator[bytes]:
    # Each folder is asked before it is listed here, which is a read like any other.
    if _was_read(os.stat(top), since_ns):  # noqa: PTH116  # bytes: a name need not be UTF-8
        yield b"/"
    folders = [b""]
    while folders:
        folder = folders.pop()
        with os.scandir(top + b"/" + folder) as entries:
            for entry in entries:
                path = folder + entry.name
                if entry.is_dir(follow_symlinks=False):
                    path += b"/"
                    folders.append(path)
                if _was_read(entry.stat(follow_symlinks=False), since_ns):
                    yield path


def _was_read(state: os.stat_result, since_ns: int) -> bool:
    return state.st_atime_ns > state.st_ctime_ns or state.st_ctime_ns > since_ns
