"""Sockets whose whole exchange ends at one moment. A timeout of a socket counts from its last byte, so who sends the
headers of an answer byte by byte holds the reader for ever.
"""

from __future__ import annotations

import io
import socket
import time
from typing import IO, Any


def left_s(until: float) -> float:
    """The seconds that are left until this moment of `time.monotonic`. Raises TimeoutError when there are none."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("no whole answer in time")
    return left


class TimedSocket:
    """A connected socket, for `http.client` and what is built on it: each read takes only the time that is left."""

    def __init__(self, inner: socket.socket, until: float) -> None:
        inner.settimeout(left_s(until))
        self._inner, self._until = inner, until

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def makefile(self, mode: str, *_: Any, **__: Any) -> IO[bytes]:
        """What answers are read from. Its socket stays open until it is closed itself, as with any socket."""
        if mode != "rb":
            raise ValueError(mode)
        return io.BufferedReader(_TimedFile(self._inner, self._until))


class _TimedFile(io.RawIOBase):
    def __init__(self, inner: socket.socket, until: float) -> None:
        self._inner, self._until, self._file = inner, until, inner.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._inner.settimeout(left_s(self._until))
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()
