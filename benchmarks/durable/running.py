"""`python -m benchmarks.durable.running`: the running application. What 10,000 waiting plans add to it, and how long an
approval takes to become a first step, beside a bare Celery hop and without its wake-up.
"""

from __future__ import annotations

import argparse
import signal
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchmarks.durable import report
from benchmarks.durable.application import Held, application, held
from benchmarks.durable.goals import NO_OP, Goals, make_people
from benchmarks.durable.hop import Hops, hops
from benchmarks.durable.report import Row

if TYPE_CHECKING:
    from agents.models import IntentPlan

_WAIT_S = 60.0
_LOST_ROUNDS = 5
_LOOKED_S = 20.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.durable.running", description=__doc__)
    parser.add_argument("--rounds", type=int, default=60, help="approvals, each beside a bare hop (default 60)")
    parser.add_argument("--plans", type=int, default=10_000, help="waiting plans (default 10,000)")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers and folders go with us
    with application() as supervisor:
        from django.conf import settings

        from agents.models import Agent
        from benchmarks import waiting

        make_people()
        goals = Goals("running")
        with hops(settings.REDIS_URL) as bare:
            found = _latencies(goals, bare, asked.rounds)
        before = held(supervisor, _LOOKED_S)
        waiting.fill(Agent.objects.get(name="mindx"), asked.plans)
        time.sleep(_LOOKED_S)  # every sweep has seen them
        after = held(supervisor, _LOOKED_S)
        sys.stdout.write("\n".join([*report.rows([*found, *_added(before, after, asked.plans)]), ""]))


def _latencies(goals: Goals, bare: Hops, rounds: int) -> list[Row]:
    """The rows about how soon an approved plan begins, with both workers idle."""
    for _ in range(5):
        bare.one_ms()
        _begins_ms(goals)
    ours, hop = [], []
    for _ in range(rounds):
        hop.append(bare.one_ms())
        ours.append(_begins_ms(goals))
    with _wake_ups_lost():
        lost = [_begins_ms(goals) for _ in range(_LOST_ROUNDS)]
    p50 = statistics.median(ours) - statistics.median(hop)
    p95 = _p95(ours) - _p95(hop)
    said = f"approval {_ms(ours)}, bare hop {_ms(hop)}, n={rounds}"
    return [
        Row("approval → first intent above a bare Celery hop, p50", "≤ 5 ms", f"{p50:.1f} ms ({said})", p50 <= 5),
        Row("the same, p95", "≤ 10 ms", f"{p95:.1f} ms", p95 <= 10),
        Row(
            "approval → first intent, wake-up lost",
            "≤ 2 s",
            f"{max(lost) / 1000:.2f} s at most, {statistics.median(lost) / 1000:.2f} s in the middle, n={len(lost)}",
            max(lost) <= 2000,
        ),
    ]


def _begins_ms(goals: Goals) -> float:
    """From an approval's commit until the first try of its plan has begun, in ms, with every worker idle before."""
    from django.db import transaction

    from agents.models import Attempt

    plan = goals.proposed(NO_OP)
    _wait(lambda: not plan.shadow_runs.exclude(state="done").exists(), "the dry run")
    committed: list[float] = []
    with transaction.atomic():
        # The first callback of all: it runs when the approval is on disk and before the wake-up is sent.
        transaction.on_commit(lambda: committed.append(time.time()))
        goals.approve(plan)
    first = Attempt.objects.filter(intent__intent_plan=plan, intent__position=1)
    _wait(lambda: _has_ended(plan), "the plan's end")
    return (first.get().started.timestamp() - committed[0]) * 1000


def _has_ended(plan: IntentPlan) -> bool:
    """Whether the goal has ended and has been learned from, so that the worker is idle again."""
    from agents.models import Goal

    return Goal.objects.filter(pk=plan.goal_id, state="achieved").exclude(learned_at=None).exists()


def _wait(done: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + _WAIT_S
    while not done():
        if time.monotonic() > until:
            raise RuntimeError(f"{what} did not come within {_WAIT_S:g} s")
        time.sleep(0.02)


@contextmanager
def _wake_ups_lost() -> Iterator[None]:
    """Nothing that this process sends reaches a worker: only sweeps find what it approved."""
    from agents.record import wake_ups

    send = wake_ups._send
    wake_ups._send = lambda task, *numbers: None if task == "agents.work" else send(task, *numbers)
    try:
        yield
    finally:
        wake_ups._send = send


def _added(before: Held, after: Held, plans: int) -> list[Row]:
    """The row about what waits."""
    names = ("processes", "threads", "database_connections", "broker_connections")
    added = {name: getattr(after, name) - getattr(before, name) for name in names}
    said = ", ".join(f"{name.replace('_', ' ')} {getattr(before, name)} → {getattr(after, name)}" for name in names)
    used = f"processor {before.processors:.2f} → {after.processors:.2f}"
    what = f"{plans:,} plans waiting: processes, threads, connections"
    return [Row(what, "+ 0", f"{said}; {used}", not any(count > 0 for count in added.values()))]


def _ms(values: Sequence[float]) -> str:
    return f"p50 {statistics.median(values):.1f} ms, p95 {_p95(values):.1f} ms"


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


if __name__ == "__main__":
    main()
