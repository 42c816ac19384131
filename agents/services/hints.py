"""Hints to browsers and wake-ups to workers. Both are best effort: the tables are the truth.

A dead Redis delays what a hint would have speeded up and harms nobody; it is logged once a minute.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

logger = logging.getLogger(__name__)

QUEUE_GROUP = "queue"
_QUIET_S = 60.0
# A Redis that hangs must not keep a person waiting, nor every one of a request's hints again.
_PATIENCE_S = 1.0
_SKIP_S = 3.0
_last_complaint = float("-inf")
_skip_until = float("-inf")


def goal_group(goal_id: int) -> str:
    """The Channels group of everybody who looks at the goal."""
    return f"goal.{goal_id}"


def goal_changed(goal_id: int, log: int | None = None) -> None:
    """Tell open pages of the goal, once the transaction has committed, that something is new.

    `log` is the last log number when a line was written, else None: a state or a plan changed.
    """
    transaction.on_commit(lambda: _send(goal_group(goal_id), {"type": "hint", "log": log}))


def queue_changed() -> None:
    """Tell open review queues, once the transaction has committed, that the queue is different."""
    transaction.on_commit(lambda: _send(QUEUE_GROUP, {"type": "hint", "log": None}))


def wake(goal_id: int) -> None:
    """Ask a worker, once the transaction has committed, to look at the goal."""
    transaction.on_commit(lambda: _wake(goal_id))


def wake_typed(command_id: int) -> None:
    """Ask a worker, once the transaction has committed, to carry out a command typed by hand."""
    transaction.on_commit(lambda: _wake(command_id, task="typed_command"))


def wake_shadow(run_id: int) -> None:
    """Ask a worker, once the transaction has committed, to begin a shadow run."""
    transaction.on_commit(lambda: _wake(run_id, task="shadow"))


def _wake(number: int, task: str = "work") -> None:
    from agents import tasks  # tasks import the services that send wake-ups

    if time.monotonic() < _skip_until:
        return
    try:
        getattr(tasks, task).apply_async(args=[number], retry=False, expires=60)
    except Exception as error:  # any broker's error type; the sweep finds the goal and the command
        _complain("wake-up", error)


def _send(group: str, message: dict[str, Any]) -> None:
    if time.monotonic() < _skip_until:
        return
    try:
        async_to_sync(_group_send)(group, message)
    except Exception as error:  # any layer's error type; browsers ask again by number
        _complain("hint to browsers", error)


async def _group_send(group: str, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is not None:
        await asyncio.wait_for(layer.group_send(group, message), _PATIENCE_S)


def _complain(what: str, error: Exception) -> None:
    global _last_complaint, _skip_until
    now = time.monotonic()
    _skip_until = now + _SKIP_S
    if now - _last_complaint >= _QUIET_S:
        _last_complaint = now
        logger.warning("A %s was lost (%s); the sweep and the next question make up for it.", what, error)
