"""Who is in the company: the programs that were started, by name, and the one that is waited for."""

# The helper starts with every session, without pathlib and contextlib.
from __future__ import annotations

import os
import time

from .kept import Kept
from .programs import Program
from .tree import Refused

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_MOST_LIVING = 8
_MOST_HELD = 16
# The same on every architecture that has a filter; importing signal would cost as much as typing.
_SIGXFSZ = 25


class Started:
    """A program that lives on: what it wrote, and when and why it ended."""

    def __init__(self, name: str, most_bytes: int) -> None:
        self.name = name
        self.log = Kept(most_bytes)
        self.began = time.monotonic()
        self.took_s: float | None = None
        self.program: Program

    @property
    def living(self) -> bool:
        return self.program.status is None

    def hear(self, _stream: str, data: bytes) -> None:
        self.log.add(data)

    def told(self, from_byte: int) -> tuple[dict[str, Any], bytes]:
        """How it fares, and what it wrote from there on as far as that is kept."""
        head, missing, tail = self.log.since(from_byte)
        sizes = {"total_bytes": self.log.total, "head_bytes": len(head), "left_out_bytes": missing}
        ran_s = time.monotonic() - self.began if self.took_s is None else self.took_s
        how = {"running": self.living, "return_code": self.program.return_code, "limit": limit_of(self.program)}
        return {**how, "ran_s": round(ran_s, 3), **sizes}, head + tail


class Members:
    """The programs of one jail; `foreground` is the one that is waited for."""

    def __init__(self) -> None:
        self.foreground: Program | None = None
        self._started: dict[str, Started] = {}

    def __iter__(self) -> Iterator[Started]:
        return iter(self._started.values())

    def __getitem__(self, name: str) -> Started:
        """Raises Refused for a name that no started program has."""
        started = self._started.get(name)
        if started is None:
            raise Refused("INVALID_PARAMETERS", f"no program named {name} was started in this session")
        return started

    def check_name(self, name: str) -> None:
        """Raises Refused for a name that is taken, or when too many programs live."""
        living = self.living
        if name in living:
            raise Refused("INVALID_PARAMETERS", f"a program named {name} is running already; stop it first")
        if len(living) >= _MOST_LIVING:
            raise Refused("INVALID_PARAMETERS", f"{_MOST_LIVING} programs are running already; stop one first")
        ended = [each for each, started in self._started.items() if not started.living]
        for each in ended[: max(0, len(self._started) + 1 - _MOST_HELD)]:
            del self._started[each]

    def add(self, started: Started) -> None:
        self._started.pop(started.name, None)  # so that it is the newest
        self._started[started.name] = started

    def forget(self, started: Started) -> None:
        del self._started[started.name]

    @property
    def living(self) -> list[str]:
        """The names of the started programs that have not ended."""
        return [name for name, each in self._started.items() if each.living]

    @property
    def alive(self) -> list[Program]:
        """All programs that have not ended."""
        programs = [each.program for each in self]
        programs += [self.foreground] if self.foreground is not None else []
        return [program for program in programs if program.status is None]

    @property
    def roots(self) -> set[int]:
        """The started programs whose trees may still live; after that their numbers may come to mean others."""
        return {each.program.pid for each in self if each.took_s is None}

    def reap(self) -> None:
        """Takes up whatever has ended: programs, and orphans, which would otherwise count as processes."""
        while self._take_up(os.WNOHANG):
            pass

    def reap_all(self) -> None:
        """Returns when the helper has no child any more."""
        while self._take_up(0):
            pass

    def _take_up(self, options: int) -> bool:
        try:
            pid, status = os.waitpid(-1, options)
        except ChildProcessError:
            return False
        for program in self.alive:
            if program.pid == pid:
                program.ended(status)
        return pid != 0


def limit_of(program: Program) -> str | None:
    """The limit that a program ran into, also where it was the kernel who saw to it."""
    if program.limit is None and program.return_code == -_SIGXFSZ:
        return "file_bytes"
    return program.limit
