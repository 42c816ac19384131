"""The caller's side of a long command."""

from __future__ import annotations

import threading
from collections.abc import Callable

OnOutput = Callable[[str, bytes], None]


class Listener:
    """Receives a program's output, and may cancel it."""

    def __init__(self, on_output: OnOutput | None, cancel: threading.Event | None) -> None:
        self._on_output = on_output
        self._cancel = cancel

    @property
    def cancelled(self) -> bool:
        return self._cancel is not None and self._cancel.is_set()

    def hear(self, stream: str, data: bytes) -> None:
        if self._on_output is not None:
            self._on_output(stream, data)
