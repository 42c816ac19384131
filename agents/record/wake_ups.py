"""Hints to browsers and wake-ups to workers. Both are best effort: the tables are the truth.

A dead Redis delays what a hint would have speeded up and harms nobody; it is logged once a minute. Nobody waits for a
hint to browsers: a thread tells them, over one connection that it keeps.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import threading
import time
from collections.abc import Collection, Mapping
from typing import Any

from celery import current_app
from channels.layers import get_channel_layer
from django.db import DatabaseError, InterfaceError, connection, transaction
from kombu.exceptions import ChannelError

from agents.record.listeners import listened_to

logger = logging.getLogger(__name__)

QUEUE_GROUP = "queue"
# What background pools listen to in Postgres: “KIND NUMBER”.
BACKGROUND_CHANNEL = "mindx_background"
_QUIET_S = 60.0
# A Redis that hangs must not keep a person waiting, nor every one of a request's hints again.
_PATIENCE_S = 1.0
_SKIP_S = 3.0
_last_complaint = float("-inf")
_skip_until = float("-inf")
# Between two rounds of hints. Shorter than the time between two batches of a program's output, which it never holds up.
_PACE_S = 0.015
# The same while nobody listens to what there is to tell: who opens a page then reads what is there, and hears the first
# news behind it so much later.
_UNHEARD_PACE_S = 0.06


def goal_group(goal_id: int) -> str:
    """The Channels group of everybody who looks at the goal."""
    return f"goal.{goal_id}"


def goal_changed(goal_id: int, log: int | None = None) -> None:
    """Tell open pages of the goal, once the transaction has committed, that something is new.

    `log` is the last log number when a line was written, else None: a state or a plan changed.
    """
    transaction.on_commit(lambda: _teller.tell(goal_group(goal_id), log))


def queue_changed() -> None:
    """Tell open review queues, once the transaction has committed, that the queue is different."""
    transaction.on_commit(lambda: _teller.tell(QUEUE_GROUP, None))


def wake(goal_id: int) -> None:
    """Ask a worker, once the transaction has committed, to look for work; this goal goes first if it was approved."""
    transaction.on_commit(lambda: _send("agents.work", goal_id))


def wake_worker() -> None:
    """Ask a worker, once the transaction has committed, to look for work."""
    transaction.on_commit(lambda: _send("agents.work"))


def wake_bus(request_id: int) -> None:
    """Ask a worker, once the transaction has committed, to answer a request of the bus."""
    transaction.on_commit(lambda: _send("agents.bus_request", request_id))


def wake_background(kind: str, number: int) -> None:
    """Tell the background pools, once the transaction has committed, that a row of this kind waits for one of them."""
    transaction.on_commit(lambda: _notify(kind, number))


def untaken() -> int:
    """How many wake-ups the broker holds that no worker has taken; 0 if it does not say."""
    if time.monotonic() < _skip_until:
        return 0
    try:
        with current_app.connection_or_acquire() as broker:
            queue = broker.default_channel.queue_declare(current_app.conf.task_default_queue, passive=True)
            return int(queue.message_count)
    except ChannelError:  # there is no such queue, since nothing waits
        return 0
    except Exception as error:  # any broker's error type; whoever sends one finds out more
        logger.debug("The broker does not say how many wake-ups wait: %s", error)
        return 0


def _send(task: str, *numbers: int) -> None:
    # By name: tasks import the services that send wake-ups.
    if time.monotonic() < _skip_until:
        return
    try:
        current_app.send_task(task, args=numbers, retry=False)
    except Exception as error:  # any broker's error type; the sweep finds the goal and the command
        _complain("wake-up", error)


def _notify(kind: str, number: int) -> None:
    # By Postgres and not by the broker: there every pool hears it, and none of them waits in a queue of messages.
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, %s)", [BACKGROUND_CHANNEL, f"{kind} {number}"])
    except (DatabaseError, InterfaceError) as error:  # the sweep finds the row
        logger.warning("A wake-up of the background pool was lost (%s); the sweep catches up.", error)


class Teller:
    """Passes hints to the channel layer in a thread of its own, which begins with the first hint.

    A connection is made once in the life of the process, and a slow layer holds nobody up. Hints for one group that
    wait together are told as one: of log numbers the highest, and "something else changed" above all of them. The first
    after a silence goes out at once, what follows it closely goes together, and more of it while nobody listens:
    telling of each of ten quick steps cost a worker nearly as much as taking them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, int | None] = {}
        self._woken = threading.Event()
        self._thread: threading.Thread | None = None
        self._ending = threading.Event()

    def tell(self, group: str, log: int | None) -> None:
        """Have it said soon; `log` is a log number, or None for any other change."""
        with self._lock:
            before = self._waiting.get(group, log)
            self._waiting[group] = None if log is None or before is None else max(before, log)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="hints", daemon=True)
                self._thread.start()
        self._woken.set()

    def finish(self) -> None:
        """Say what still waits before the process ends, if the layer answers."""
        self._ending.set()
        self._woken.set()
        if self._thread is not None:
            self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            while not self._ending.is_set() or self._waiting:
                self._woken.wait()
                self._woken.clear()
                with self._lock:
                    waiting, self._waiting = self._waiting, {}
                was_heard = self._pass_on(runner, waiting)
                self._ending.wait(_PACE_S if was_heard else _UNHEARD_PACE_S)

    def _pass_on(self, runner: asyncio.Runner, waiting: Mapping[str, int | None]) -> bool:
        """Tell it to those who listen; whether there was anybody."""
        if time.monotonic() < _skip_until:
            return False
        heard: Collection[str] = ()
        try:
            heard = listened_to(waiting, _PATIENCE_S)
            for group in heard:
                runner.run(_group_send(group, {"type": "hint", "group": group, "log": waiting[group]}))
        except Exception as error:  # any layer's error type; browsers ask again by number
            _complain("hint to browsers", error)
        return bool(heard)


_teller = Teller()


def _new_teller() -> None:
    """A thread does not come along into a forked process, and its lock may have been held."""
    global _teller
    _teller = Teller()


os.register_at_fork(after_in_child=_new_teller)
atexit.register(lambda: _teller.finish())


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
        logger.warning("A %s was lost (%s); the sweep or the next request catches up.", what, error)
