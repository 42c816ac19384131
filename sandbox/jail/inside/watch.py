"""Watches the jail: number of processes, memory, disk, temporary files, and time.

Asked at every tick of a running program. The watch decides; `programs.py` ends what exceeds a limit.
"""

# ruff: noqa: PTH208
# The helper starts with every session, without pathlib.
from __future__ import annotations

import os
import time

from . import temporary
from .census import census, proportional_bytes
from .disk import Disk
from .place import Place

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

    Limits = Mapping[str, int]

_DISK_TICK_S = 0.5
_GRACE_S = 1.0
_SIGTERM = 15
_TERMINALS = "/dev/pts"


class Deadline:
    """The time of one program, given by its process id, which leads its group; `at` is monotonic."""

    def __init__(self, pid: int, at: float) -> None:
        self.pid = pid
        self.at = at
        self.passed = False

    def kills(self, now: float) -> bool:
        """Whether the program has to be killed now.

        The first signal only asks it to end, so that it can write its data. The one a little later cannot be ignored.
        """
        if now < self.at:
            return False
        if self.passed:
            return True
        self.passed, self.at = True, now + _GRACE_S
        os.killpg(self.pid, _SIGTERM)
        return False


class Watch:
    """What the jail's processes use together, from the moment this is made."""

    def __init__(self, place: Place, limits: Limits) -> None:
        self.peak_processes = 0
        self.peak_bytes = 0
        self._place = place
        self._limits = limits
        self._disk = Disk(place, limits)
        self._next_disk_check = time.monotonic() + _DISK_TICK_S

    def look(self, now: float) -> str | None:
        """The name of the limit that is exceeded now, if any."""
        processes, memory_bytes = census()
        self.peak_processes = max(self.peak_processes, processes)
        if memory_bytes > self._limits["memory_bytes"]:
            memory_bytes = proportional_bytes()
        self.peak_bytes = max(self.peak_bytes, memory_bytes)
        if memory_bytes > self._limits["memory_bytes"]:
            return "memory"
        if temporary.are_too_many(self._place, self._limits):
            return "inodes"
        if temporary.folders(self._place) and len(os.listdir(_TERMINALS)) > self._limits["processes"]:
            return "terminals"
        if now >= self._next_disk_check:
            self._next_disk_check = now + _DISK_TICK_S
            return "workspace" if self._disk.is_over() else None
        return None
