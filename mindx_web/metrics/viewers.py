"""Counts the live pages that are open."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from mindx_web.metrics.process import VIEWERS

Application = Callable[[Any, Any, Any], Awaitable[Any]]


class Counted:
    """ASGI middleware around the sockets, inside the checks: who is refused at the door is no viewer."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        with VIEWERS.track_inprogress():
            return await self._application(scope, receive, send)
