"""Temporary files in the jail's own memory: its file systems have a size, but names take the kernel's memory too.

Root could bound them when they are mounted; bubblewrap, which an ordinary user can start, cannot.
"""

# ruff: noqa: PTH208, SIM105
# The helper starts with every session, without pathlib and contextlib.
from __future__ import annotations

import os

from .files import discard
from .place import TMP, Place

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

    Limits = Mapping[str, int]

_SHARED = "/dev/shm"  # noqa: S108 - the jail's own


def folders(place: Place) -> list[str]:
    """Where temporary files lie in memory; a jail without mounts of its own has them on the disk instead."""
    return [TMP, _SHARED] if place.tmp == TMP else []


def are_too_many(place: Place, limits: Limits) -> bool:
    """Whether there are more of them, named or only open, than the workspace may have files."""
    return sum(map(_files, folders(place))) > limits["workspace_files"]


def _files(folder: str) -> int:
    held = os.statvfs(folder)
    return held.f_files - held.f_ffree


def remove_all(place: Place) -> None:
    """Makes room again, when nothing runs: else the next program would end for what an earlier one left."""
    for path in folders(place):
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in os.listdir(folder):
                try:
                    discard(folder, os.fsencode(name))
                except OSError:
                    pass  # what its maker sealed stays; it counts on
        finally:
            os.close(folder)
