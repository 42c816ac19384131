"""What the processes of a running mindX hold and use, by their roles, from /proc."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

POSTGRES = "Postgres"
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
# The role of a part of the supervisor, by a word of its command line.
_ROLES = {"postgres": POSTGRES, "valkey": "Valkey", "redis": "Valkey", "uvicorn": "web", "beat": "beat"}


@dataclass(frozen=True)
class Process:
    """`name` is what it calls itself (`comm`), `line` its command line in words.

    `used_s` is its processor time with that of its children that have ended.
    """

    number: int
    parent: int
    name: str
    line: tuple[str, ...]
    used_s: float


@dataclass
class Held:
    """Of the processes of one role: how many, their share of the memory in bytes (PSS), and processor time."""

    processes: int = 0
    pss_bytes: int = 0
    used_s: float = 0.0


def held(supervisor: int) -> dict[str, Held]:
    """What the supervisor and all that descend from it hold now, by role."""
    found: dict[str, Held] = {}
    tree = _tree(supervisor)
    for one in tree.values():
        of_role = found.setdefault(role_of(one, tree, supervisor), Held())
        of_role.processes += 1
        of_role.pss_bytes += _pss_bytes(one.number)
        of_role.used_s += one.used_s
    return found


def used_s(supervisor: int) -> dict[str, float]:
    """Processor time so far, by role."""
    found: dict[str, float] = {}
    tree = _tree(supervisor)
    for one in tree.values():
        role = role_of(one, tree, supervisor)
        found[role] = found.get(role, 0.0) + one.used_s
    return found


def _tree(root: int) -> dict[int, Process]:
    """The process and its descendants, parents first."""
    everybody = [one for folder in Path("/proc").iterdir() if folder.name.isdigit() and (one := _process(folder))]
    children: dict[int, list[Process]] = {}
    for one in everybody:
        children.setdefault(one.parent, []).append(one)
    found = {one.number: one for one in everybody if one.number == root}
    waiting = [root]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found[child.number] = child
            waiting.append(child.number)
    return found


def _process(folder: Path) -> Process | None:
    """None when it has ended meanwhile."""
    try:
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        name = (folder / "comm").read_text().strip()
        line = (folder / "cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
    except OSError:
        return None
    return Process(int(folder.name), int(fields[1]), name, tuple(line), sum(map(int, fields[11:15])) * _TICK_S)


def _pss_bytes(number: int) -> int:
    try:
        lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0  # it has ended
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def role_of(one: Process, tree: Mapping[int, Process], supervisor: int) -> str:
    """Which part of mindX a process is of, and whether it is that part itself."""
    if one.number == supervisor:
        return "supervisor"
    part = one
    while part.parent != supervisor:
        part = tree[part.parent]
    line = " ".join(part.line)
    for word, role in _ROLES.items():
        if word in line and not _is_worker(part):
            return role
    if not _is_worker(part):
        return _name(part)
    if one is part:
        return f"{_worker(part)}, main"
    if one.name.startswith("mindx-"):  # forked from the worker, so the command line does not tell
        return f"{_worker(part)}, {one.name.removeprefix('mindx-')}"
    if _is_worker(one):
        return f"{_worker(part)}, children"
    return f"{_worker(part)}, its jails" if "sandbox.jail" in " ".join(one.line) else f"{_worker(part)}, {_name(one)}"


def _is_worker(process: Process) -> bool:
    return "celery" in process.line and "worker" in process.line


def _worker(part: Process) -> str:
    """A worker by its queues, where its command line names some."""
    for word, following in zip(part.line, (*part.line[1:], ""), strict=True):
        if word in {"-Q", "--queues"}:
            return f"worker of {following}"
        if word.startswith("--queues="):
            return f"worker of {word.removeprefix('--queues=')}"
    return "worker"


def _name(process: Process) -> str:
    """The module that it runs, else the program."""
    if "-m" in process.line[:-1]:
        return process.line[process.line.index("-m") + 1]
    return Path(process.line[0].split()[0]).name if process.line[0].strip() else "?"
