"""How a worker stops: its steps may finish first. After a while, or at a second signal, they are ended, and start again
elsewhere.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery.signals import worker_init, worker_shutting_down
from django.conf import settings

from agents.record import draining

logger = logging.getLogger(__name__)


@worker_init.connect
def start(**_: Any) -> None:
    """Called before any child is forked."""
    draining.forget()


@worker_shutting_down.connect
def stop(**_: Any) -> None:
    """The first signal lets steps finish; a second one, or the time limit, ends them."""
    if draining.is_asked():
        draining.end()
        return
    draining.finish()
    timer = threading.Timer(settings.DRAIN_S, draining.end)
    timer.daemon = True
    timer.start()
