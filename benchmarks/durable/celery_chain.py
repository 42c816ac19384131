"""Celery: a chain of ten tasks over Valkey, without results. It keeps nothing: what a durable engine is compared to.

The lane's worker is a process of its own with the fastest pool (`solo`), no gossip, no mingling, no heartbeat. It is
held by a task that waits until the lane is told to run, so that chains can be laid ready as the other engines' plans.
"""

from __future__ import annotations

import os
import subprocess
import sys

import redis
from celery import Celery, chain

from benchmarks.durable.protocol import STEPS, Place

_WAIT_S = 300
_ADDRESS = "MINDX_BENCH_BROKER"


def _app(redis_url: str) -> Celery:
    app = Celery("bench", broker=redis_url.replace("unix://", "redis+socket://", 1))
    app.conf.update(
        task_ignore_result=True, task_serializer="json", accept_content=["json"], worker_hijack_root_logger=False
    )
    app.task(name="hold")(_hold)
    app.task(name="step")(_step)
    return app


def _hold(lane: str) -> None:
    _valkey().blpop([f"go-{lane}"], timeout=_WAIT_S)


def _step(lane: str, position: int) -> None:
    if position == STEPS:
        _valkey().rpush(f"ended-{lane}", "1")


_known: list[redis.Redis] = []


def _valkey() -> redis.Redis:
    """The process's one connection; the worker knows the address from its environment, where no list shows it."""
    if not _known:
        _known.append(redis.Redis.from_url(os.environ[_ADDRESS]))
    return _known[0]


class Lane:
    """A queue and its worker."""

    def __init__(self, place: Place) -> None:
        os.environ[_ADDRESS] = place.redis_url
        self._lane, self._plans = place.lane, 0
        self._app = _app(place.redis_url)
        words = ["worker", "--pool", "solo", "--queues", place.lane, "--hostname", f"{place.lane}@bench"]
        words += ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "ERROR"]
        self._worker = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.durable.celery_chain", *words], stdin=subprocess.DEVNULL, stdout=2
        )

    def prepare(self, plans: int) -> None:
        self._plans = plans
        self._app.signature("hold", (self._lane,), queue=self._lane).apply_async()
        for _ in range(plans):
            steps = [
                self._app.signature("step", (self._lane, position), immutable=True, queue=self._lane)
                for position in range(1, STEPS + 1)
            ]
            chain(*steps).apply_async()

    def run(self) -> None:
        valkey = _valkey()
        valkey.rpush(f"go-{self._lane}", "1")
        for ended in range(self._plans):
            if valkey.blpop([f"ended-{self._lane}"], timeout=_WAIT_S) is None:
                raise RuntimeError(f"{ended} of {self._plans} plans ended")

    def close(self) -> None:
        self._worker.terminate()
        self._worker.wait(timeout=30)


if __name__ == "__main__":
    _app(os.environ[_ADDRESS]).worker_main(sys.argv[1:])
