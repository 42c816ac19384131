"""A body beyond the limit is refused before Django writes it down."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from mindx_web.web.body_limit import BodyLimit

MOST = 10


class Server:
    """An ASGI server with one request in pieces; keeps what was answered."""

    def __init__(self, pieces: list[bytes], announced: bytes | None = None) -> None:
        self.pieces = pieces
        self.headers = [] if announced is None else [(b"content-length", announced)]
        self.sent: list[Any] = []

    async def receive(self) -> Any:
        body = self.pieces.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(self.pieces)}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    def ask(self, app: Any) -> int:
        scope: Any = {"type": "http", "headers": self.headers}
        asyncio.run(BodyLimit(app, MOST)(scope, self.receive, self.send))
        assert [message["type"] for message in self.sent] == ["http.response.start", "http.response.body"]
        return int(self.sent[0]["status"])


class Reader:
    """An application that reads the whole body, answers 200, and remembers what it read."""

    def __init__(self) -> None:
        self.read = b""
        self.was_asked = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.was_asked = True
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            self.read += message["body"]
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


@pytest.mark.parametrize(
    ("pieces", "announced"),
    [([b""], None), ([b"x" * MOST], b"10"), ([b"x" * 5, b"x" * 5], None), ([b"x"], b"no number")],
)
def test_a_body_within_the_limit_reaches_the_application(pieces: list[bytes], announced: bytes | None) -> None:
    reader, whole = Reader(), b"".join(pieces)
    assert Server(pieces, announced).ask(reader) == 200
    assert reader.read == whole


def test_an_announced_body_beyond_the_limit_is_never_read() -> None:
    for size in (b"11", b"9" * 400):
        server, reader = Server([b"x" * 11], size), Reader()
        assert server.ask(reader) == 413
        assert not reader.was_asked
        assert server.pieces


@pytest.mark.parametrize("announced", [None, b"5"])
def test_a_body_that_turns_out_larger_is_refused_at_the_first_byte_too_many(announced: bytes | None) -> None:
    reader = Reader()
    server = Server([b"x" * 6, b"x" * 6, b"x" * 6], announced)
    assert server.ask(reader) == 413
    assert len(reader.read) <= MOST
    assert server.pieces, "nothing is read beyond the limit"
    problem = json.loads(server.sent[1]["body"])
    assert problem["status"] == 413
    assert dict(server.sent[0]["headers"])[b"content-type"] == b"application/problem+json"


def test_other_connections_pass_untouched() -> None:
    seen = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append((receive, send))

    async def nothing(*_: Any) -> Any:
        return None

    scope: Any = {"type": "websocket"}
    asyncio.run(BodyLimit(app, MOST)(scope, nothing, nothing))
    assert seen == [(nothing, nothing)]
