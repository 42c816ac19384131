"""What the worker does when it is told to stop: first its steps may finish, then, after a while or at a second signal,
they end and are left to start again elsewhere.
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
    """Before any child is forked."""
    draining.forget()


@worker_shutting_down.connect
def stop(**_: Any) -> None:
    """The first signal asks, the second insists, and so does time."""
    if draining.is_asked():
        draining.end()
        return
    draining.finish()
    timer = threading.Timer(settings.DRAIN_S, draining.end)
    timer.daemon = True
    timer.start()
