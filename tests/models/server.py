"""A model's provider on the loopback, asked by the real client over OpenAI's protocol. Answers are laid ready."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# What may be laid ready: a text, or what writes the whole response by itself.
Reply = "str | Callable[[_Asked], None]"
PIECE_CHARS = 40


@dataclass
class Provider(ThreadingHTTPServer):
    """Requests are kept in `asked`; each takes the next of `replies`, and the last one stays."""

    replies: list[Any] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    daemon_threads = True

    def __post_init__(self) -> None:
        ThreadingHTTPServer.__init__(self, ("127.0.0.1", 0), _Asked)
        self._turns = threading.Lock()
        # Set when the test is over: whoever holds an answer back lets go.
        self.over = threading.Event()

    __hash__ = ThreadingHTTPServer.__hash__

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def will_say(self, *replies: Any) -> None:
        self.replies = list(replies)

    def take(self, body: dict[str, Any], headers: dict[str, str]) -> Any:
        with self._turns:
            self.asked.append(body)
            self.headers.append(headers)
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


class _Asked(BaseHTTPRequestHandler):
    server: Provider
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.server.take(body, dict(self.headers))
        try:
            if callable(reply):
                reply(self)
            else:
                self.stream(reply)
        except (BrokenPipeError, ConnectionResetError):  # whoever asked has heard enough
            self.close_connection = True

    # -- what replies are made of --------------------------------------------------------------------------------
    def stream(self, text: str, *, finish: str = "stop", usage: bool = True, ends: bool = True) -> None:
        """The answer in pieces, as a provider sends it; `ends` False: the connection breaks after the last piece."""
        self.begin()
        for at in range(0, len(text), PIECE_CHARS):
            self.piece({"content": text[at : at + PIECE_CHARS]})
        if not ends:
            self.wfile.flush()
            self.close_connection = True
            return
        self.piece({}, finish=finish)
        if usage:
            self.event({"choices": [], "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}})
        self.chunk(b"data: [DONE]\n\n")
        self.chunk(b"")

    def begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def piece(self, delta: dict[str, Any], *, finish: str | None = None) -> None:
        self.event({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def event(self, content: dict[str, Any]) -> None:
        said = {"id": "one", "object": "chat.completion.chunk", "created": 1, "model": "answering-model", **content}
        self.chunk(f"data: {json.dumps(said)}\n\n".encode())

    def chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def refuse(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        data = json.dumps({"error": {"message": message, "type": "error", "code": status}}).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nobody reads it."""


# -- replies by their names ------------------------------------------------------------------------------------------
def refusing(status: int, message: str = "no", **headers: str) -> Callable[[_Asked], None]:
    """An error, with headers such as retry_after="1"."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda asked: asked.refuse(status, message, given)


def hanging(asked: _Asked) -> None:
    """Nothing at all until the test is over."""
    asked.server.over.wait(60)
    asked.close_connection = True


def dribbling(asked: _Asked) -> None:
    """A piece now and then, for ever: no silence is long enough to be a time-out."""
    asked.begin()
    while not asked.server.over.wait(0.05):
        asked.piece({"content": " "})


def breaking_off(text: str) -> Callable[[_Asked], None]:
    """The beginning of an answer, and then nothing more: no reason, no end."""
    return lambda asked: asked.stream(text, ends=False)


def trailing_off(text: str) -> Callable[[_Asked], None]:
    """The beginning of an answer, and then the transfer ends, as a proxy ends it when the server behind it dies."""

    def reply(asked: _Asked) -> None:
        asked.begin()
        asked.piece({"content": text})
        asked.chunk(b"")

    return reply


def cut_at_its_length(text: str) -> Callable[[_Asked], None]:
    """An answer that reached the longest that was asked for."""
    return lambda asked: asked.stream(text, finish="length")


def serving() -> Iterator[Provider]:
    """A provider that answers until the fixture ends."""
    server = Provider(replies=[""])
    thread = threading.Thread(target=server.serve_forever, name="provider", kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
