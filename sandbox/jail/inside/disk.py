"""The watch over the host's disks while programs run.

Looking is dear, so the disks' own count of free room says when: others write there too, but what the jail takes is
gone there as well. What was counted decides. What may be hidden decides only together with the disks: when these
have lost a whole workspace's size that nothing explains, and the jail could be hiding as much, it is taken for the
jail's. So nobody ends for what others write who hides nothing, and what can be hidden has an end.
"""

# ruff: noqa: PTH116, SIM105
# The helper starts with every session, without pathlib and contextlib.
from __future__ import annotations

import os
import time

from .census import others, state_of
from .holdings import Holdings, holdings
from .place import Place

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

    Limits = Mapping[str, int]

_ANYWAY_S = 10.0  # what others free may cover what the jail takes
_LEAST_REST = 50  # so many times as long as a look without a reason took, until the next one
_SETTLE_S = 0.1
_SIGCONT, _SIGSTOP = 18, 19


class Disk:
    """What the jail takes of the disks, from the moment this is made."""

    def __init__(self, place: Place, limits: Limits) -> None:
        self._place = place
        self._limits = limits
        self._most = (limits["workspace_bytes"], limits["workspace_files"])
        self._free = _free(place)
        self._looks_at = (self._most[0] // 2, self._most[1] // 2)
        self._looks_anyway = time.monotonic() + _ANYWAY_S

    def is_over(self) -> bool:
        """Whether the jail has taken more than a workspace may have."""
        started = time.monotonic()
        free = _free(self._place)
        # The most room there has been: a loss is measured from there, and nothing makes it forgotten.
        self._free = (max(self._free[0], free[0]), max(self._free[1], free[1]))
        lost = (self._free[0] - free[0], self._free[1] - free[1])
        if lost[0] < self._looks_at[0] and lost[1] < self._looks_at[1] and started < self._looks_anyway:
            return False
        found = holdings(self._place, self._limits)
        if found.over or (self._suspects(found, lost) and self._looks_twice(lost)):
            return True
        room = (self._most[0] - found.size_bytes, self._most[1] - found.files)
        self._looks_at = (
            lost[0] + max(room[0] // 2, self._most[0] // 16),
            lost[1] + max(room[1] // 2, self._most[1] // 16),
        )
        ended = time.monotonic()
        self._looks_anyway = ended + max(_ANYWAY_S, _LEAST_REST * (ended - started))
        return False

    def _suspects(self, found: Holdings, lost: tuple[int, int]) -> bool:
        """Whether a whole workspace is missing that was not counted, and could be hidden."""
        return (
            min(lost[0] - found.size_bytes, found.hidden_bytes) >= self._most[0]
            or min(lost[1] - found.files, found.hidden_files) >= self._most[1]
        )

    def _looks_twice(self, lost: tuple[int, int]) -> bool:
        """Looks again with all that runs stopped: what was only on the move between two places is now in one."""
        already = {name for name in others() if state_of(f"/proc/{name}") in "Tt"}
        _stop_all(self._place)
        stopped = [name for name in others() if name not in already]
        end = time.monotonic() + _SETTLE_S
        while time.monotonic() < end and any(state_of(f"/proc/{name}") == "R" for name in stopped):
            time.sleep(0.001)
        try:
            found = holdings(self._place, self._limits)
            return found.over or self._suspects(found, lost)
        finally:
            for name in stopped:
                _go_on(name)


def _free(place: Place) -> tuple[int, int]:
    """Bytes and files that the disks under the workspace and the jail's own folder have room for."""
    disks = {os.stat(folder).st_dev: os.statvfs(folder) for folder in place.on_disk}
    return sum(disk.f_bavail * disk.f_frsize for disk in disks.values()), sum(disk.f_favail for disk in disks.values())


def _stop_all(place: Place) -> None:
    """All at once, as `programs.kill_others` ends them, so that none is missed that starts another meanwhile."""
    if not place.ends_all:
        raise PermissionError("this would stop processes that are not the jail's")
    try:
        os.kill(-1, _SIGSTOP)
    except ProcessLookupError:
        pass


def _go_on(name: str) -> None:
    try:
        os.kill(int(name), _SIGCONT)
    except ProcessLookupError:
        pass
