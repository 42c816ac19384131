"""A language model on the loopback that thinks for as long as it is told to, and then says nothing of use."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_USELESS = "I am not sure what is wanted here."


class SlowModel(ThreadingHTTPServer):
    """Speaks OpenAI's protocol. `thinks_s` may change at any time; requests that have come keep the old value."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Request)
        self.thinks_s = 0.0
        self.over = threading.Event()
        self._count = threading.Lock()
        self.asked = self.thinking = 0

    @property
    def address(self) -> str:
        """What OPENAI_API_BASE is set to."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def think(self) -> None:
        """Let the time pass, and count who waits for it."""
        with self._count:
            self.asked += 1
            self.thinking += 1
        self.over.wait(self.thinks_s)
        with self._count:
            self.thinking -= 1

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked may be gone; that is no error of the benchmark."""


class _Request(BaseHTTPRequestHandler):
    server: SlowModel
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        self.server.think()
        self.close_connection = True
        base = {"id": "slow", "created": int(time.time()), "model": body.get("model", "slow")}
        usage = {"usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}
        said = {"role": "assistant", "content": _USELESS}
        if not body.get("stream"):
            choice = {"index": 0, "message": said, "finish_reason": "stop"}
            whole = {**base, **usage, "object": "chat.completion", "choices": [choice]}
            self._send("application/json", json.dumps(whole))
            return
        chunk = {**base, "object": "chat.completion.chunk"}
        pieces = [
            {**chunk, "choices": [{"index": 0, "delta": said, "finish_reason": None}]},
            {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {**chunk, **usage, "choices": []},
        ]
        told = [f"data: {json.dumps(piece)}\n\n" for piece in pieces]
        self._send("text/event-stream", "".join([*told, "data: [DONE]\n\n"]))

    def _send(self, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nobody reads it."""


@contextmanager
def slow_model(port: int = 0) -> Iterator[SlowModel]:
    """The model, until the block ends; those who still wait are answered then."""
    server = SlowModel(port)
    thread = threading.Thread(target=server.serve_forever, name="slow-model", daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
