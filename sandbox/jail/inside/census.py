"""Who runs in the jail, and the memory they touch."""

# ruff: noqa: PTH116, PTH208
# The helper starts with every session, without pathlib.
from __future__ import annotations

import os

from . import libc

_KCMP = {"x86_64": 312, "aarch64": 272}.get(os.uname().machine, -1)
_KCMP_VM = 1
_PAGE_BYTES = os.sysconf("SC_PAGESIZE")


def others() -> list[str]:
    """The jail's processes besides the helper. Without a process namespace, those of its uid, which only it has."""
    own = os.getpid()
    names = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != own]
    return names if own == 1 else [name for name in names if _is_ours(name)]


def _is_ours(name: str) -> bool:
    try:
        return os.stat(f"/proc/{name}").st_uid == os.getuid()
    except OSError:
        return False


def tasks(name: str) -> list[str]:
    """The folders of a process's threads in /proc; none if it has gone."""
    try:
        return [f"/proc/{name}/task/{thread}" for thread in os.listdir(f"/proc/{name}/task")]
    except OSError:
        return []


def state_of(folder: str) -> str:
    """What the process or thread of this folder in /proc does, as the kernel's letter; "X" for one that has gone."""
    try:
        with open(f"{folder}/stat", "rb") as file:
            return chr(file.read().rpartition(b") ")[2][0])
    except (OSError, IndexError):
        return "X"


def census() -> tuple[int, int]:
    """How many processes there are, and the memory they touch, with what they share counted once for each."""
    touched = touched_by_process()
    return len(touched), sum(touched.values())


def touched_by_process() -> dict[int, int]:
    """The memory that each process touches, by its number."""
    found = {}
    for name in others():
        touched = _touched_bytes(f"/proc/{name}")
        if touched is None:
            # Its first thread has ended, so the process's own files say nothing any more. Other threads may run.
            touched = next((each for each in map(_touched_bytes, tasks(name)) if each is not None), 0)
        found[int(name)] = touched
    return found


def _touched_bytes(folder: str) -> int | None:
    """Memory that a process or thread touches; None if it has none any more."""
    try:
        with open(f"{folder}/status", "rb") as file:
            text = file.read()
    except OSError:
        return 0
    kibibytes = 0
    for label in (b"\nRssAnon:", b"\nRssShmem:"):
        start = text.find(label)
        if start < 0:
            return None
        kibibytes += int(text[start + len(label) :].split(None, 1)[0])
    return kibibytes << 10


def proportional_bytes() -> int:
    """The same memory with shared pages divided among their holders: exact, and too slow to ask at every tick."""
    names = [name for name in others() if not _is_starting(name)]
    return sum(next((each for each in map(_proportional_bytes, tasks(name)) if each), 0) for name in names)


def _is_starting(name: str) -> bool:
    """Whether a process still has its parent's memory itself, all of it, as one has that is being started (vfork).

    Dividing says nothing of that: the two have one account of their pages, and each would be told the whole of it.
    """
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            parent = int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError):
        return False
    return parent > 1 and libc.syscall(_KCMP, int(name), parent, _KCMP_VM, 0, 0) == 0


def _proportional_bytes(task: str) -> int:
    wanted = (b"Pss_Anon:", b"Pss_Shmem:")
    try:
        with open(f"{task}/smaps_rollup", "rb") as file:
            lines = file.read().splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(wanted))
    except OSError:
        pass
    # A program that made itself unreadable is counted in full.
    try:
        with open(f"{task}/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE_BYTES
    except OSError:
        return 0
