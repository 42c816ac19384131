"""Who does the work: Redis, the broker, workers with the jail they reached, and the scheduler."""

from __future__ import annotations

from collections.abc import Iterator

import redis
from celery import current_app
from django.conf import settings
from django.db import DatabaseError

from mindx_web.doctor.finding import Finding, fail, ok, warn
from mindx_web.operations import health, heartbeat
from mindx_web.operations.health import PartState

BROKER_TIMEOUT_S = 3.0
_START_REDIS = "Start Redis, or correct REDIS_URL. Goals are kept meanwhile; live pages ask by HTTP."


def redis_server() -> Iterator[Finding]:
    """Whether it answers, and does not throw wake-ups away to make room."""
    if not settings.REDIS_URL:
        yield fail("redis", "no address is set", "Set REDIS_URL, or start mindX with `make up`.")
        return
    client = health.redis_client()
    try:
        client.ping()
    except redis.RedisError as error:
        yield fail("redis", f"does not answer: {type(error).__name__}", _START_REDIS)
        return
    try:
        policy = client.config_get("maxmemory-policy").get("maxmemory-policy", "")  # type: ignore[union-attr]  # a synchronous client answers at once
    except redis.RedisError:  # a hosted one lets nobody ask
        policy = ""
    if policy not in {"", "noeviction"}:
        yield warn("redis", f"evicts keys when it is full ({policy})", "Set maxmemory-policy noeviction.")
    else:
        yield ok("redis", "answers")


def broker() -> Iterator[Finding]:
    """The broker of wake-ups, where it is another server than Redis."""
    if not settings.BROKER_IS_SEPARATE:
        return
    try:
        with current_app.connection_for_write(transport_options={}, connect_timeout=BROKER_TIMEOUT_S) as connection:
            connection.ensure_connection(max_retries=1, timeout=BROKER_TIMEOUT_S)
    except Exception as error:  # any broker's error type
        yield fail(
            "broker",
            f"does not answer: {type(error).__name__}",
            "Start it, or correct MINDX_BROKER_URL. Workers hear of no work until it is back.",
        )
    else:
        yield ok("broker", "answers")


def workers() -> Iterator[Finding]:
    """Each worker that is alive, with the jail that it tried."""
    try:
        beats = heartbeat.beats(health.redis_client()) if settings.REDIS_URL else []
    except redis.RedisError:
        yield warn("workers", "unknown while Redis does not answer", _START_REDIS)
        return
    if not beats:
        start = "Start one: celery -A mindx_web worker (`make up` starts it by itself)."
        yield fail("workers", "no worker is running: goals wait", start)
    for beat in beats:
        part = health.sandbox_of([beat])
        says = f"{beat.worker}: {part.sentence}"
        reasons = "; ".join(f"{level}: {why}" for level, why in sorted(beat.reasons.items()))
        do = f"docs/sandbox.md says what each level needs. {reasons}".strip()
        if part.state is PartState.OK:
            yield ok("workers", says)
        elif part.state is PartState.LIMITED:
            yield warn("workers", says, do)
        else:
            yield fail("workers", says, do)


def scheduler() -> Iterator[Finding]:
    """Held decisions take effect, and what lost wake-ups missed is found."""
    try:
        part = health.scheduler()
    except DatabaseError:
        return  # said already
    if part.state is PartState.OK:
        yield ok("scheduler", part.sentence)
    else:
        yield fail("scheduler", part.sentence, "Start a worker: celery -A mindx_web worker. It brings the scheduler.")
