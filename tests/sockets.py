"""A browser's end of a WebSocket, spoken in ASGI messages (channels.testing would need daphne)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from asgiref.testing import ApplicationCommunicator

Message = dict[str, Any]


class Socket:
    """One connection to an ASGI application as `user`; every wait ends after `within` seconds."""

    def __init__(
        self, application: Any, address: str, user: Any = None, headers: list[tuple[bytes, bytes]] | None = None
    ) -> None:
        parts = urlsplit(address)
        scope = {
            "type": "websocket",
            "path": parts.path,
            "query_string": parts.query.encode("ascii", "replace"),
            "headers": headers or [],
            "subprotocols": [],
            "user": user,
        }
        self._wire = ApplicationCommunicator(application, scope)

    async def connect(self, within: float = 45.0) -> bool:
        """Knock; whether the server lets the socket in."""
        await self._wire.send_input({"type": "websocket.connect"})
        answer: Message = await self._wire.receive_output(within)
        return bool(answer["type"] == "websocket.accept")

    async def receive(self, within: float = 45.0) -> Message:
        """The server's next message: `websocket.send` or `websocket.close`."""
        message: Message = await self._wire.receive_output(within)
        return message

    async def send(self, **data: Any) -> None:
        """Say something to the server."""
        await self._wire.send_input({"type": "websocket.receive", **data})

    async def leave(self, within: float = 45.0) -> None:
        """Go away, as a closed tab does, and wait until the server has noticed."""
        await self._wire.send_input({"type": "websocket.disconnect", "code": 1001})
        await self._wire.wait(within)
