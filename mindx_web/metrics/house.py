"""What the database, Redis and the disks know at the moment somebody asks."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import redis
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from agents.bdi.recovery.recovery import Strategy
from agents.cycle import waiting
from agents.record import duties, wake_ups
from agents.record.lease import claimable
from agents.states import GoalState, PlanState
from agents.toolkit.registry import tools_in_use
from mindx_web.metrics.growing import GrowingTable, Tally
from mindx_web.operations import health, heartbeat
from review.deciding import holding

# Two scrapers, or one that asks too often, cost no more than one.
FRESH_S = 2.0
STATEMENT_MS = 5_000
CLAIMABLE_UP_TO = 1_000
WORKERS_UP_TO = 200
BOUNDS = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0)
OTHER = "other"
_OUTCOMES = {"succeeded", "skipped", "failed", "cancelled", "lost", "unavailable", "refused", "interrupted", "waiting"}
_STRATEGIES = {strategy.value for strategy in Strategy}
_LEVEL = {"L1": 1, "L2": 2, "L3": 3}


class House:
    """A collector for prometheus-client. Without a database it still tells of Redis, workers and disks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: tuple[float, list[Metric]] = (float("-inf"), [])
        self._tries = GrowingTable(
            "SELECT max(id) FROM agents_attempt",
            "SELECT attempt.id, attempt.finished IS NOT NULL, extract(epoch FROM attempt.finished - attempt.started),"
            " intent.tool, attempt.outcome"
            " FROM agents_attempt attempt JOIN agents_intent intent ON intent.id = attempt.intent_id"
            " WHERE attempt.id > %(after)s OR attempt.id = ANY(%(open)s)",
            lambda values: (_known(values[0], _tools()), _known(values[1], _OUTCOMES)),
            BOUNDS,
        )
        self._recoveries = GrowingTable(
            "SELECT max(id) FROM agents_recoveryattempt",
            "SELECT id, succeeded IS NOT NULL, 0, strategy, succeeded FROM agents_recoveryattempt"
            " WHERE id > %(after)s OR id = ANY(%(open)s)",
            lambda values: (_known(values[0], _STRATEGIES), "succeeded" if values[1] else "failed"),
        )

    def collect(self) -> Iterable[Metric]:
        """Everything, at most two seconds old."""
        with self._lock:
            if time.monotonic() - self._seen[0] > FRESH_S:
                self._seen = (time.monotonic(), list(self._look()))
            return self._seen[1]

    def describe(self) -> Iterable[Metric]:
        """Nothing is asked of the database when the registry is made."""
        return []

    def _look(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("mindx_part_up", "1 when the part answers.", labels=["part"])
        try:
            # One transaction, one look: figures of one moment, and no scrape holds anything for long.
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL statement_timeout = %s" % STATEMENT_MS)  # noqa: UP031  # SET takes no parameter
                found = [*_goals(), *_work(), *_plans(), *_sums(), *self._grown()]
        except DatabaseError:
            found = []
        up.add_metric(["database"], float(bool(found)))
        yield from found
        yield from _life(up)
        yield up
        yield from _disks()

    def _grown(self) -> Iterator[Metric]:
        tries = self._tries.read()
        yield _histogram("mindx_intent_duration_seconds", "How long tries of steps took.", ["tool", "outcome"], tries)
        lost = CounterMetricFamily("mindx_lease_takeovers", "Tries that were lost with their worker and taken over.")
        lost.add_metric([], sum(tally.count for labels, tally in tries.items() if labels[1] == "lost"))
        yield lost
        recoveries = CounterMetricFamily(
            "mindx_recoveries",
            "Recoveries, by strategy and by what became of the step.",
            labels=["strategy", "outcome"],
        )
        for labels, tally in sorted(self._recoveries.read().items(), key=str):
            recoveries.add_metric(list(labels), tally.count)
        yield recoveries


def _known(value: str, known: Iterable[str]) -> str:
    """The value when it is one of ours: a row that somebody forged makes no new label."""
    return value if value in known else OTHER


def _tools() -> set[str]:
    return {tool.name for tool in tools_in_use().tools}


def _rows(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def _goals() -> Iterator[Metric]:
    by_state = GaugeMetricFamily("mindx_goals", "Goals by state.", labels=["state"])
    counts = dict(_rows("SELECT state, count(*) FROM agents_goal GROUP BY state"))
    for state in GoalState:
        by_state.add_metric([state.value], counts.get(state.value, 0))
    yield by_state
    count = len(claimable(limit=CLAIMABLE_UP_TO))
    yield GaugeMetricFamily("mindx_goals_claimable", f"Goals a worker could take up now, to {CLAIMABLE_UP_TO}.", count)


def _work() -> Iterator[Metric]:
    """What waits for workers and for the background pool, and when the scheduler did last what it does."""
    by_kind = GaugeMetricFamily(
        "mindx_turns_waiting",
        f"Turns that wait, to {CLAIMABLE_UP_TO} of a kind.",
        labels=["kind"],
    )
    for kind, number in waiting.counts(CLAIMABLE_UP_TO).items():
        by_kind.add_metric([kind], number)
    yield by_kind
    ages = GaugeMetricFamily("mindx_duty_age_seconds", "Since the scheduler did this last.", labels=["duty"])
    for name, state in duties.states(health.SCHEDULED).items():
        if state.since_s is not None:
            ages.add_metric([name], state.since_s)
    yield ages
    late = holding.oldest_due_s()
    yield GaugeMetricFamily("mindx_decision_overdue_seconds", "How long the oldest due decision has been due.", late)


def _plans() -> Iterator[Metric]:
    by_state = GaugeMetricFamily("mindx_plans_open", "Plans that have not ended, by state.", labels=["state"])
    open_states = (PlanState.AWAITING_REVIEW, PlanState.APPROVED, PlanState.EXECUTING)
    words = ", ".join(f"'{state.value}'" for state in open_states)
    counts = dict(_rows(f"SELECT state, count(*) FROM agents_intentplan WHERE state IN ({words}) GROUP BY state"))  # noqa: S608  # our own words
    for state in open_states:
        by_state.add_metric([state.value], counts.get(state.value, 0))
    yield by_state
    length, age_s = _rows(
        "SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(queued_at)), 0)"
        " FROM review_queueentry WHERE waits"
    )[0]
    yield GaugeMetricFamily("mindx_review_queue_length", "Plans that wait for a person.", length)
    yield GaugeMetricFamily("mindx_review_queue_oldest_seconds", "How long the oldest of them waits.", float(age_s))


def _sums() -> Iterator[Metric]:
    claims = _rows("SELECT coalesce(sum(lease_fence), 0) FROM agents_goal")[0][0]
    yield CounterMetricFamily("mindx_claims", "Turns of goals that workers have taken.", claims)
    lines = _rows("SELECT coalesce(sum(last), 0) FROM agents_logcounter")[0][0]
    yield CounterMetricFamily("mindx_log_lines", "Lines in the logs of all goals.", lines)
    paused = _rows("SELECT count(*) FROM agents_agent WHERE paused")[0][0]
    yield GaugeMetricFamily("mindx_agents_paused", "Paused agents.", paused)
    waiting = _rows("SELECT count(*) FROM review_delivery WHERE state = 'waiting'")[0][0]
    yield GaugeMetricFamily("mindx_notices_waiting", "Messages to people that have not been sent yet.", waiting)
    size = _rows("SELECT pg_database_size(current_database())")[0][0]
    yield GaugeMetricFamily("mindx_database_bytes", "Size of the database.", size)


def _life(up: GaugeMetricFamily) -> Iterator[Metric]:
    """Workers with the jail they reached; `up` gets what answers."""
    levels = GaugeMetricFamily(
        "mindx_worker_jail_level",
        "The isolation level of the worker's sandbox: 3, 2, 1, or 0 for none.",
        labels=["worker"],
    )
    beats, answers = [], False
    try:
        if settings.REDIS_URL:
            client = health.redis_client()
            beats, answers = heartbeat.beats(client), True
    except redis.RedisError:
        pass
    for beat in beats[:WORKERS_UP_TO]:
        levels.add_metric([beat.worker], _LEVEL.get(beat.level, 0))
    up.add_metric(["redis"], float(answers))
    up.add_metric(["worker"], float(bool(beats)))
    yield GaugeMetricFamily("mindx_workers", "Workers that are alive.", len(beats))
    yield GaugeMetricFamily("mindx_wakeups_waiting", "Wake-ups that no worker has taken.", wake_ups.untaken())
    yield levels


def _disks() -> Iterator[Metric]:
    free = GaugeMetricFamily("mindx_disk_free_bytes", "Free space.", labels=["disk"])
    for name, path in (("data", settings.DATA_DIR), ("store", settings.DATA_DIR / "store")):
        if path.exists():
            found = os.statvfs(path)
            free.add_metric([name], found.f_bavail * found.f_frsize)
    yield free


def _histogram(name: str, says: str, labels: list[str], tallies: dict[tuple[str, ...], Tally]) -> HistogramMetricFamily:
    family = HistogramMetricFamily(name, says, labels=labels)
    for values, tally in sorted(tallies.items(), key=str):
        buckets: list[tuple[str, float]] = [(str(bound), float(tally.within[bound])) for bound in BOUNDS]
        family.add_metric(list(values), [*buckets, ("+Inf", float(tally.count))], tally.seconds)
    return family
