"""The caller's side of a command that takes its time."""

from __future__ import annotations

import threading
from collections.abc import Callable

OnOutput = Callable[[str, bytes], None]


class Listener:
    """Who hears what a program writes, and may cancel it."""

    def __init__(self, on_output: OnOutput | None, cancel: threading.Event | None) -> None:
        self._on_output = on_output
        self._cancel = cancel

    @property
    def cancelled(self) -> bool:
        return self._cancel is not None and self._cancel.is_set()

    def hear(self, stream: str, data: bytes) -> None:
        if self._on_output is not None:
            self._on_output(stream, data)
