"""Starts the scheduler, the background pool and the model server with every worker, and keeps them alive.

They are forked from the worker's main process before it forks its own, so what was imported is in memory once; the
model server, which needs little of it, is executed anew. One that dies is replaced; one that is silent (stopped, or
hung) is killed and replaced. None outlives its worker.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

from billiard.context import ForkProcess
from celery.apps.worker import Worker
from celery.signals import worker_init, worker_process_init, worker_shutdown, worker_shutting_down
from django.conf import settings
from django.db import connections

from library.language import may_wait
from mindx_web.operations import garbage, tracing
from mindx_web.processes import models
from mindx_web.processes.life import Pulse, end_with_parent, show_name

logger = logging.getLogger(__name__)

POLL_S = 0.5
# How far the processes that work step back behind web server, database and scheduler while processors are scarce.
NICE = 5
# A child that has not said for so many looks that it lives is killed. Looks, not seconds: whoever stops a whole machine
# for a minute stops the looks as well.
SILENT_LOOKS = 20
FIRST_PAUSE_S, LONGEST_PAUSE_S, STEADY_S = 0.2, 15.0, 30.0

# What a child does until the event is set; it lets the pulse beat again and again.
Work = Callable[[threading.Event, Pulse], None]


class Child:
    """One process beside the worker. `name` is what `ps -o comm` shows."""

    def __init__(self, name: str, work: Callable[[], Work]) -> None:
        self.name = name
        self._work = work
        self._pulse = Pulse()
        self._process: Any = None
        self._seen, self._looks = 0, 0
        self._began = self._not_before = float("-inf")
        self._pause_s = FIRST_PAUSE_S

    @property
    def pid(self) -> int | None:
        """The number of the process, while there is one."""
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        """Fork it."""
        self._began, self._looks = time.monotonic(), 0
        self._process = ForkProcess(target=self._main, args=(os.getpid(),), daemon=True)
        self._process.start()

    def keep(self) -> None:
        """Look after it: replace it if it has ended, kill it if it is silent."""
        now = time.monotonic()
        if self._process is None:
            if now >= self._not_before:
                self.start()
        elif not self._process.is_alive():
            steady = now - self._began > STEADY_S
            self._pause_s = FIRST_PAUSE_S if steady else min(2 * self._pause_s, LONGEST_PAUSE_S)
            self._not_before = now + self._pause_s
            logger.warning("%s ended; it starts again in %.1f s", self.name, self._pause_s)
            self._process = None
        elif self._is_silent():
            logger.error("%s has been silent for %.0f s and is killed", self.name, SILENT_LOOKS * POLL_S)
            self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to end."""
        self._signal(signal.SIGTERM)

    def end(self, within_s: float) -> None:
        """Wait for its end, and kill it after so many seconds."""
        if self._process is not None:
            self._process.join(within_s)
            if self._process.is_alive():
                self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.is_alive():
            os.kill(self._process.pid, number)

    def _is_silent(self) -> bool:
        count = self._pulse.count()
        self._looks = 0 if count != self._seen else self._looks + 1
        self._seen = count
        return self._looks >= SILENT_LOOKS

    # -- in the child -----------------------------------------------------------------------------------------
    def _main(self, parent: int) -> None:
        """The whole life of the child."""
        end_with_parent(signal.SIGKILL)
        show_name(self.name)
        if os.getppid() != parent:
            os._exit(1)
        stop = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        code = 0
        try:
            garbage.settle()
            tracing.start()
            self._work()(stop, self._pulse)
        except BaseException:  # the edge of the process
            logger.exception("%s ended with an error", self.name)
            code = 1
        finally:
            tracing.stop()
            logging.shutdown()
            sys.stdout.flush()
            os._exit(code)  # not through the exit handlers that belong to the worker


def _models() -> Work:
    return lambda _, pulse: models.execute(pulse)


def _scheduler() -> Work:
    from mindx_web.processes import scheduler  # it needs models

    return scheduler.run


def _pool() -> Work:
    from mindx_web.processes import pool

    return pool.run


class Children:
    """All of a worker's, and the thread that keeps them."""

    def __init__(self) -> None:
        # The models last: what stops in this order may still embed.
        self.all = [Child("mindx-scheduler", _scheduler), Child("mindx-pool", _pool), Child(models.NAME, _models)]
        self._stopping = threading.Event()
        self._sockets: str | None = None

    def start(self) -> None:
        """Fork them; from now on they are kept."""
        if not settings.MODEL_SERVER:  # `make up` names one, which its web server asks too
            self._sockets = tempfile.mkdtemp(prefix="mindx-models-")
            settings.MODEL_SERVER = f"{self._sockets}/models"
        # Imported here, so that they share it: each would have its own copy otherwise.
        for child in self.all:
            child._work()
        connections.close_all()
        for child in self.all:
            child.start()
        threading.Thread(target=self._keep, name="children", daemon=True).start()

    def stop(self) -> None:
        """Ask them to end; what runs in the pool has as long as the steps of the worker."""
        self._stopping.set()
        for child in self.all[:-1]:
            child.stop()

    def end(self) -> None:
        """Nothing of them is left."""
        for child in self.all[:-1]:
            child.end(within_s=settings.DRAIN_S + 4.0)
        self.all[-1].stop()
        self.all[-1].end(within_s=2.0)
        if self._sockets is not None:
            shutil.rmtree(self._sockets, ignore_errors=True)

    def _keep(self) -> None:
        while not self._stopping.wait(POLL_S):
            for child in self.all:
                try:
                    child.keep()
                except Exception:  # no memory to fork, for example: tried again
                    logger.exception("%s could not be looked after", child.name)


_children: Children | None = None


def start(sender: Any = None, **_: Any) -> None:
    """A worker begins, which sends itself. Not at the import: whoever imports Celery's application is no worker."""
    global _children
    if _children is None and isinstance(sender, Worker):
        _children = Children()
        _children.start()


def stop(**_: Any) -> None:
    """The worker is told to stop."""
    if _children is not None:
        _children.stop()


def end(**_: Any) -> None:
    """The worker's processes have ended."""
    if _children is not None:
        _children.end()


def begin_to_work(**_: Any) -> None:
    """In each process that a worker forks for its tasks: what waits is the pool's, and what people wait for goes first.

    Turns and the programs of steps compute for minutes; a page, or a decision that takes effect, for milliseconds.
    """
    if _children is not None:
        may_wait.forbid()
        os.nice(NICE)


def connect() -> None:
    """Last of all that happens when a worker begins, so that the others' preparations are shared."""
    worker_init.connect(start, weak=False)
    worker_shutting_down.connect(stop, weak=False)
    worker_shutdown.connect(end, weak=False)
    worker_process_init.connect(begin_to_work, weak=False)
