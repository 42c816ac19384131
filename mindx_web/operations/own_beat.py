"""Every worker also asks for sweeps itself, less often than beat: without beat, work is found late, but it is found.

Beat's messages expire by beat's clock. A worker whose clock is ahead discards them and depends on its own sweeps.
Doubled sweeps do nothing.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import Any

from celery import current_app
from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings

logger = logging.getLogger(__name__)

_stop = threading.Event()


@dataclass
class Due:
    """A task of beat's table, how often a worker asks for it, and when it last did."""

    task: str
    every_s: float
    last: float = float("-inf")


def table() -> list[Due]:
    """Tasks that must run even without beat. Tasks that can wait for beat (embedding, pruning) are not included."""
    return [
        Due("agents.sweep", 2 * settings.SWEEP_S),
        Due("review.settle_held", 2.0),
        Due("review.sweep", 10.0),
    ]


def ask(due: list[Due], now: float) -> None:
    """Send what is due; if the broker is down, try again the next time."""
    for one in due:
        if now - one.last < one.every_s:
            continue
        one.last = now
        try:
            current_app.send_task(one.task, retry=False, expires=2 * one.every_s)
        except Exception as error:  # any broker's error type
            logger.debug("%s could not be asked for: %s", one.task, error)


@worker_ready.connect
def start(sender: Any, **_: Any) -> None:
    """Start when the worker is ready for work."""
    _stop.clear()
    threading.Thread(target=_live, name="own beat", daemon=True).start()


@worker_shutting_down.connect
def stop(**_: Any) -> None:
    """A worker that is told to stop asks for no more sweeps."""
    _stop.set()


def _live() -> None:
    due = table()
    while not _stop.wait(1.0):
        ask(due, time.monotonic())
