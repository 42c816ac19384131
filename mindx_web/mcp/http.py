"""`/mcp`: the protocol's streamable HTTP, in front of Django, for whoever brings an API token.

No cookie is read. Each request stands on its own: nothing of a client is kept between two of them, so that any web
process can answer, and a restart loses nothing.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

from mindx_web.api.protocol.problems import MEDIA_TYPE, Problem
from mindx_web.mcp.calling import Caller, aside, refusal, token
from mindx_web.web.origins import is_ours

logger = logging.getLogger(__name__)

PATH = "/mcp"
MISSING = (
    "This mindX does not speak MCP: the package is not installed. `scripts/setup.sh requirements-interop.txt` "
    "installs it; then restart mindX."
)
Application = Callable[[Any, Any, Any], Awaitable[Any]]
_MOST_BYTES = 512 * 1024


def is_installed() -> bool:
    """Whether the official package is there. It is not imported."""
    return all(importlib.util.find_spec(name) is not None for name in ("mcp", "mcp_types"))


class BesideMcp:
    """ASGI application: answers `/mcp` and leaves everything else to another one."""

    def __init__(self, other: Application) -> None:
        self._other = other
        self._lock = asyncio.Lock()
        self._manager: Any = None
        self._kept: asyncio.Task[None] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        if scope["type"] != "http" or scope["path"].rstrip("/") != PATH:
            return await self._other(scope, receive, send)
        try:
            _check_origin(scope)
            await aside(token, caller_of(scope["headers"], scope.get("client")))
            if not is_installed():
                raise Problem(501, MISSING, kind="not_installed")
        except Problem as problem:
            return await _answer(send, problem)
        manager = await self._running()
        return await manager.handle_request(scope, receive, send)

    async def _running(self) -> Any:
        """The server, made with the first request: its package takes a second to import."""
        async with self._lock:
            if self._kept is None or self._kept.done():
                self._manager = await asyncio.to_thread(_manager)
                ready = asyncio.Event()
                self._kept = asyncio.create_task(_keep(self._manager, ready), name="mcp")
                await ready.wait()
        return self._manager


async def _keep(manager: Any, ready: asyncio.Event) -> None:
    async with manager.run():
        ready.set()
        await asyncio.Event().wait()


def _manager() -> Any:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from mindx_web.mcp import server

    def caller(context: Any) -> Caller:
        scope = context.request.scope
        return caller_of(scope["headers"], scope.get("client"))

    made = server.make(caller)
    return StreamableHTTPSessionManager(made, json_response=True, stateless=True, max_request_body_size=_MOST_BYTES)


def caller_of(headers: Any, client: Any) -> Caller:
    """Whoever sends these headers (ASGI: pairs of bytes)."""
    said = next((value for name, value in headers if name == b"authorization"), b"").decode("latin-1")
    scheme, _, secret = said.partition(" ")
    return Caller(secret.strip() if scheme.lower() == "bearer" else "", client[0] if client else "127.0.0.1")


def _check_origin(scope: Any) -> None:
    """A page of another site has no business here, whatever token it may have. Raises Problem."""
    said = {name: value.decode("latin-1") for name, value in scope["headers"] if name in (b"origin", b"host")}
    origin, host = said.get(b"origin"), said.get(b"host", "")
    if origin is not None and not is_ours(
        origin, scope.get("scheme", "http"), host, settings.ALLOWED_HOSTS, settings.CSRF_TRUSTED_ORIGINS
    ):
        raise Problem(403, "Pages of other sites may not speak to this address.", kind="foreign_origin")


async def _answer(send: Any, problem: Problem) -> None:
    body = refusal(problem)
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    headers += [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
    headers += [(name.lower().encode(), value.encode()) for name, value in problem.headers.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
