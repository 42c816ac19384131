"""Whether anybody listens to a group of the channel layer, asked of Redis plainly.

Most goals have no page open, and to find that out the layer takes two questions and an event loop:
with ten quick steps, a third of all that they cost the worker.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

import redis
from channels.layers import get_channel_layer
from channels_redis.core import RedisChannelLayer
from redis.backoff import NoBackoff
from redis.retry import Retry


def listened_to(groups: Collection[str], patience_s: float) -> set[str]:
    """Those of the groups that somebody listens to; all of them where that cannot be asked plainly.

    Raises redis.RedisError.
    """
    layer = get_channel_layer()
    if not isinstance(layer, RedisChannelLayer) or len(layer.hosts) != 1 or set(layer.hosts[0]) != {"address"}:
        return set(groups)
    asked = sorted(groups)
    with _client(layer.hosts[0]["address"], patience_s).pipeline(transaction=False) as questions:
        for group in asked:
            questions.exists(layer._group_key(group))
        return {group for group, is_there in zip(asked, questions.execute(), strict=True) if is_there}


@lru_cache(maxsize=2)
def _client(address: str, patience_s: float) -> redis.Redis:
    # Once again at once: a connection that the server has closed meanwhile is no reason to complain.
    retry = Retry(NoBackoff(), 1)
    return redis.Redis.from_url(address, socket_timeout=patience_s, socket_connect_timeout=patience_s, retry=retry)
