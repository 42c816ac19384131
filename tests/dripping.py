"""A host that answers so slowly that each byte is in time and the answer never is."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# As long as a test may wait before it fails: a reader without a deadline of its own gets the end of the line then.
MOST_S = 5.0
_PAUSE_S = 0.05


@contextmanager
def dripping(beginning: bytes = b"HTTP/1.1 200 OK\r\nX: ") -> Iterator[str]:
    """Its address: whoever connects gets the beginning at once, and then a byte from time to time."""
    is_over = threading.Event()

    def drip(line: socket.socket) -> None:
        with line:
            try:
                line.sendall(beginning)
                for _ in range(int(MOST_S / _PAUSE_S)):
                    if is_over.wait(_PAUSE_S):
                        return
                    line.sendall(b"x")
            except OSError:
                return

    def serve(listening: socket.socket) -> None:
        while not is_over.is_set():
            try:
                line, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=drip, args=(line,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            is_over.set()
            listening.shutdown(socket.SHUT_RDWR)
