"""How long decisions take to have an effect while goals wait.

The plans that are decided lie ready before the goals come: were they planned among them, there would be none to decide
where planning is what is slow.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import psycopg

from benchmarks.backlog.application import Application, wait_until
from benchmarks.backlog.slow_model import SlowModel

# A decision is watched for so long at least; the first ones longer, until the last one has had its time.
WITHIN_S = 120.0
HOLD_S = 2
HELD, BY_API = "held", "api"
THINKS_S = 60.0
_READY_S = 900.0
_LOOK_S = 0.05
_DRAWN = random.Random(7)  # noqa: S311  # when decisions are made, no secrets
_STEP = {"tool": "simple_coder", "command": "ls", "params": {"path": "."}}
_WAITING = """
SELECT count(*) FILTER (WHERE state = 'pending'), count(*) FILTER (WHERE state = 'planning'),
       (SELECT count(*) FROM agents_shadowrun WHERE state IN ('waiting', 'running')), clock_timestamp()
FROM agents_goal WHERE state IN ('pending', 'planning')
"""
# Of plans that were decided: whether that took effect, when by their rows, and the database's clock.
_LOOK = """
SELECT plan.id, plan.state <> 'awaiting_review', clock_timestamp(),
       (SELECT approval.at FROM review_approval approval WHERE approval.intent_plan_id = plan.id),
       (SELECT held.due_at FROM review_helddecision held WHERE held.intent_plan_id = plan.id AND held.dropped = ''),
       (SELECT min(attempt.started) FROM agents_attempt attempt JOIN agents_intent intent
        ON intent.id = attempt.intent_id WHERE intent.intent_plan_id = plan.id)
FROM agents_intentplan plan WHERE plan.id = ANY(%s)
"""
_READY = """
SELECT goal.id, plan.id, plan.digest FROM agents_goal goal JOIN agents_intentplan plan ON plan.goal_id = goal.id
WHERE goal.id = ANY(%s) AND plan.state = 'awaiting_review' AND NOT EXISTS (
    SELECT FROM agents_shadowrun run WHERE run.intent_plan_id = plan.id AND run.state IN ('waiting', 'running'))
ORDER BY goal.id
"""


@dataclass
class Decision:
    """One decision. `due` is when it should have an effect, `effect` when it had one; times are the database's.

    What waited when it was made: goals that no worker has begun, goals whose plan is being made, dry runs, and
    requests that the model had not answered.
    """

    kind: str
    plan: int
    pending: int
    planning: int
    shadow_runs: int
    model_requests: int
    made: datetime | None = None
    due: datetime | None = None
    effect: datetime | None = None
    refused: str = ""

    @property
    def goals(self) -> int:
        """How many goals waited for a plan."""
        return self.pending + self.planning

    @property
    def delay_s(self) -> float:
        """How long it took; infinite where no effect was seen, and where the decision was refused."""
        if self.effect is None or self.due is None:
            return float("inf")
        return (self.effect - self.due).total_seconds()


@dataclass(frozen=True)
class _Ready:
    """A plan that can be decided, and how it will be."""

    kind: str
    plan: int
    digest: str


def measure(running: Application, model: SlowModel, goals: int, decisions: int, every_s: float) -> list[Decision]:
    """Lay plans ready, submit the goals while the model thinks for a minute, and decide."""
    ready = _plans(running, decisions)
    model.thinks_s = THINKS_S
    for number in range(goals):
        is_for_model = number % 5 == 0
        text = f"Reconcile the ledger of year {number}" if is_for_model else f"create a python project named p{number}"
        running.submit(text, f"backlog{number}")
    made: list[Decision] = []
    with _Watch(running, made) as watch, running.reading() as database:
        for one in ready:
            # Never in step with a schedule that is in whole seconds.
            time.sleep(_DRAWN.uniform(0.5, 1.5) * every_s / 2)
            _decide(running, database, model, watch, one)
        until = time.monotonic() + WITHIN_S
        while time.monotonic() < until and watch.is_open():
            time.sleep(0.5)
    return made


def _plans(running: Application, decisions: int) -> list[_Ready]:
    """Plans that a person made, all tried in a dry run; their kinds take turns."""
    goals = [running.submit(f"Reconcile the ledger of month {number}", f"d{number}") for number in range(2 * decisions)]
    with running.reading() as database:
        manual = "SELECT count(*) FROM agents_goal WHERE id = ANY(%s) AND state = 'manual'"
        _until(lambda: database.execute(manual, [goals]).fetchone() == (len(goals),), "goals that need a plan")
        for goal in goals:
            running.supply_plan(goal, _STEP)
        _until(lambda: len(database.execute(_READY, [goals]).fetchall()) == len(goals), "plans to decide")
        ready = database.execute(_READY, [goals]).fetchall()
    return [_Ready((HELD, BY_API)[number % 2], plan, digest) for number, (_, plan, digest) in enumerate(ready)]


def _until(done: Callable[[], bool], what: str) -> None:
    wait_until(done, what, within_s=_READY_S)


def _decide(
    running: Application, database: psycopg.Connection[Any], model: SlowModel, watch: _Watch, ready: _Ready
) -> None:
    """Make the decision and have it watched."""
    pending, planning, shadow_runs, _ = _now(database)
    decision = Decision(ready.kind, ready.plan, pending, planning, shadow_runs, model.thinking)
    watch.add(decision)
    try:
        if ready.kind == HELD:
            running.approve_on_page(ready.plan)
        else:
            running.approve(ready.plan, ready.digest)
    except Exception as error:  # any of the client's: the figure counts it as one without effect
        decision.refused = repr(error)
        return
    decision.made = _now(database)[3]
    if decision.due is None:  # the rows say so exactly, once they are seen
        decision.due = decision.made + timedelta(seconds=HOLD_S if ready.kind == HELD else 0)


def _now(database: psycopg.Connection[Any]) -> Any:
    return database.execute(_WAITING).fetchone()


class _Watch:
    """A thread that looks for the effects of decisions, and when a held one is due."""

    def __init__(self, running: Application, decisions: list[Decision]) -> None:
        self._running, self._decisions = running, decisions
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join(30)

    def add(self, decision: Decision) -> None:
        """Watch this one from now on."""
        self._decisions.append(decision)

    def is_open(self) -> bool:
        """Whether one has had no effect yet."""
        return any(one.effect is None and not one.refused for one in self._decisions)

    def _run(self) -> None:
        while not self._ending.is_set():
            with suppress(psycopg.Error), self._running.reading() as database:
                while not self._ending.wait(_LOOK_S):
                    self._look(database)
            self._ending.wait(1)

    def _look(self, database: psycopg.Connection[Any]) -> None:
        open_ones = {one.plan: one for one in list(self._decisions) if one.effect is None and not one.refused}
        if not open_ones:
            return
        for plan, is_decided, now, approved_at, due_at, started in database.execute(
            _LOOK, [list(open_ones)]
        ).fetchall():
            decision = open_ones[plan]
            if decision.kind == BY_API:
                decision.due, decision.effect = approved_at or decision.due, started
                continue
            decision.due = due_at or decision.due
            if is_decided:
                decision.effect = approved_at or now


def percentile(delays: list[float], share: float) -> float:
    """By the nearest rank: what never came about is infinite and cannot be interpolated."""
    return sorted(delays)[max(0, math.ceil(share * len(delays)) - 1)]
