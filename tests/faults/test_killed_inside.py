"""SIGKILL that lands inside a step: the outside ledger has seen it begin, and never sees it end."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import pytest

from tests.faults.ledger import Ledger, Visit
from tests.faults.oracle import at_most_once, everything_holds
from tests.faults.system import (
    ENDED,
    PATIENCE_S,
    Written,
    begun,
    end,
    finished,
    gone,
    lost_tries,
    more_hands,
    rows,
    started_at,
    submitted,
    worker_of,
    written,
)
from tests.faults.table import Case, Results
from tests.waiting import wait_until
from tests.whole.started import Whole, started

pytestmark = pytest.mark.xdist_group("whole")

# A third loss of one step would stop its plan, as it should: the poison has a case of its own.
KILLS_OF_A_STEP = 2


@dataclass
class Reaper:
    """Runs plans, some at a time, and ends workers inside their steps until it has ended enough.

    `strikes` says whether to strike, by how many tries of the step are lost already.
    """

    whole: Whole
    book: Ledger
    strikes: Callable[[int], bool]
    wanted: int
    kills: list[tuple[Written, int, int, float]] = field(default_factory=list)

    def run(self, plans: list[Written], *, at_a_time: int) -> None:
        """Every plan to its end."""
        waiting, running, looked_at = list(plans), list[Written](), 0
        deadline = time.monotonic() + PATIENCE_S
        while waiting or running:
            while waiting and len(running) < at_a_time:
                running.append(waiting.pop(0))
                self.whole.approve(running[-1].plan)
            visits = self.book.visits
            for visit in visits[looked_at:]:
                self._decide(visit, running)
                deadline = time.monotonic() + PATIENCE_S
            looked_at = len(visits)
            # Asked only once the last step has ended outside: a question costs the system more than the ledger does.
            running = [plan for plan in running if not self._is_over(plan)]
            assert time.monotonic() < deadline, f"nothing moves: {[self.whole.goal(plan.goal) for plan in running]}"
            time.sleep(0.02)

    def _decide(self, visit: Visit, running: list[Written]) -> None:
        plan = next(each for each in running if visit.key.startswith(f"{each.prefix}."))
        position = int(visit.key.rpartition(".")[2])
        # Not by visits: on a machine that stands still longer than a lease, a try is lost that no kill has cost.
        before = lost_tries(self.whole, plan.goal, position)
        if (
            len(self.kills) < self.wanted
            and before < KILLS_OF_A_STEP
            and self.strikes(before)
            and (pid := worker_of(self.whole, plan.goal)) is not None
        ):
            at = time.time()
            assert end(pid)
            wait_until(lambda: visit.closed, what="the end of what the worker ran")
            if visit.cut_off:  # else the kill came too late to count
                self.kills.append((plan, position, before + 2, at))
                return
        visit.go.set()

    def _is_over(self, plan: Written) -> bool:
        last = self.book.of(plan.key(len(plan.letters)))
        return any(visit.ended for visit in last) and self.whole.goal(plan.goal)["state"] in ENDED

    def takeovers(self) -> Iterator[float]:
        """Seconds from each kill to the beginning of the next try."""
        for plan, position, number, at in self.kills:
            next_try = started_at(self.whole, plan.goal, position, number)
            assert next_try is not None
            yield next_try - at


@contextmanager
def kept_waiting(whole: Whole, number: int) -> Iterator[None]:
    """Meanwhile about so many goals wait to be planned, and then for their dry runs."""
    over = threading.Event()

    def top_up() -> None:
        waiting = "SELECT count(*) FROM agents_goal WHERE state IN ('pending', 'planning')"
        while not over.is_set():
            missing = number - rows(whole, waiting)[0][0]
            if missing > number / 3:
                submitted(whole, missing)
            over.wait(2.0)

    thread = threading.Thread(target=top_up)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _kill_inside(
    whole: Whole, book: Ledger, chance: random.Random, case: Case, *, letters: str, kills: int, backlog: int = 0
) -> None:
    """So many kills, six plans at a time, more processes than plans so that somebody is idle, or could be."""
    plans = [written(whole, book, letters) for _ in range(max(3, kills // len(letters) + 2))]
    book.held = lambda visit: True
    # Often a second time too: a step that was taken over is not safer than the first.
    reaper = Reaper(whole, book, lambda before: chance.random() < (0.85, 0.4)[before], kills)
    try:
        with more_hands(whole, 6), kept_waiting(whole, backlog) if backlog else nullcontext():
            reaper.run(plans, at_a_time=6)
        case.landed = len(reaper.kills)
        broken = set()
        for plan in plans:
            try:
                everything_holds(whole, plan, book)
            except AssertionError:
                broken.add(plan.goal)
        case.survived = sum(plan.goal not in broken for plan, *_ in reaper.kills)
        times = sorted(reaper.takeovers())
        within = sum(each <= whole.lease_s + 2 for each in times)
        case.note = (
            f"{len(plans)} plans of {len(letters)} steps; taken over after {median(times):.2f} s (median),"
            f" {times[-1]:.2f} s (longest); {within} of {len(times)} within lease + 2 s"
        )
        assert not broken, broken
        assert case.landed == kills
    finally:
        book.held = lambda visit: False


def test_a_step_whose_worker_is_killed_in_it_counts_once(system: Whole, book: Ledger, results: Results) -> None:
    book.held = lambda visit: True
    with results.case("SIGKILL inside a step, the usual two processes") as case:
        plans = [written(system, book, "ab") for _ in range(2)]
        reaper = Reaper(system, book, lambda before: before == 0, wanted=2)
        reaper.run(plans, at_a_time=2)
        for plan in plans:
            everything_holds(system, plan, book)
        case.landed = case.survived = len(reaper.kills)
        assert case.landed == 2
        assert sum(visit.cut_off for visit in book.visits) >= 2


@pytest.mark.faults
def test_a_step_that_costs_three_workers_stops_its_plan_and_no_other(
    system: Whole, book: Ledger, results: Results
) -> None:
    with results.case("SIGKILL inside the same step, three times: the plan is stopped") as case:
        book.held = lambda visit: True
        poison = written(system, book, "a")
        system.approve(poison.plan)
        for number in range(3):
            begun(book, poison.key(1), times=number + 1)
            pid = worker_of(system, poison.goal)
            assert pid is not None
            assert end(pid)
            gone(pid)
            case.landed += 1
        goal = system.wait_for(poison.goal, "failed", "achieved", "manual", within=PATIENCE_S)
        assert goal["state"] == "failed"
        assert "worker_died_3_times" in goal["reason"]
        at_most_once(system, poison.goal)
        assert len(book.of(poison.key(1))) == 3
        book.held = lambda visit: False
        other = written(system, book)
        system.approve(other.plan)
        finished(system, other)
        everything_holds(system, other, book)
        case.survived = case.landed


@pytest.mark.faults
def test_190_kills_inside_steps_with_a_short_lease(
    system: Whole, book: Ledger, chance: random.Random, results: Results
) -> None:
    name = f"SIGKILL inside a step while 300 goals wait, lease {system.lease_s:g} s"
    with results.case(name) as case:
        _kill_inside(system, book, chance, case, letters="abcdefgh", kills=190, backlog=300)


@pytest.mark.faults
def test_10_kills_inside_steps_with_the_usual_lease(
    tmp_path: Path, book: Ledger, chance: random.Random, results: Results
) -> None:
    with (
        results.case("SIGKILL inside a step, lease 15 s") as case,
        started(tmp_path / "data", lease_s=15) as whole,
    ):
        _kill_inside(whole, book, chance, case, letters="ab", kills=10)
