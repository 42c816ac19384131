"""Heartbeats. A worker writes one to Redis every two seconds, with its isolation level; it expires with the worker.

A thread of its own writes it, so a worker whose only process runs a long step still counts as alive.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

import redis
from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings

from mindx_web.supervisor.readiness import READY_FILE

logger = logging.getLogger(__name__)

_KEY = "mindx:worker:"
_EVERY_S = 2.0
_LIVES_S = 7
_PATIENCE_S = 1.0
_stop = threading.Event()


@dataclass(frozen=True)
class Beat:
    """One heartbeat. `level` is the jail's that the worker tried (L1 to L3), empty if it could not try one."""

    worker: str
    level: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)


def beats(client: redis.Redis) -> list[Beat]:
    """The workers that reported in the last seconds, by name. Raises redis.RedisError."""
    # The client's annotations also cover its asynchronous version, so the result has to be cast.
    found = [cast(bytes | None, client.get(key)) for key in client.scan_iter(f"{_KEY}*", count=100)]
    return sorted((Beat(**json.loads(message)) for message in found if message), key=lambda beat: beat.worker)


def say(client: redis.Redis, beat: Beat) -> None:
    """Write one heartbeat. Raises redis.RedisError."""
    client.set(_KEY + beat.worker, json.dumps(asdict(beat)), ex=_LIVES_S)


@worker_ready.connect
def start(sender: Any, **_: Any) -> None:
    """Start the heartbeat when the worker is ready for work."""
    _stop.clear()
    name = str(getattr(sender, "hostname", sender))
    threading.Thread(target=_report, args=(name,), name="heartbeat", daemon=True).start()


@worker_shutting_down.connect
def stop(**_: Any) -> None:
    """A worker that is told to stop takes no new work, so it no longer counts."""
    _stop.set()


def _report(worker: str) -> None:
    client = redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=_PATIENCE_S, socket_timeout=_PATIENCE_S)
    beat = _tried(worker)
    reached = True
    while not _stop.is_set():
        try:
            say(client, beat)
            if reached_file := os.environ.get(READY_FILE):
                Path(reached_file).touch()
            reached = True
        except redis.RedisError as error:
            if reached:  # log once per outage, not every two seconds
                logger.warning("The worker's heartbeat did not reach Redis (%s); it is tried again.", error)
            reached = False
        _stop.wait(_EVERY_S)
    try:
        client.delete(_KEY + worker)
    except redis.RedisError:
        logger.info("Redis was gone before the worker; its heartbeat expires on its own.")


def _tried(worker: str) -> Beat:
    """The heartbeat with this worker's isolation level, found by really starting a jail."""
    from sandbox.jail import probe

    try:
        found = probe.level()
    except Exception:  # whatever fails in the probe, the worker is alive and reports an unknown level
        logger.exception("The sandbox could not be tried.")
        return Beat(worker)
    return Beat(worker, found.name, dict(found.reasons))
