"""Looking at processes from outside, and ending them."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path


def lives(pid: int) -> bool:
    """Whether the process runs; one that only waits to be collected does not."""
    try:
        return _fields(pid)[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children(pid: int) -> dict[int, str]:
    """The living processes that `pid` started, by number, with their command lines."""
    found: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and _fields(int(entry.name))[1] == str(pid):
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def name_of(pid: int) -> str:
    """What the process calls itself; "" when it is gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def workers_of(master: int) -> list[int]:
    """The processes of a Celery worker that take tasks, without the scheduler and whatever else is beside them."""
    found = children(master).items()
    return [pid for pid, line in found if " worker " in line and not name_of(pid).startswith("mindx-")]


def descendants(pid: int) -> dict[int, str]:
    """Every living process below `pid`, by number, with its command line."""
    found = children(pid)
    for child in list(found):
        found |= descendants(child)
    return found


def holding(mark: str) -> list[int]:
    """The processes whose command line holds the mark, wherever in the machine: a jail's are in sight from outside."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def _fields(pid: int) -> list[str]:
    """State, parent and so on: what stands behind the name in brackets."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()


def dismiss(process: subprocess.Popen[bytes]) -> None:
    """Ask it to end, and after half a minute end its whole group."""
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=30)
