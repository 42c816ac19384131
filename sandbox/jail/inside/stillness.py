"""Holding every program of the jail still at once, and telling whether one of them moved all the same.

SIGSTOP cannot be refused, and while all are stopped nobody but the helper is there to send SIGCONT. The kernel is: a
program can set a timer, or ask for a signal when a file changes, and name SIGCONT as what it wants to get. So being
stopped is not taken on trust: the kernel counts how often each thread was given a processor, and a count that
changed means that it moved.
"""

# ruff: noqa: SIM105
# The helper starts with every session, without pathlib and contextlib.
from __future__ import annotations

import os
import time

from .census import others, tasks

_SIGCONT, _SIGSTOP = 18, 19
_MOST_S = 2.0
_LET_GO_AFTER_S = 0.05
_STOPPED, _WAITING, _DEAD = "T", "S", ("Z", "X")

Threads = dict[str, "tuple[str, str]"]


class Restless(Exception):
    """The programs could not be held still."""


def hold() -> Threads:
    """Stops everything but the helper; each thread with its state and how often it was given a processor.

    Raises Restless when one thread does not come to rest. No process was begun between the look at the list of
    processes and its end, so the list is whole.
    """
    began = time.monotonic()
    _signal_all(_SIGSTOP)
    let_go_at = began + _LET_GO_AFTER_S
    before: Threads | None = None
    while True:
        last = _last_begun()
        threads = _threads()
        # Twice the same: a thread is called stopped just before it gives its processor up, which counts.
        if threads == before and _last_begun() == last and all(state == _STOPPED for state, _ in threads.values()):
            return threads
        before = threads
        now = time.monotonic()
        if now > began + _MOST_S:
            raise Restless
        if now > let_go_at:
            # One that is just starting another program waits until that has begun, which is stopped: both must go on.
            _signal_all(_SIGCONT)
            time.sleep(0.005)
            _signal_all(_SIGSTOP)
            let_go_at = time.monotonic() + _LET_GO_AFTER_S
        time.sleep(0.001)


def moved(held: Threads) -> bool:
    """Whether any thread ran since `hold` answered."""
    return _threads() != held


def let_go() -> None:
    _signal_all(_SIGCONT)


def owners(roots: set[int]) -> dict[int, int | None]:
    """Every living process with the root, of those given by process id, to whose tree it belongs for certain.

    A session's number is only ever inherited, and a child's parent is what it is; whoever got away from both is
    nobody's. To be asked while all is held still.
    """
    seen = _processes()
    return {pid: _owner(pid, seen, roots) for pid in seen}


def all_wait(roots: set[int]) -> bool:
    """Whether no process computes, those aside that belong to one of `roots`."""
    seen = _processes()
    return all(seen[pid][2] == _WAITING for pid in seen if _owner(pid, seen, roots) is None)


def _processes() -> dict[int, tuple[int, int, str]]:
    """Parent, session and state of every living process."""
    seen = {}
    for name in others():
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                words = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        state = words[0].decode()
        # Where only the first thread has ended, others may go on.
        if state not in _DEAD or len(tasks(name)) > 1:
            seen[int(name)] = (int(words[1]), int(words[3]), state)
    return seen


def _owner(pid: int, seen: dict[int, tuple[int, int, str]], roots: set[int]) -> int | None:
    here, passed = pid, set[int]()
    while here in seen and here not in passed:
        passed.add(here)
        parent, session, _ = seen[here]
        if here in roots:
            return here
        if session in roots:
            return session
        here = parent
    return here if here in roots else None


def _threads() -> Threads:
    """State and count of every living thread, by its path."""
    found = {}
    for name in others():
        for task in tasks(name):
            try:
                with open(f"{task}/status", "rb") as file:
                    text = file.read()
            except OSError:
                continue
            state = text.partition(b"\nState:\t")[2][:1].decode()
            if state not in _DEAD:
                found[task] = (state, text.partition(b"\nvoluntary_ctxt_switches:")[2].decode())
    return found


def _last_begun() -> bytes:
    """The number of the process or thread that was begun last in this jail."""
    with open("/proc/loadavg", "rb") as file:
        return file.read().split()[4]


def _signal_all(number: int) -> None:
    try:
        os.kill(-1, number)
    except ProcessLookupError:
        pass
