"""Whether mindX's parts work. All checks have short time-outs, so a dead part never blocks the caller."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any

import redis
from django.conf import settings
from django.db import DatabaseError, connection, connections
from redis.backoff import NoBackoff
from redis.retry import Retry

from agents.cycle import waiting
from agents.record import duties
from agents.workspaces import stores
from library import embedding, renewal
from mindx_web.operations import heartbeat
from mindx_web.operations.heartbeat import Beat
from review.deciding import holding
from sandbox.store.objects import StoreUnavailable

logger = logging.getLogger(__name__)

REDIS_TIMEOUT_S = 0.25
DATABASE_TIMEOUT_S = 2.0
COUNT_UP_TO = 100
QUEUE_UP_TO = 1_000
# A duty that was not done for so long is late, and a decision overdue: both are usually a second.
LATE_S, OVERDUE_S = 15.0, 5.0
SWEEP, SCHEDULED = "sweep", ("decisions", "sweep", "review sweep")
QUEUE_WORDS = {
    "typed": "typed commands",
    "approved": "turns of approved plans",
    "requests": "requests of the bus",
    "planning": "goals to plan",
    "dry_runs": "dry runs",
    "learning": "results to remember",
    "background": "goals that ask a language model",
}
STORE_LOOK_EVERY_S = 5.0
_LEVELS = ("L1", "L2", "L3")
# Reminders for an operator who accepted less than the full level.
_LESS = {
    "L2": "level L2, checked: steps share the host's process list and network stack, with weaker isolation",
    "L1": "level L1: file commands only, a step that runs a program is refused",
}


class PartState(StrEnum):
    """`limited`: it works, but somebody should know. `unknown`: the part that would report it is itself down."""

    OK = "ok"
    LIMITED = "limited"
    DOWN = "down"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Part:
    """One part, its state in a sentence, and the figures behind the sentence."""

    name: str
    state: PartState
    sentence: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool | None:
        """True, False, or None when nothing is wrong but somebody should know."""
        return {PartState.OK: True, PartState.DOWN: False}.get(self.state)


@dataclass(frozen=True)
class Health:
    """All parts together."""

    parts: tuple[Part, ...]

    @property
    def status(self) -> str:
        """The worst of the parts: ok, limited or down."""
        states = {part.state for part in self.parts}
        if PartState.DOWN in states:
            return PartState.DOWN.value
        return PartState.OK.value if states == {PartState.OK} else PartState.LIMITED.value

    @property
    def is_ready(self) -> bool:
        """Goals can be submitted, planned and shown: the database answers, a worker is alive, a shared store works.

        Without Redis goals can still be submitted and approved; without a jail they are planned, and their steps say
        why they wait.
        """
        return all(part.state is PartState.OK for part in self.parts if part.name in {"database", "worker", "store"})


_looked: tuple[float, Part | None] = (0.0, None)


def current() -> Health:
    """Check every part now, first those on which the others depend."""
    database, bus = _database(), _redis()
    of_rows = (scheduler(), _queues(), _embeddings()) if database.ok else _not_asked()
    return Health((database, bus, *_signs_of_life(bus), *([_store()] if stores.is_shared() else []), *of_rows))


def _not_asked() -> tuple[Part, ...]:
    return tuple(_unknown(name, "the database") for name in ("scheduler", "queues", "embeddings"))


def _store() -> Part:
    """The shared store of snapshots, checked at most every few seconds: a write costs more than a ping."""
    global _looked  # one check serves the whole process
    at, part = _looked
    if part is None or time.monotonic() - at > STORE_LOOK_EVERY_S:
        started = time.perf_counter()
        try:
            stores.check_answers()
            part = _answers("store", started)
        except (StoreUnavailable, OSError) as error:
            logger.warning("The shared snapshot store does not work: %s", error)
            sentence = "not writable; files cannot be shown or changed, and steps wait until it is back"
            part = Part("store", PartState.DOWN, sentence)
        _looked = (time.monotonic(), part)
    return part


def _signs_of_life(bus: Part) -> tuple[Part, ...]:
    try:
        if bus.ok:
            beats = heartbeat.beats(redis_client())
            return _worker(beats), sandbox_of(beats)
    except redis.RedisError:
        logger.info("Redis went away between two questions")
    return tuple(_unknown(name, "Redis") for name in ("worker", "sandbox"))


def _unknown(name: str, other: str) -> Part:
    return Part(name, PartState.UNKNOWN, f"unknown while {other} does not answer")


_one_asks = threading.Lock()
_question: Future[Part] | None = None


def _database() -> Part:
    """Ask in a thread and wait only so long: a frozen server accepts connections but never answers, and no time-out of
    the driver ends that. Callers share one question, so at most one thread hangs.
    """
    global _question  # one question at a time serves the whole process
    with _one_asks:
        if _question is None or _question.done():
            _question = Future()
            threading.Thread(target=_ask, args=(_question,), name="ask the database", daemon=True).start()
        question = _question
    try:
        return question.result(timeout=DATABASE_TIMEOUT_S)
    except TimeoutError:
        logger.warning("The database has not answered for %s s", DATABASE_TIMEOUT_S)
    except DatabaseError:
        logger.exception("The database does not answer")
    return Part("database", PartState.DOWN, "does not answer")


def _ask(question: Future[Part]) -> None:
    """Runs in its own thread with its own connection, which is closed before the answer is set."""
    started = time.perf_counter()
    try:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        finally:
            connections.close_all()
    except Exception as error:  # the edge of the thread: the caller gets it
        question.set_exception(error)
    else:
        question.set_result(_answers("database", started))


def _redis() -> Part:
    if not settings.REDIS_URL:
        return Part("redis", PartState.DOWN, "no address is set")
    started = time.perf_counter()
    try:
        redis_client().ping()
    except redis.RedisError:
        return Part(
            "redis", PartState.DOWN, "does not answer; goals are accepted and saved, work continues when it is back"
        )
    return _answers("redis", started)


def _answers(name: str, started: float) -> Part:
    milliseconds = (time.perf_counter() - started) * 1000
    return Part(name, PartState.OK, f"answers in {milliseconds:.0f} ms", {"ms": round(milliseconds, 1)})


def redis_client() -> redis.Redis:
    """A client with short time-outs, for reading what is in Redis."""
    return _client(settings.REDIS_URL)


@lru_cache(maxsize=1)
def _client(url: str) -> redis.Redis:
    """One small pool for the process. It never retries, because the next check is a retry."""
    return redis.Redis.from_url(
        url, socket_connect_timeout=REDIS_TIMEOUT_S, socket_timeout=REDIS_TIMEOUT_S, retry=Retry(NoBackoff(), 0)
    )


def _worker(beats: Sequence[Beat]) -> Part:
    facts = {"workers": [beat.worker for beat in beats]}
    if not beats:
        return Part("worker", PartState.DOWN, "no worker is running; goals wait until one starts", facts)
    return Part("worker", PartState.OK, f"{len(beats)} running", facts)


def scheduler() -> Part:
    """By its rows: when what it does regularly was last done, and whether a decision of somebody's is overdue."""
    found = duties.states(SCHEDULED)
    ages = {name: found[name].since_s if name in found else None for name in SCHEDULED}
    due_s = holding.oldest_due_s()
    sweep_s = ages[SWEEP]
    facts = {
        "last_sweep_s": None if sweep_s is None else round(sweep_s, 1),
        "oldest_due_decision_s": round(due_s, 1),
        "held_by": {name: found[name].holder for name in SCHEDULED if name in found},
    }
    if sweep_s is None:
        return Part("scheduler", PartState.LIMITED, "has not run yet; it starts with the first worker", facts)
    last = f"last sweep {_ago(sweep_s)}"
    late = [name for name, age_s in ages.items() if age_s is None or age_s > LATE_S]
    if late:
        sentence = f"late: {last}; held decisions and missed wake-ups wait until a worker runs"
        return Part("scheduler", PartState.LIMITED, sentence, facts)
    if due_s > OVERDUE_S:
        sentence = f"{last}; the oldest decision has been due for {due_s:.0f} s"
        return Part("scheduler", PartState.LIMITED, sentence, facts)
    return Part("scheduler", PartState.OK, f"{last}, no decision is overdue", facts)


def _ago(seconds: float) -> str:
    return f"{max(seconds, 0):.0f} s ago"


def _queues() -> Part:
    """How many turns wait, by kind. Waiting is no fault; people want to know what a goal is behind."""
    counts = waiting.counts(QUEUE_UP_TO)
    several = [f"{_shown(number)} {QUEUE_WORDS[kind]}" for kind, number in counts.items() if number]
    sentence = f"waiting: {', '.join(several)}" if several else "nothing waits for a worker"
    return Part("queues", PartState.OK, sentence, counts)


def _shown(number: int) -> str:
    return f"{number}+" if number >= QUEUE_UP_TO else str(number)


def sandbox_of(beats: Sequence[Beat]) -> Part:
    """The weakest jail among the workers: a goal may land on any of them."""
    if not beats:
        return Part("sandbox", PartState.UNKNOWN, "unknown until a worker has checked it")
    weakest = min(beats, key=lambda beat: _rank(beat.level))
    facts = {
        "level": weakest.level,
        "least": settings.SANDBOX_MIN,
        "reasons": dict(weakest.reasons),
        "worker": weakest.worker,
    }
    if not weakest.level:
        sentence = (
            "no isolation level works; no step runs" if weakest.reasons else f"{weakest.worker} could not check it"
        )
        return Part("sandbox", PartState.DOWN, sentence, facts)
    if _rank(weakest.level) < _rank(settings.SANDBOX_MIN):
        sentence = f"level {weakest.level}; no step runs below {settings.SANDBOX_MIN}"
        return Part("sandbox", PartState.DOWN, sentence, facts)
    if weakest.level in _LESS:
        return Part("sandbox", PartState.LIMITED, _LESS[weakest.level], facts)
    return Part("sandbox", PartState.OK, f"level {weakest.level}, checked: the sandbox works", facts)


def _rank(level: str) -> int:
    return _LEVELS.index(level) if level in _LEVELS else -1


def _embeddings() -> Part:
    missing = embedding.count_missing(COUNT_UP_TO)
    if not missing and renewal.is_under_way():
        sentence = "being made again with another sentence model; searches go on, see Library"
        return Part("embeddings", PartState.LIMITED, sentence, {"missing": 0})
    if not missing:
        return Part("embeddings", PartState.OK, "up to date", {"missing": 0})
    count = f"{COUNT_UP_TO} or more" if missing >= COUNT_UP_TO else str(missing)
    sentence = f"{count} pending; semantic search does not find them yet"
    return Part("embeddings", PartState.LIMITED, sentence, {"missing": missing})
