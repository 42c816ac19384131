"""What a row of the table is, and what an attempt knows of the place it runs in."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

HELD = "held"
SEEN = "seen"  # gets through at this level, which the documentation says
ENDS = "ends"  # gets through, and the session's command ends with it and says so
libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Place:
    """What the host has that an attempt wants. Every path and number is the host's.

    `level` is the jail's, "" outside. `guard` is the process that watches over programs: the jail's helper inside, a
    stand-in outside. `patience_s` is how long an attempt against a limit goes on: outside just longer than it could
    take to be found.
    """

    secret: str
    outside: str
    marker: str
    peer: int
    port: int
    port_any: int
    port_v6: int
    address: str
    socket: str
    terminal: str
    guard: int
    patience_s: float
    planted: str = ""
    level: str = ""


Step = Callable[[Place], object]


@dataclass(frozen=True)
class Row:
    """One attempt: `attempt` answers something true, or writes `planted`, when it got through.

    `control` does the same kind of thing where it is allowed, and answers something true. `expect` says by level
    what the jail does: HELD, SEEN, ENDS, or the name of the limit that ends it. `needs` names what this machine must
    have for the attempt to work outside ("root" or a sentence). `alone`: a command of its own, in a session with
    small limits. `later` is a second program, which looks whether the first one still lives.
    """

    kind: str
    name: str
    attempt: Step
    control: Step
    expect: Mapping[str, str] = field(default_factory=lambda: {"L3": HELD, "L2": HELD})
    needs: str = ""
    alone: bool = False
    later: Step | None = None

    @property
    def title(self) -> str:
        return f"{self.kind}: {self.name}"


def limit(name: str) -> Mapping[str, str]:
    """Expected where a limit ends the attempt."""
    return {"L3": name, "L2": name}


def weaker(word: str) -> Mapping[str, str]:
    """Expected where the full level holds and the weaker one does not."""
    return {"L3": HELD, "L2": word}


def by_level(usual: Step, weaker: Step) -> Step:
    """What is allowed at the full level and outside, and what is instead where there are no namespaces."""
    return lambda at: (weaker if at.level == "L2" else usual)(at)
