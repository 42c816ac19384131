"""How the parts of mindX itself show that they are ready."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import logging
from collections.abc import Awaitable, Callable

import redis

logger = logging.getLogger(__name__)

HEALTH = "/api/v1/health"
# Before the name of a worker in Redis: `mindx_web.operations.heartbeat` says what stands there.
WORKER_KEY = "mindx:worker:"


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


class WorkerSigns:
    """The signs of life of the worker of one name."""

    def __init__(self, redis_url: str, node: str) -> None:
        self._client = redis.Redis.from_url(redis_url, socket_connect_timeout=1.0, socket_timeout=1.0)
        self._key = WORKER_KEY + node

    def forget(self) -> None:
        """Before a start: what a worker that was killed said would pass for the next one's word."""
        with contextlib.suppress(redis.RedisError):
            self._client.delete(self._key)

    async def are_there(self) -> bool:
        """Whether the worker has said that it lives."""
        return await asyncio.to_thread(self._look)

    def _look(self) -> bool:
        try:
            return bool(self._client.exists(self._key))
        except redis.RedisError:
            logger.debug("no word of the worker", exc_info=True)
            return False
