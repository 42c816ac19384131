"""Wake-ups that came too late to be of use are counted, in Redis; a line in the log for each would bury all others."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import Any, cast

import redis
from django.conf import settings

logger = logging.getLogger(__name__)

_KEY = "mindx:discarded"
_PATIENCE_S = 0.5


def count(expired: bool = False, **_: Any) -> None:
    """Called by Celery's worker for each message that it does not act on."""
    if expired and settings.REDIS_URL:
        try:
            _client(settings.REDIS_URL).incr(_KEY)
        except redis.RedisError as error:
            logger.debug("A discarded wake-up was not counted (%s)", error)


def number(client: redis.Redis) -> int:
    """How many were discarded since Redis started. Raises redis.RedisError."""
    # The client's annotations also cover its asynchronous version, so the result has to be cast.
    return int(cast(bytes | None, client.get(_KEY)) or 0)


@lru_cache(maxsize=1)
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_connect_timeout=_PATIENCE_S, socket_timeout=_PATIENCE_S)
