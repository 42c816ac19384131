"""Watching what runs in the jail: how many processes, how much memory and disk, and for how long.

Asked at every tick of a running program. The watch decides; ending what it finds too much is `programs.py`'s.
"""

# ruff: noqa: PTH116, PTH208
# The helper starts with every session, without pathlib.
from __future__ import annotations

import os
import time
from itertools import chain

from .place import Place

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

    Limits = Mapping[str, int]

_DISK_TICK_S = 0.5
_GRACE_S = 1.0
_SIGTERM = 15
_PAGE_BYTES = os.sysconf("SC_PAGESIZE")


class Deadline:
    """The time of one program, given by its process id, which leads its group; `at` is monotonic."""

    def __init__(self, pid: int, at: float) -> None:
        self.pid = pid
        self.at = at
        self.passed = False

    def kills(self, now: float) -> bool:
        """Whether the program has to be killed now.

        The first time it is only asked to end: a polite signal lets it write what it has. What comes a little later
        cannot be ignored.
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
        self._free_at_start = _free(place)
        self._next_disk_check = time.monotonic() + _DISK_TICK_S

    def look(self, now: float) -> str | None:
        """The name of the limit that is passed now, if one is."""
        processes, memory_bytes = _census()
        self.peak_processes = max(self.peak_processes, processes)
        most_bytes = self._limits["memory_bytes"]
        if memory_bytes > most_bytes:
            memory_bytes = _proportional_bytes()
        self.peak_bytes = max(self.peak_bytes, memory_bytes)
        if memory_bytes > most_bytes:
            return "memory"
        if now >= self._next_disk_check:
            self._next_disk_check = now + _DISK_TICK_S
            return self._disk()
        return None

    def _disk(self) -> str | None:
        """Walks the workspace only when the disk lost so much that it could be the reason: others write there too."""
        most_bytes, most_files = self._limits["workspace_bytes"], self._limits["workspace_files"]
        free_bytes, free_files = _free(self._place)
        used = self._free_at_start[0] - free_bytes
        files = self._free_at_start[1] - free_files
        if used < most_bytes // 2 and files < most_files // 2:
            return None
        size_bytes = count = 0
        for folder, folders, names in chain.from_iterable(map(os.walk, self._place.on_disk)):
            count += len(folders) + len(names)
            for name in names:
                try:
                    size_bytes += os.lstat(f"{folder}/{name}").st_blocks * 512
                except OSError:
                    continue
            if size_bytes > most_bytes or count > most_files:
                return "workspace"
        self._free_at_start = (free_bytes + size_bytes, free_files + count)
        return None


def _free(place: Place) -> tuple[int, int]:
    """Bytes and files that the disks under the workspace and the jail's own folder have room for."""
    disks = {os.stat(folder).st_dev: os.statvfs(folder) for folder in place.on_disk}
    return sum(disk.f_bavail * disk.f_frsize for disk in disks.values()), sum(disk.f_favail for disk in disks.values())


def others() -> list[str]:
    """The jail's processes beside the helper. Without a process namespace, those of its uid, which is its alone."""
    own = os.getpid()
    names = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != own]
    return names if own == 1 else [name for name in names if _is_ours(name)]


def _is_ours(name: str) -> bool:
    try:
        return os.stat(f"/proc/{name}").st_uid == os.getuid()
    except OSError:
        return False


def _census() -> tuple[int, int]:
    """How many processes there are, and the memory they touch, with what they share counted once for each."""
    processes = kibibytes = 0
    for name in others():
        try:
            with open(f"/proc/{name}/status", "rb") as file:
                text = file.read()
        except OSError:
            continue
        processes += 1
        for label in (b"\nRssAnon:", b"\nRssShmem:"):
            start = text.find(label)
            if start >= 0:
                kibibytes += int(text[start + len(label) :].split(None, 1)[0])
    return processes, kibibytes << 10


def _proportional_bytes() -> int:
    """The same with shared pages divided among their holders: exact, and too slow to ask at every tick."""
    total = 0
    for name in others():
        try:
            with open(f"/proc/{name}/smaps_rollup", "rb") as file:
                text = file.read()
            wanted = (b"Pss_Anon:", b"Pss_Shmem:")
            total += sum(int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith(wanted))
        except OSError:
            # A program that made itself unreadable is counted in full.
            try:
                with open(f"/proc/{name}/statm", "rb") as file:
                    total += int(file.read().split()[1]) * _PAGE_BYTES
            except OSError:
                continue
    return total
