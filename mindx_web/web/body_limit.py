"""No request body beyond a limit reaches Django, which would write all of it to disk before it looks at anything."""

from __future__ import annotations

import json
from typing import Any

from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, Scope


class BodyLimit:
    """ASGI middleware: 413 as soon as Content-Length, or the bytes that really came, exceed `most_bytes`."""

    def __init__(self, app: ASGI3Application, most_bytes: int) -> None:
        self._app = app
        self._most = most_bytes

    async def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _announced(scope) > self._most:
            await self._refuse(send)
            return
        came = 0
        refused = False

        async def counted() -> Any:
            nonlocal came, refused
            message = await receive()
            came += len(message.get("body", b"")) if message["type"] == "http.request" else 0
            if came > self._most:
                # For the application the client is gone; it answers nothing, and we answer instead.
                refused = True
                return {"type": "http.disconnect"}
            return message

        async def sent(message: Any) -> None:
            if not refused:
                await send(message)

        await self._app(scope, counted, sent)
        if refused:
            await self._refuse(send)

    async def _refuse(self, send: ASGISendCallable) -> None:
        problem = {
            "type": "urn:mindx:problem:too_large",
            "title": "Request Entity Too Large",
            "status": 413,
            "detail": f"A request may have {self._most:,} bytes. Nothing was stored.",
        }
        body = json.dumps(problem).encode()
        headers = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(body)).encode()),
            (b"x-content-type-options", b"nosniff"),
            # What is still on its way would be read as the next request.
            (b"connection", b"close"),
        ]
        await send({"type": "http.response.start", "status": 413, "headers": headers, "trailers": False})
        await send({"type": "http.response.body", "body": body, "more_body": False})


def _announced(scope: Any) -> int:
    """Content-Length, or 0 when there is none that is a number: the bytes themselves are counted then."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
