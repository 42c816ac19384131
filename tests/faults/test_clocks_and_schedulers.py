"""Clocks that are wrong, a scheduler that is dead, and two of them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.faults.ledger import Ledger
from tests.faults.oracle import everything_holds
from tests.faults.system import (
    begun,
    beside_worker,
    end,
    finished,
    gone,
    hands,
    masters,
    more_hands,
    rows,
    started_at,
    stopped,
    worker_of,
    written,
)
from tests.faults.table import Results
from tests.supervisor.processes import lives
from tests.whole.started import Whole

pytestmark = [pytest.mark.xdist_group("whole"), pytest.mark.faults]


@pytest.mark.parametrize("offset", ["+1h", "-1h"])
@pytest.mark.parametrize("alone", [False, True], ids=["beside a right one", "alone"])
def test_a_worker_whose_clock_is_an_hour_off(
    system: Whole, book: Ledger, results: Results, faketime: Path, offset: str, alone: bool
) -> None:
    # A worker whose clock is ahead throws others' messages away as expired: beside a right one it may get no plan
    # at all. Each plan must run to its end all the same, once.
    name = f"worker's clock {offset} off, {'alone' if alone else 'beside one that is right'}"
    shifted = {"LD_PRELOAD": str(faketime), "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    # A busy machine may stand still for longer than the short lease; an hour is more than the usual one too.
    shifted["MINDX_LEASE_S"] = "15"
    right = [*masters(system), *hands(*masters(system))] if alone else []
    with results.case(name) as case, more_hands(system, 2, **shifted) as wrong, stopped(*right):
        by_it = 0
        for _ in range(6):
            book.held = lambda visit: True
            plan = written(system, book)
            system.approve(plan.plan)
            begun(book, plan.key(1))
            worker = worker_of(system, plan.goal)
            book.held = lambda visit: False
            for visit in book.visits:
                visit.go.set()
            finished(system, plan)
            everything_holds(system, plan, book)
            if worker in hands(wrong):
                by_it += 1
                assert all(len(book.of(plan.key(number))) == 1 for number in (1, 2)), "nobody took it over"
            case.landed += 1
            case.held()
        case.note = f"{by_it} of 6 plans were run by the worker whose clock is wrong"
        assert lives(wrong)
        assert by_it == 6 or not alone


def test_a_dead_worker_is_taken_over_while_the_scheduler_is_dead(system: Whole, book: Ledger, results: Results) -> None:
    name = "scheduler and a worker's process killed at once: both are replaced, and the plan goes on"
    with results.case(name) as case:
        times = []
        for _ in range(3):
            book.held = lambda visit: True
            plan = written(system, book)
            system.approve(plan.plan)
            begun(book, plan.key(1))
            pid = worker_of(system, plan.goal)
            assert pid is not None
            at = time.time()
            for scheduler in beside_worker("mindx-scheduler", *masters(system)):
                assert end(scheduler)
            assert end(pid)
            gone(pid)
            case.landed += 1
            begun(book, plan.key(1), times=2)
            next_try = started_at(system, plan.goal, 1, 2)
            assert next_try is not None
            times.append(next_try - at)
            book.held = lambda visit: False
            for visit in book.visits:
                visit.go.set()
            finished(system, plan)
            everything_holds(system, plan, book)
            case.held()
        # What swept has gone with its duty, which another may have after four seconds.
        case.note = f"taken over after {max(times):.2f} s (longest)"


def test_two_schedulers_do_everything_once(system: Whole, book: Ledger, results: Results) -> None:
    with results.case("two workers with a scheduler each: one does each duty") as case, more_hands(system, 2) as second:
        own = beside_worker("mindx-scheduler", *masters(system), second)
        assert len(own) == 2
        plans = [written(system, book) for _ in range(20)]
        for plan in plans:
            system.approve(plan.plan)
        for plan in plans:
            finished(system, plan)
        held = rows(system, "SELECT name, holder FROM agents_duty WHERE until > clock_timestamp()")
        assert {name for name, _ in held} >= {"decisions", "sweep", "review sweep"}
        assert all(int(holder.split("-")[-2]) in own for name, holder in held if name != "upkeep")
        case.landed = len(plans)
        for plan in plans:
            everything_holds(system, plan, book)
            assert all(len(book.of(plan.key(number))) == 1 for number in (1, 2))
            case.held()


@pytest.fixture
def faketime(request: pytest.FixtureRequest) -> Path:
    """libfaketime, Debian's package of this name; only this case wants it."""
    given = request.config.getoption("--faults-faketime", default=None)
    known = [Path(given)] if given else sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    if not known or not os.access(known[0], os.R_OK):
        pytest.skip("libfaketime is not here (apt-get install libfaketime, or --faults-faketime PATH)")
    return known[0]
