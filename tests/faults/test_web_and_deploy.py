"""The web process killed between a commit and its message, and a deploy in the middle of work."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.faults.held import Point, held
from tests.faults.ledger import Ledger
from tests.faults.oracle import at_most_once, everything_holds
from tests.faults.system import PATIENCE_S, end, finished, part, rows, written
from tests.faults.table import Results
from tests.waiting import wait_until
from tests.whole.started import Whole, started

pytestmark = [pytest.mark.xdist_group("whole"), pytest.mark.faults]


def _in_the_background(whole: Whole, address: str, body: dict[str, object]) -> threading.Thread:
    """A request whose answer never comes, by a client of its own."""

    def ask() -> None:
        with suppress(httpx.HTTPError), httpx.Client(headers=whole.api.headers, timeout=60) as client:
            client.post(f"{whole.api.base_url}{address}", json=body)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    return thread


def _web_answers(whole: Whole) -> bool:
    with suppress(httpx.HTTPError):
        return whole.api.get("goals?limit=1").status_code == 200
    return False


def _end_the_web_at(whole: Whole, point: Point, address: str, body: dict[str, object]) -> None:
    """Kill it when the commit has been asked for; the database commits, and nobody sends anything."""
    with held(whole, point) as hold:
        asking = _in_the_background(whole, address, body)
        hold.wait()
        assert end(part(whole, "uvicorn"))
        hold.release()
    asking.join(timeout=60)
    wait_until(lambda: _web_answers(whole), within=PATIENCE_S, what="the web part back")


def test_the_web_is_killed_between_an_approval_and_its_message(system: Whole, book: Ledger, results: Results) -> None:
    with results.case("web killed between the commit of an approval and its message") as case:
        for _ in range(3):
            plan = written(system, book)
            approved = Point(
                "", "agents_intentplan", "NEW.state = 'approved' AND OLD.state <> 'approved'", at_commit=True
            )
            address = f"intent-plans/{plan.plan['id']}/approve"
            _end_the_web_at(system, approved, address, {"digest": plan.plan["digest"]})
            case.landed += 1
            finished(system, plan)
            everything_holds(system, plan, book)
            case.held()


def test_the_web_is_killed_between_a_goal_and_its_message(system: Whole, results: Results) -> None:
    with results.case("web killed between the commit of a new goal and its message") as case:
        text = f"Reconcile the ledger of {time.monotonic_ns()}"
        _end_the_web_at(system, Point("", "agents_goal", event="INSERT", at_commit=True), "goals", {"text": text})
        case.landed += 1
        found = rows(system, "SELECT id FROM agents_goal WHERE text = %s", text)
        assert len(found) == 1
        system.wait_for(str(found[0][0]), "manual", within=PATIENCE_S)
        case.held()


def test_a_deploy_under_a_hundred_approved_plans(tmp_path: Path, book: Ledger, results: Results) -> None:
    with results.case("deploy: SIGTERM to everything with 100 plans under way, then a new start") as case:
        with started(tmp_path / "data", lease_s=2) as first:
            plans = [written(first, book, "abc") for _ in range(100)]
            book.held = lambda visit: len(book.visits) >= 20
            for plan in plans:
                first.approve(plan.plan)
            wait_until(lambda: any(not visit.go.is_set() for visit in book.visits), within=PATIENCE_S, what="a step")
            open_plans = rows(first, "SELECT count(*) FROM agents_intentplan WHERE state IN ('approved', 'executing')")
            case.landed = int(open_plans[0][0])
            at = time.monotonic()
            first.running.process.send_signal(signal.SIGTERM)
            first.running.process.wait(timeout=60)
            stop_s = time.monotonic() - at
        book.held = lambda visit: False
        for visit in book.visits:
            visit.go.set()
        with started(tmp_path / "data", lease_s=2) as second:
            for plan in plans:
                second.wait_for(plan.goal, "achieved", "failed", "dropped", "manual", within=300)
            for plan in plans:
                finished(second, plan)
                everything_holds(second, plan, book)
                at_most_once(second, plan.goal)
            case.survived = case.landed
            again = sum(len(book.of(plan.key(number))) > 1 for plan in plans for number in (1, 2, 3))
            case.note = f"stopped after {stop_s:.1f} s; {again} of 300 steps were under way and ran again"
