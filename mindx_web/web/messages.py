"""Refusing what is no message of ours.

Celery ends its worker by a message that it cannot take apart (an empty body, one that is no list), and puts it back
into the queue on the way out: one such message would end every worker, and each new one again, for ever. Its transport
ends the worker by bytes in Redis' list or channel that are no message at all.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from celery.worker.consumer import Consumer as CelerysConsumer
from kombu.exceptions import ContentDisallowed, DecodeError
from kombu.transport import redis

logger = logging.getLogger(__name__)

# What reading such bytes raises: no JSON, JSON of another shape, nested deeper than Python reads, of a type that kombu
# does not restore. Errors of the connection are none of these and go on to whoever connects again.
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError, ContentDisallowed, DecodeError)


class Channel(redis.Channel):
    """Reads from Redis as kombu does; bytes that are no message have left the list by then, and are forgotten."""

    def _brpop_read(self, **options: Any) -> Any:
        return _read_or_forget(lambda: super(Channel, self)._brpop_read(**options))

    def _receive_one(self, client: Any) -> Any:
        return _read_or_forget(lambda: super(Channel, self)._receive_one(client))


# The transport is chosen by the scheme of the broker's address, which leaves no other place to name the class.
redis.Transport.Channel = Channel


def _read_or_forget(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except _UNREADABLE:
        logger.exception("Unknown bytes from the broker were dropped")
        return True


class Consumer(CelerysConsumer):
    """Takes messages as Celery does; one that it stumbles over is logged, refused and forgotten."""

    def create_task_handler(self, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        """What is called with each message."""
        take = super().create_task_handler(*args, **kwargs)

        def take_or_refuse(message: Any) -> Any:
            try:
                return take(message)
            except self.connection_errors:  # the broker's trouble, not the message's: the worker connects again
                raise
            except Exception:
                logger.exception("A message that mindX did not sign was refused")
                if not message.acknowledged:
                    message.reject_log_error(logger, self.connection_errors)
                return None

        return take_or_refuse
