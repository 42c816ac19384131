"""Memory after ordinary goals, and what idleness costs."""

from __future__ import annotations

import time
from dataclasses import dataclass

from benchmarks.backlog import processes
from benchmarks.backlog.application import Application, wait_until
from benchmarks.backlog.processes import Held

_GOALS_S = 900.0
_ASKED_GOALS = 8
# Longer than every period of the schedule that is shorter than a minute: what the last goal left is tidied up.
_SETTLE_S = 35.0
# A goal that awaits review has nothing more to wait for when its dry run has ended.
_TO_APPROVE = """
SELECT plan.id, plan.digest FROM agents_intentplan plan
WHERE plan.state = 'awaiting_review' AND NOT EXISTS (
    SELECT FROM agents_shadowrun run WHERE run.intent_plan_id = plan.id AND run.state IN ('waiting', 'running'))
"""


@dataclass(frozen=True)
class Memory:
    """What is held after the goals, processor time while idle, what is held after a model was asked; each by role."""

    goals: int
    after: dict[str, Held]
    idle_s: float
    idle_used_s: dict[str, float]
    after_model: dict[str, Held]


def measure(running: Application, goals: int, idle_s: float) -> Memory:
    """Run the goals, look, be idle, look again; then have the model asked for some goals, and look once more."""
    for number in range(goals):
        running.submit(f"create a python project named ordinary{number}", f"ordinary{number}")
    _approve_all(running, goals)
    time.sleep(_SETTLE_S)
    after, before = processes.held(running.supervisor), processes.used_s(running.supervisor)
    began = time.monotonic()
    time.sleep(idle_s)
    used = processes.used_s(running.supervisor)
    took_s = time.monotonic() - began
    idle_used = {role: seconds - before.get(role, 0.0) for role, seconds in used.items()}
    for number in range(_ASKED_GOALS):
        running.submit(f"Reconcile the ledger of branch {number}", f"asked{number}")
    _wait_for(running, "SELECT count(*) FROM agents_goal WHERE state = 'manual'", _ASKED_GOALS, "the model's goals")
    time.sleep(_SETTLE_S)
    return Memory(goals, after, took_s, idle_used, processes.held(running.supervisor))


def _approve_all(running: Application, goals: int) -> None:
    """Approve every plan once its dry run has ended, until all goals are achieved and remembered."""
    ended = "SELECT count(*) FROM agents_goal WHERE state = 'achieved' AND learned_at IS NOT NULL"
    approved: set[int] = set()
    with running.reading() as database:

        def is_done() -> bool:
            for plan, digest in database.execute(_TO_APPROVE).fetchall():
                if plan not in approved:
                    running.approve(plan, digest)
                    approved.add(plan)
            row = database.execute(ended).fetchone()
            return row is not None and row[0] >= goals

        wait_until(is_done, f"{goals} goals to be achieved", within_s=_GOALS_S)


def _wait_for(running: Application, count: str, wanted: int, what: str) -> None:
    with running.reading() as database:

        def is_done() -> bool:
            row = database.execute(count).fetchone()
            return row is not None and row[0] >= wanted

        wait_until(is_done, what, within_s=_GOALS_S)
