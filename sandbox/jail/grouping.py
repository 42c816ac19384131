"""A launcher's control group: made and entered while it waits for its order.

Going into a group takes the kernel about 10 ms, which would be a third of a session's start. The limits are set by the
session's process when the order is given (`cgroup.py`), before anything runs in the jail.

Standard library only, and little of it, as the launchers themselves.
"""

# ruff: noqa: PTH102, PTH106
# Starting quickly forbids pathlib and contextlib.
from __future__ import annotations

import os

TYPE_CHECKING = False  # importing typing costs a start 3 ms
if TYPE_CHECKING:
    from collections.abc import Sequence

PREFIX = "mindx-"
NAME_BYTES = 48  # a name as it is told, filled up with spaces


def enter(parents: Sequence[str]) -> str:
    """Makes a group below each of the folders and goes there; their common name, "" when there is none."""
    name = f"{PREFIX}{os.getpid()}-{os.urandom(8).hex()}"
    try:
        for parent in parents:
            os.mkdir(f"{parent}/{name}")
            _go(f"{parent}/{name}")
    except OSError:
        leave(parents, name)
        return ""
    return name if parents else ""


def leave(parents: Sequence[str], name: str) -> None:
    """Goes back, and removes what `enter` made."""
    for parent in parents if name else ():
        try:
            _go(parent)
            os.rmdir(f"{parent}/{name}")
        except OSError:
            pass


def _go(folder: str) -> None:
    with open(f"{folder}/cgroup.procs", "w") as file:
        file.write(str(os.getpid()))
