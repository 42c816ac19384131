"""SIGSTOP past the lease, then CONT: a worker that was away reports late, and is refused."""

from __future__ import annotations

import os
import signal
from functools import partial

import pytest

from tests.faults.ledger import Ledger
from tests.faults.oracle import everything_holds
from tests.faults.system import PATIENCE_S, begun, more_hands, rows, worker_of, written
from tests.faults.table import Results
from tests.waiting import wait_until
from tests.whole.started import Whole

pytestmark = [pytest.mark.xdist_group("whole"), pytest.mark.faults]


def _said_of_going_on_elsewhere(whole: Whole, goal: str) -> int:
    logs = (whole.running.data / "log").glob("*.log")
    return sum(f"Goal {goal} went on elsewhere" in log.read_text(errors="replace") for log in logs)


@pytest.mark.parametrize("back", ["while the next worker runs the step", "after the next worker has finished the plan"])
def test_a_worker_that_was_stopped_past_its_lease_is_refused(
    system: Whole, book: Ledger, results: Results, back: str
) -> None:
    with results.case(f"SIGSTOP past the lease, CONT {back}") as case, more_hands(system, 2):
        for _ in range(3):
            book.held = lambda visit: True
            plan = written(system, book)
            first_step = plan.key(1)
            system.approve(plan.plan)
            begun(book, first_step)
            away = worker_of(system, plan.goal)
            assert away is not None
            os.kill(away, signal.SIGSTOP)
            try:
                begun(book, first_step, times=2)
                late, taken_over = book.of(first_step)
                assert not late.ended
                case.landed += 1
                if back.startswith("after"):
                    book.held = lambda visit: False
                    taken_over.go.set()
                    system.wait_for(plan.goal, "achieved", "failed", within=PATIENCE_S)
                late.go.set()
            finally:
                os.kill(away, signal.SIGCONT)
            wait_until(
                partial(_said_of_going_on_elsewhere, system, plan.goal),
                within=PATIENCE_S,
                what="the late worker to be told",
            )
            book.held = lambda visit: False
            taken_over.go.set()
            system.wait_for(plan.goal, "achieved", "failed", within=PATIENCE_S)
            for visit in book.visits:
                visit.go.set()
            everything_holds(system, plan, book)
            outcomes = rows(
                system,
                "SELECT attempt.outcome FROM agents_attempt attempt JOIN agents_intent intent"
                " ON intent.id = attempt.intent_id JOIN agents_intentplan plan ON plan.id = intent.intent_plan_id"
                " WHERE plan.goal_id = %s AND intent.position = 1 ORDER BY attempt.number",
                int(plan.goal),
            )
            assert outcomes == [("lost",), ("succeeded",)]
            case.held()
