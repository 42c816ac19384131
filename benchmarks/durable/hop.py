"""A bare Celery hop, beside which a wake-up of ours is measured: a worker like ours whose task says when it began."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis
from celery import Celery

from benchmarks.durable.lanes import ROOT

_ADDRESS = "MINDX_BENCH_BROKER"
_QUEUE = "bare-hop"
_BEGAN = "bare-hop-began"
_WAIT_S = 60


def _app(redis_url: str) -> Celery:
    app = Celery("hop", broker=redis_url.replace("unix://", "redis+socket://", 1))
    app.conf.update(
        task_ignore_result=True, task_serializer="json", accept_content=["json"], worker_prefetch_multiplier=1
    )
    app.task(name="hop")(_hop)
    return app


def _hop() -> None:
    began = time.time()
    if not _known:
        _known.append(redis.Redis.from_url(os.environ[_ADDRESS]))
    _known[0].rpush(_BEGAN, str(began))


_known: list[redis.Redis] = []


class Hops:
    """Sends one message at a time."""

    def __init__(self, redis_url: str) -> None:
        self._app = _app(redis_url)
        self._valkey = redis.Redis.from_url(redis_url)

    def one_ms(self) -> float:
        """From before the message is sent until its task begins, in ms."""
        sent = time.time()
        self._app.signature("hop", queue=_QUEUE).apply_async(retry=False)
        began: Any = self._valkey.blpop([_BEGAN], timeout=_WAIT_S)
        if began is None:
            raise RuntimeError("the bare worker did not answer")
        return (float(began[1]) - sent) * 1000


@contextmanager
def hops(redis_url: str) -> Iterator[Hops]:
    """A bare worker with as many processes as ours."""
    words = ["worker", "--queues", _QUEUE, "--hostname", "bare@bench", "--concurrency", "2"]
    words += ["--without-gossip", "--without-mingle", "--loglevel", "ERROR"]
    worker = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.durable.hop", *words],
        cwd=ROOT,
        env={**os.environ, _ADDRESS: redis_url, "PYTHONWARNINGS": "ignore"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield Hops(redis_url)
    finally:
        worker.terminate()
        worker.wait(timeout=30)


if __name__ == "__main__":
    _app(os.environ[_ADDRESS]).worker_main(sys.argv[1:])
