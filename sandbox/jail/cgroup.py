"""A control group for one jail, if this process may make one: a hard limit behind the helper's watch.

The helper sees memory that programs touch, and kills at the limit itself. What it cannot see (kernel buffers, unmapped
shared memory) only the kernel can count. Without groups there is only the watch.

The launcher makes the group and enters it before it has its order (`grouping.py`); the limits are set here.
"""

from __future__ import annotations

import os
import re
import uuid
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sandbox.contract import DEFAULT_LIMITS, Limits
from sandbox.jail.grouping import PREFIX

_MOUNTS = Path("/sys/fs/cgroup")
_SPARE_BYTES = 128 << 20  # the launcher, the helper, and room for the watch to act first and say "memory"
_SPARE_PROCESSES = 16
_PERIOD_US = 100_000


@dataclass(frozen=True)
class Group:
    """The folders of one group: one in the unified hierarchy, or one for each controller of the old ones."""

    folders: tuple[Path, ...]

    def limit(self, limits: Limits) -> None:
        """Raises OSError if the kernel does not accept them."""
        for folder, settings in zip(self.folders, _wanted(limits).values(), strict=True):
            for file, value in settings.items():
                (folder / file).write_text(value)

    def memory_kills(self) -> int:
        """How many processes of this group the kernel has killed for want of memory."""
        texts = (_text(folder / name) for folder in self.folders for name in ("memory.events", "memory.oom_control"))
        found = (re.search(r"^oom_kill (\d+)$", text, re.MULTILINE) for text in texts)
        return sum(int(each[1]) for each in found if each)

    def remove(self) -> None:
        """Removes the group, which is empty when the launcher is gone; ignored if that fails."""
        for folder in self.folders:
            try:
                folder.rmdir()
            except OSError:
                continue


def named(name: str) -> Group | None:
    """The group that a launcher made under this name; None for none."""
    return Group(tuple(parent / name for parent in _parents())) if name else None


def parents() -> list[str]:
    """The folders in which launchers make groups; empty if this process may not, or the kernel has none."""
    return [str(each) for each in _parents()]


def shares_cpu() -> bool:
    """True if a group also limits processor time."""
    wanted = _wanted(DEFAULT_LIMITS).values() if _parents() else ()
    return any("cpu.max" in settings or "cpu.cfs_quota_us" in settings for settings in wanted)


@lru_cache(maxsize=1)
def _parents() -> tuple[Path, ...]:
    """Tried once for the process.

    Only root makes groups: an ordinary user has none to divide, unless a service manager delegated one.
    """
    if os.geteuid() != 0:
        return ()
    _remove_abandoned()
    trial = Group(tuple(parent / f"{PREFIX}{os.getpid()}-{uuid.uuid4().hex}" for parent in _wanted(DEFAULT_LIMITS)))
    try:
        for folder in trial.folders:
            folder.mkdir()
        trial.limit(DEFAULT_LIMITS)
    except OSError:
        return ()
    finally:
        trial.remove()
    return tuple(_wanted(DEFAULT_LIMITS))


def _remove_abandoned() -> None:
    """Removes control groups whose launcher and worker were both killed: nothing else would."""
    for parent in _wanted(DEFAULT_LIMITS):
        for folder in parent.glob(f"{PREFIX}*-*"):
            if not Path("/proc", folder.name.split("-")[1]).exists():
                Group((folder,)).remove()


def _wanted(limits: Limits) -> dict[Path, dict[str, str]]:
    """What is to be written, by the folder below which the group is: the unified hierarchy when it has all three."""
    memory_bytes, processes = limits.memory_bytes + _SPARE_BYTES, limits.processes + _SPARE_PROCESSES
    quota_us = int(limits.cpus * _PERIOD_US)
    if _is_unified():
        settings = {"memory.max": str(memory_bytes), "pids.max": str(processes)}
        settings |= {"memory.swap.max": "0"} if _has_swap_limit() else {}
        return {_MOUNTS: settings | {"cpu.max": f"{quota_us} {_PERIOD_US}"}}
    old = {
        "memory": {"memory.limit_in_bytes": str(memory_bytes)},
        "pids": {"pids.max": str(processes)},
        "cpu": {"cpu.cfs_period_us": str(_PERIOD_US), "cpu.cfs_quota_us": str(quota_us)},
    }
    return {_MOUNTS / name: settings for name, settings in old.items() if (_MOUNTS / name / "cgroup.procs").exists()}


@lru_cache(maxsize=1)
def _is_unified() -> bool:
    return {"memory", "pids", "cpu"} <= set(_text(_MOUNTS / "cgroup.subtree_control").split())


@lru_cache(maxsize=1)
def _has_swap_limit() -> bool:
    return (_MOUNTS / "memory.swap.max").exists()


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
