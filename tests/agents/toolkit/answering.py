"""A server on the loopback that answers with exactly the bytes that a test wants, and remembers what it was asked."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Answer = bytes | Callable[[socket.socket], None]


@dataclass
class Answering:
    """`answers` by path; what is asked for otherwise is not there. `requests` holds each request whole."""

    port: int = 0
    answers: dict[str, Answer] = field(default_factory=dict)
    requests: list[bytes] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def entry(self) -> str:
        """As a list of hosts says it."""
        return f"127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        """Without a slash at its end."""
        return f"http://{self.entry}"


def ok(body: bytes, content_type: str = "text/plain; charset=utf-8", **headers: str) -> bytes:
    """A plain answer."""
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


def status(line: str, body: bytes = b"", **headers: str) -> bytes:
    """An answer of another status, as in `status("404 Not Found")`."""
    return ok(body, **headers).replace(b"200 OK", line.encode(), 1)


@contextmanager
def answering(context: ssl.SSLContext | None = None, port: int = 0) -> Iterator[Answering]:
    """Serve on this port, or on a free one, until the block is left."""
    with socket.create_server(("127.0.0.1", port)) as listening:
        found = Answering(listening.getsockname()[1])
        thread = threading.Thread(target=_serve, args=(found, listening, context))
        thread.start()
        try:
            yield found
        finally:
            found.ended.set()
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", found.port), timeout=5).close()
            thread.join(timeout=45)


def _serve(found: Answering, listening: socket.socket, context: ssl.SSLContext | None) -> None:
    while not found.ended.is_set():
        connection, _ = listening.accept()
        threading.Thread(target=_speak, args=(found, connection, context), daemon=True).start()


def _speak(found: Answering, connection: socket.socket, context: ssl.SSLContext | None) -> None:
    with suppress(OSError), connection:
        connection.settimeout(45)
        with context.wrap_socket(connection, server_side=True) if context else connection as talking:
            request = b""
            while b"\r\n\r\n" not in request:
                data = talking.recv(65536)
                if not data:
                    return
                request += data
            head, _, body = request.partition(b"\r\n\r\n")
            length = next((int(v) for n, v in _fields(head) if n == b"content-length"), 0)
            while len(body) < length:
                body += talking.recv(65536)
            found.requests.append(head + b"\r\n\r\n" + body)
            path = head.split(b" ")[1].decode()
            answer = found.answers.get(path, status("404 Not Found", b"not here"))
            if callable(answer):
                answer(talking)
            else:
                talking.sendall(answer)


def _fields(head: bytes) -> Iterator[tuple[bytes, bytes]]:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        yield name.lower(), value.strip()
