"""Refusing what is no message of ours.

Celery ends its worker by a message that it cannot take apart (an empty body, one that is no list), and puts it back
into the queue on the way out: one such message would end every worker, and each new one again, for ever.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from celery.worker.consumer import Consumer as CelerysConsumer

logger = logging.getLogger(__name__)


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
                logger.exception("A message that is none of ours was refused")
                if not message.acknowledged:
                    message.reject_log_error(logger, self.connection_errors)
                return None

        return take_or_refuse
