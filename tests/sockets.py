"""A browser's end of a WebSocket, spoken in ASGI messages (channels.testing would need daphne)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator

Message = dict[str, Any]


class Socket:
    """One connection to an ASGI application as `user`; every wait ends after `within` seconds.

    `on_send`, when set, is awaited before each message of the server's: that is how a full transport looks from there.
    """

    def __init__(
        self, application: Any, address: str, user: Any = None, headers: list[tuple[bytes, bytes]] | None = None
    ) -> None:
        parts = urlsplit(address)
        self.scope: Message = {
            "type": "websocket",
            "path": parts.path,
            "query_string": parts.query.encode("ascii", "replace"),
            "headers": headers or [],
            "subprotocols": [],
        }
        if user is not None:
            self.scope["user"] = user
        self.on_send: Callable[[], Awaitable[None]] | None = None

        async def held(scope: Any, receive: Any, send: Any) -> None:
            async def send_in_time(message: Message) -> None:
                if self.on_send is not None:
                    await self.on_send()
                await send(message)

            await application(scope, receive, send_in_time)

        self._held = held
        self._wire: Any = None

    async def connect(self, within: float = 45.0) -> bool:
        """Knock; whether the server lets the socket in."""
        if "user" in self.scope:
            self.scope.setdefault("session", await sync_to_async(session_of)(self.scope["user"]))
        self._wire = ApplicationCommunicator(self._held, self.scope)
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


def session_of(user: Any) -> Any:
    """A stored session of somebody who has logged in."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

    from people.sessions import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return session
