"""How the parts of mindX itself show that they are ready."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import Awaitable, Callable
from pathlib import Path

HEALTH = "/api/v1/health"
# Names the file that a worker makes at its first heartbeat.
READY_FILE = "MINDX_READY_FILE"


def web_answers(address: str) -> Callable[[], Awaitable[bool]]:
    """Ready when the health page says so: it looks at every part it needs."""

    def ask() -> bool:
        connection = http.client.HTTPConnection(address, timeout=3)
        try:
            # Behind a public https address plain requests are redirected; this one says that it came by https.
            connection.request("GET", HEALTH, headers={"Host": "127.0.0.1", "X-Forwarded-Proto": "https"})
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    return lambda: asyncio.to_thread(ask)


class ReadyFile:
    """The word of a part that makes a file when it is ready."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def forget(self) -> None:
        """Before a start: what a process that was killed said would pass for the next one's word."""
        self.path.unlink(missing_ok=True)

    async def is_there(self) -> bool:
        """Whether the part has said that it is ready."""
        return self.path.exists()
