"""Asking the process that runs the models for all others on this machine, where the setting MODEL_SERVER names it."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time

from django.conf import settings

from library.errors import EmbeddingUnavailable
from library.language.model_protocol import (
    MAX_REQUEST_BYTES,
    REASON,
    Model,
    Rows,
    read_numbers,
    receive_frame,
    request_of,
    send_frame,
)

# For so long a server that is not there may be one that is just starting.
PATIENCE_S = 3.0
_LOOKED_EVERY_S = 0.05
# Loading and even building a model, and the requests of others; a text as long as can be takes less than a tenth.
ANSWER_S, ANSWER_PER_ROW_S = 30.0, 0.1
# Nothing limits what our own server answers but the length of a frame.
_MAX_ANSWER_BYTES = 2**32 - 1
# What is raised when nobody listens there, or not yet; BlockingIOError: more are waiting than the server's queue takes.
_NOT_THERE = (FileNotFoundError, ConnectionRefusedError, BlockingIOError)


class _Line:
    """A connection to the server, of one thread of one process; closed when the thread ends."""

    def __init__(self, connected: socket.socket, address: str) -> None:
        self.socket, self.address, self.pid = connected, address, os.getpid()

    def is_ours(self) -> bool:
        """A forked child has its parent's connection too: on it the two would read each other's answers."""
        return self.pid == os.getpid() and self.address == settings.MODEL_SERVER

    def exchange(self, request: bytes, timeout_s: float) -> bytes:
        """The answer to a request. Raises OSError, TimeoutError among them; the line is of no use then."""
        self.socket.settimeout(timeout_s)
        send_frame(self.socket, request)
        answer = receive_frame(self.socket, _MAX_ANSWER_BYTES)
        if not answer:
            raise ConnectionResetError("The server closed the line.")
        return answer

    def __del__(self) -> None:
        self.socket.close()


class _Mine(threading.local):
    line: _Line | None = None


_mine = _Mine()
# Whoever has waited for a server in vain waits no more until it has been seen: a page may ask several times.
_is_missed = threading.Event()


def ask(model: Model, rows: Rows, width: int) -> list[list[float]]:
    """The server's `width` numbers for each row, in order.

    EmbeddingUnavailable when there is no server, or no answer in time, and with the server's own words when it has no
    usable model.
    """
    request = request_of(model, rows)
    if len(request) > MAX_REQUEST_BYTES:
        raise EmbeddingUnavailable(f"The model takes no more than {MAX_REQUEST_BYTES:,} bytes of texts at once.")
    answer = _answer(request, ANSWER_S + ANSWER_PER_ROW_S * len(rows))
    if answer[:1] == REASON:
        raise EmbeddingUnavailable(answer[1:].decode("utf-8", "replace"))
    try:
        return read_numbers(model, answer[1:], len(rows), width)
    except ValueError as error:
        raise EmbeddingUnavailable(f"The process that runs the models answers wrongly: {error}") from error


def _answer(request: bytes, timeout_s: float) -> bytes:
    """The answer on this thread's connection, or on a new one when that has broken: the server was started anew.

    Twice, because a server that is ending still takes connections for a moment.
    """
    try:
        for _ in range(2):
            with contextlib.suppress(ConnectionError):
                return _exchange(request, timeout_s)
        return _exchange(request, timeout_s)
    except TimeoutError as error:
        raise EmbeddingUnavailable(
            f"The process that runs the models gave no answer within {timeout_s:.0f} s."
        ) from error
    except OSError as error:
        raise EmbeddingUnavailable(f"The process that runs the models ended before it answered: {error}") from error


def _exchange(request: bytes, timeout_s: float) -> bytes:
    line, _mine.line = _mine.line, None
    if line is None or not line.is_ours():
        line = _connected()
    answer = line.exchange(request, timeout_s)
    # Kept only now: on a line that failed, the answer could still come and be taken for the next request's.
    _mine.line = line
    return answer


def _connected() -> _Line:
    """A new connection. EmbeddingUnavailable when nobody listens for as long as there is patience."""
    until = time.monotonic() + (0.0 if _is_missed.is_set() else PATIENCE_S)
    while True:
        try:
            line = _connect(settings.MODEL_SERVER)
        except OSError as error:
            if not isinstance(error, _NOT_THERE) or time.monotonic() >= until:
                _is_missed.set()
                raise EmbeddingUnavailable(
                    f"The process that runs the models for all others is not there: {error}"
                ) from error
            time.sleep(_LOOKED_EVERY_S)
        else:
            _is_missed.clear()
            return line


def _connect(address: str) -> _Line:
    line = socket.socket(socket.AF_UNIX)
    try:
        line.settimeout(PATIENCE_S)  # without one, a stopped server with a full queue holds us for ever
        line.connect(address)
    except BaseException:
        line.close()
        raise
    return _Line(line, address)
