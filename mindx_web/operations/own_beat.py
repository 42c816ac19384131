"""Every worker asks for sweeps by itself, more seldom than beat does: without beat work is found late, not never.

Beat's messages also carry the time by which they are worthless, by beat's clock. A worker whose clock is ahead throws
them away, and lives on its own. Doubled sweeps do nothing.
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
    """A task of beat's table, how often a worker asks for it, and when it did last."""

    task: str
    every_s: float
    last: float = float("-inf")


def table() -> list[Due]:
    """What must happen even when beat is dead. What may wait for beat (embedding, pruning) is not in it."""
    return [
        Due("agents.sweep", 2 * settings.SWEEP_S),
        Due("review.settle_held", 2.0),
        Due("review.sweep", 10.0),
    ]


def ask(due: list[Due], now: float) -> None:
    """Send what is due; a broker that is away is asked again the next time."""
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
    """Begin when the worker takes work."""
    _stop.clear()
    threading.Thread(target=_live, name="own beat", daemon=True).start()


@worker_shutting_down.connect
def stop(**_: Any) -> None:
    """A worker that is told to stop asks for nothing more."""
    _stop.set()


def _live() -> None:
    due = table()
    while not _stop.wait(1.0):
        ask(due, time.monotonic())
