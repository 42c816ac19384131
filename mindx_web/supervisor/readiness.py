"""How the parts of mindX itself show that they are ready."""

from __future__ import annotations

import asyncio
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


def worker_answers(redis_url: str, node: str) -> Callable[[], Awaitable[bool]]:
    """Ready when the worker of that name has said that it lives."""
    client = redis.Redis.from_url(redis_url, socket_connect_timeout=1.0, socket_timeout=1.0)

    def ask() -> bool:
        try:
            return bool(client.exists(WORKER_KEY + node))
        except redis.RedisError:
            logger.debug("no word of the worker", exc_info=True)
            return False

    return lambda: asyncio.to_thread(ask)
