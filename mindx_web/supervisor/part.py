"""One part of the running system: how it starts, when it is ready, how it stops."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field


def _nothing_to_do() -> None:
    """Most parts need nothing before a start."""


@dataclass(frozen=True)
class Part:
    """A child process that is kept alive.

    `prepare` runs before every start and may block; `ready` is asked again and again until it says yes. `stop_signal`
    is the polite request to end; after `grace_s` seconds the whole process group is killed.
    """

    name: str
    argv: Callable[[], list[str]]
    environment: dict[str, str]
    ready: Callable[[], Awaitable[bool]]
    prepare: Callable[[], None] = field(default=_nothing_to_do)
    stop_signal: signal.Signals = signal.SIGTERM
    grace_s: float = 8.0
