"""A control group for one jail, where this process may make one: a hard wall behind the helper's watch.

The helper sees memory that programs touch and kills at the limit itself. What it cannot see (kernel buffers, shared
memory that nobody maps any more) only the kernel can count. Where groups cannot be made, the watch stands alone.
"""

from __future__ import annotations

import os
import re
import uuid
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sandbox.contract import Limits

_MOUNTS = Path("/sys/fs/cgroup")
_SPARE_BYTES = 128 << 20  # the launcher, the helper, and room for the watch to act first and say "memory"
_SPARE_PROCESSES = 16
_PERIOD_US = 100_000
_PREFIX = "mindx-"


@dataclass(frozen=True)
class Group:
    """The folders of one group: one in the unified hierarchy, or one for each controller of the old ones."""

    folders: tuple[Path, ...]

    @property
    def entrances(self) -> list[str]:
        """Files into which the launcher writes its process id while it is root."""
        return [str(folder / "cgroup.procs") for folder in self.folders]

    @property
    def shares_cpu(self) -> bool:
        """True when the group also limits processor time."""
        return any((folder / name).exists() for folder in self.folders for name in ("cpu.max", "cpu.cfs_quota_us"))

    def memory_kills(self) -> int:
        """How many processes of this group the kernel has killed for want of memory."""
        texts = (_text(folder / name) for folder in self.folders for name in ("memory.events", "memory.oom_control"))
        found = (re.search(r"^oom_kill (\d+)$", text, re.MULTILINE) for text in texts)
        return sum(int(each[1]) for each in found if each)

    def remove(self) -> None:
        """Removes the group, which is empty when the launcher is gone. What cannot be removed is left."""
        for folder in self.folders:
            try:
                folder.rmdir()
            except OSError:
                continue


def make(limits: Limits) -> Group | None:
    """A fresh group with the limits set, or None when this process may not or the kernel has none.

    Only root makes one: an ordinary user has no group of its own to divide, except where a service manager was
    asked for it.
    """
    if os.geteuid() != 0:
        return None
    _remove_abandoned()
    name = f"{_PREFIX}{os.getpid()}-{uuid.uuid4().hex}"
    made: list[Path] = []
    try:
        for parent, settings in _wanted(limits):
            folder = parent / name
            folder.mkdir()
            made.append(folder)
            for file, value in settings.items():
                (folder / file).write_text(value)
    except OSError:
        Group(tuple(made)).remove()
        return None
    return Group(tuple(made)) if made else None


def _remove_abandoned() -> None:
    """Removes groups whose maker was killed before it could."""
    for parent in _parents().values():
        for folder in parent.glob(f"{_PREFIX}*-*"):
            if not Path("/proc", folder.name.split("-")[1]).exists():
                Group((folder,)).remove()


def _wanted(limits: Limits) -> list[tuple[Path, dict[str, str]]]:
    memory_bytes, processes = limits.memory_bytes + _SPARE_BYTES, limits.processes + _SPARE_PROCESSES
    quota_us = int(limits.cpus * _PERIOD_US)
    unified = _parents().get("")
    if unified is not None:
        settings = {"memory.max": str(memory_bytes), "pids.max": str(processes)}
        settings |= {"memory.swap.max": "0"} if (unified / "memory.swap.max").exists() else {}
        return [(unified, settings | {"cpu.max": f"{quota_us} {_PERIOD_US}"})]
    old = {
        "memory": {"memory.limit_in_bytes": str(memory_bytes)},
        "pids": {"pids.max": str(processes)},
        "cpu": {"cpu.cfs_period_us": str(_PERIOD_US), "cpu.cfs_quota_us": str(quota_us)},
    }
    return [(_parents()[controller], settings) for controller, settings in old.items() if controller in _parents()]


@lru_cache(maxsize=1)
def _parents() -> dict[str, Path]:
    """Where groups can be made, by controller; "" is the unified hierarchy, taken when it has all three."""
    if {"memory", "pids", "cpu"} <= set(_text(_MOUNTS / "cgroup.subtree_control").split()):
        return {"": _MOUNTS}
    return {name: _MOUNTS / name for name in ("memory", "pids", "cpu") if (_MOUNTS / name / "cgroup.procs").exists()}


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
