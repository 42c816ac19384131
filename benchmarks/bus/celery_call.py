"""A bare Celery call: a task that does nothing, over Valkey, without a result. It keeps nothing.

Two workers of the fastest pool (`solo`), without gossip, mingling and heartbeat. Each is held by a task until the run
begins, so that calls can be laid ready.
"""

from __future__ import annotations

import os
import subprocess
import sys

import redis
from celery import Celery

_WAIT_S = 300
_ADDRESS = "MINDX_BENCH_BROKER"
QUEUE = "bench-bare"


def _app(redis_url: str) -> Celery:
    app = Celery("bench", broker=redis_url.replace("unix://", "redis+socket://", 1))
    app.conf.update(
        task_ignore_result=True, task_serializer="json", accept_content=["json"], worker_hijack_root_logger=False
    )
    app.task(name="hold")(_hold)
    app.task(name="noop")(_noop)
    app.task(name="end")(_end)
    return app


def _hold() -> None:
    _valkey().blpop(["bench-go"], timeout=_WAIT_S)


def _noop(number: int) -> None:
    return None


def _end() -> None:
    """One of these for each worker stands behind all calls."""
    _valkey().rpush("bench-ended", "1")
    _valkey().blpop(["bench-both"], timeout=_WAIT_S)


_known: list[redis.Redis] = []


def _valkey() -> redis.Redis:
    """The process's one connection; the worker knows the address from its environment, where no list shows it."""
    if not _known:
        _known.append(redis.Redis.from_url(os.environ[_ADDRESS]))
    return _known[0]


class Bare:
    """So many workers, and calls for them."""

    def __init__(self, redis_url: str, workers: int) -> None:
        os.environ[_ADDRESS] = redis_url
        self._app = _app(redis_url)
        line = [sys.executable, "-m", "benchmarks.bus.celery_call", "worker", "--pool", "solo", "--queues", QUEUE]
        line += ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "ERROR"]
        self._workers = [
            subprocess.Popen(
                [*line, "--hostname", f"bare{number}@bench"],
                stdin=subprocess.DEVNULL,
                stdout=2,
            )
            for number in range(workers)
        ]

    def prepare(self, calls: int) -> None:
        """Lay calls ready; the workers wait."""
        for _ in self._workers:
            self._app.signature("hold", queue=QUEUE).apply_async()
        for number in range(calls):
            self._app.signature("noop", (number,), queue=QUEUE).apply_async()
        for _ in self._workers:
            self._app.signature("end", queue=QUEUE).apply_async()

    def run(self) -> None:
        """Let the workers go, and wait until all calls were made."""
        valkey = _valkey()
        for _ in self._workers:
            valkey.rpush("bench-go", "1")
        for _ in self._workers:
            if valkey.blpop(["bench-ended"], timeout=_WAIT_S) is None:
                raise RuntimeError("bare Celery did not come to an end")
        for _ in self._workers:
            valkey.rpush("bench-both", "1")

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            worker.wait(timeout=30)


if __name__ == "__main__":
    _app(os.environ[_ADDRESS]).worker_main(sys.argv[1:])
