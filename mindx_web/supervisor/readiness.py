"""How the parts of mindX itself show that they are ready."""

from __future__ import annotations

import asyncio
import http.client
import logging
from collections.abc import Awaitable, Callable

from celery import Celery

logger = logging.getLogger(__name__)

HEALTH = "/api/v1/health"


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
    """Ready when the worker of that name answers a ping through the broker."""
    client = Celery(broker=redis_url.replace("unix://", "redis+socket://", 1), set_as_current=False)

    def ask() -> bool:
        try:
            return bool(client.control.ping(destination=[node], timeout=0.5))
        except Exception:  # any broker error means "not yet"; kombu raises those of every transport
            logger.debug("no answer from the worker", exc_info=True)
            return False

    return lambda: asyncio.to_thread(ask)
