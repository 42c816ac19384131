"""Redis and Postgres that lose everything, are away, start again and again, or answer late."""

from __future__ import annotations

import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest

from tests.faults.held import Point, held
from tests.faults.ledger import Ledger
from tests.faults.messages import QUEUE
from tests.faults.oracle import at_most_once, everything_holds
from tests.faults.system import (
    PATIENCE_S,
    Written,
    begun,
    broker,
    finished,
    hands,
    masters,
    more_hands,
    part,
    passed,
    rows,
    stopped,
    written,
)
from tests.faults.table import Results
from tests.supervisor.processes import descendants
from tests.waiting import wait_until
from tests.whole.started import Whole

POSTGRES = "bin/postgres"
PLANS = 30

pytestmark = [pytest.mark.xdist_group("whole"), pytest.mark.faults]

# Submitted and approved by the product's own services, without five hundred times three requests.
_MANY = """
from django.db import transaction
from agents.models import Goal
from agents.goals import goals
from agents.plans import proposals
from agents.record.moves import move_goal
from agents.states import GoalState
from people.models import User
from review.deciding import decisions
admin = User.objects.get(username="admin")
step = {"tool": "simple_coder", "command": "write", "params": {"path": "done", "content": "x"}}
for number in range(%d):
    goal = goals.submit(by=admin, text=f"Reconcile the books of year {number}")
    draft, problems = proposals.draft_by_hand(goal, [step], [], by=admin)
    assert not problems, problems
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
        move_goal(goal, GoalState.PLANNING, by="faults")
        plan = proposals.propose(goal, draft, by=admin)
    decisions.approve(plan, by=admin, digest=plan.digest, via="api")
    print(goal.pk)
"""


def many_approved(whole: Whole, number: int) -> list[str]:
    """So many goals with an approved plan of one step each."""
    shells = 4
    with ThreadPoolExecutor(shells) as pool:
        said = list(pool.map(lambda _: whole.running.manage("shell", "-c", _MANY % (number // shells)), range(shells)))
    # Whole lines: Django's shell says how many objects it has imported.
    return [line for each in said for line in each.splitlines() if line.isdigit()]


def all_achieved(whole: Whole, goals: list[str], within: float) -> None:
    """Wait until every one of them is achieved and remembered."""
    numbers = [int(goal) for goal in goals]
    wait_until(
        lambda: rows(
            whole, "SELECT count(*) FROM agents_goal WHERE id = ANY(%s) AND learned_at IS NOT NULL", numbers
        ) == [(len(numbers),)],
        within=within,
        what="every goal ended",
    )  # fmt: skip
    states = rows(whole, "SELECT state, count(*) FROM agents_goal WHERE id = ANY(%s) GROUP BY 1", numbers)
    assert states == [("achieved", len(numbers))]


def test_redis_loses_everything_while_500_approved_plans_wait(system: Whole, results: Results) -> None:
    with results.case("Redis FLUSHALL with 500 approved plans waiting") as case:
        with stopped(*masters(system), *hands(*masters(system))):
            goals = many_approved(system, 500)
            approved = rows(
                system,
                "SELECT count(*) FROM agents_intentplan WHERE state = 'approved' AND goal_id = ANY(%s)",
                [int(goal) for goal in goals],
            )
            assert approved == [(500,)]
            lost = broker(system).llen(QUEUE)
            assert lost, "there are wake-ups to be lost"
            assert broker(system).flushall()
            case.landed = 1
        began = time.monotonic()
        with more_hands(system, 2):
            all_achieved(system, goals, within=400)
        took = time.monotonic() - began
        at_most_once(system, *goals)
        case.note = f"{lost} messages lost; all 500 achieved {took:.0f} s later, none twice"
        case.held()


def test_redis_is_away_for_half_a_minute(system: Whole, book: Ledger, results: Results) -> None:
    with results.case("Redis away for 30 s while a plan runs and another is approved") as case:
        book.held = lambda visit: True
        first, second = written(system, book), written(system, book)
        system.approve(first.plan)
        begun(book, first.key(1))
        with stopped(part(system, "valkey-server")):
            gone = time.monotonic()
            system.approve(second.plan)
            book.held = lambda visit: False
            for visit in book.visits:
                visit.go.set()
            system.wait_for(first.goal, "achieved", "failed", within=29)
            case.note = f"the plan that ran ended {time.monotonic() - gone:.1f} s into the outage"
            passed(max(0, 30 - (time.monotonic() - gone)))
            case.landed += 1
        for plan in (first, second):
            finished(system, plan)
            everything_holds(system, plan, book)
        case.held()


def _postgres_answers(whole: Whole) -> bool:
    with suppress(Exception):
        return rows(whole, "SELECT 1") == [(1,)]
    return False


def _is_shown(whole: Whole, plan: Written) -> bool:
    answer = whole.api.get(f"goals/{plan.goal}")
    assert answer.status_code in (200, 503), answer.text
    return answer.status_code == 200


def _approve_when_it_answers(whole: Whole, plan: Written) -> None:
    """Approve it as people do: who reads that the database does not answer tries again. Refused with 409, it was
    approved the time before, and only the reply was lost.
    """

    def is_approved() -> bool:
        answer = whole.api.post(f"intent-plans/{plan.plan['id']}/approve", json={"digest": plan.plan["digest"]})
        assert answer.status_code in (202, 409, 503), answer.text
        return answer.status_code != 503

    wait_until(is_approved, within=PATIENCE_S, what="the approval taken")


def test_postgres_starts_again_and_again_for_five_minutes(
    system: Whole, book: Ledger, chance: random.Random, results: Results
) -> None:
    with results.case("Postgres immediate restart every 5 to 40 s for 5 minutes, under running plans") as case:
        plans = [written(system, book, "abcdef") for _ in range(PLANS)]
        waiting = list(plans)
        until = time.monotonic() + 300
        while time.monotonic() < until:
            strike = min(until, time.monotonic() + chance.uniform(5, 40))
            while time.monotonic() < strike:
                if waiting and len(plans) - len(waiting) < PLANS * (1 - (until - time.monotonic()) / 300) + 1:
                    _approve_when_it_answers(system, waiting.pop())
                time.sleep(0.1)
            server = system.running.part(POSTGRES)
            if server is not None:
                os.kill(server, signal.SIGQUIT)  # Postgres' immediate shutdown: no checkpoint, recovery at the start
                case.landed += 1
            wait_until(lambda: _postgres_answers(system), within=PATIENCE_S, what="Postgres answering")
        for plan in waiting:
            _approve_when_it_answers(system, plan)
        # Postgres is back before the web process has noticed: until then it says that the database does not answer.
        wait_until(lambda: _is_shown(system, plans[0]), within=PATIENCE_S, what="the web process answering")
        for plan in plans:
            finished(system, plan)
            everything_holds(system, plan, book)
        case.survived = case.landed
        case.note = f"{PLANS} plans of 6 steps, all achieved, each step once"


def test_a_slow_database_is_no_reason_to_take_over(system: Whole, book: Ledger, results: Results) -> None:
    with results.case("slow database: a step's last statement takes three leases") as case, more_hands(system, 2):
        for _ in range(3):
            plan = written(system, book)
            point = Point("", "agents_intentplan", f"NEW.goal_id = {plan.goal} AND NEW.position > OLD.position")
            with held(system, point) as hold:
                system.approve(plan.plan)
                hold.wait()
                passed(3 * system.lease_s)
                assert len(hold.waiting()) == 1
                case.landed += 1
                hold.release()
            finished(system, plan)
            everything_holds(system, plan, book)
            assert {len(book.of(plan.key(number))) for number in (1, 2)} == {1}, "nobody took it over"
            case.held()


def _lease_until(whole: Whole, goal: str) -> object:
    return rows(whole, "SELECT lease_until FROM agents_goal WHERE id = %s", int(goal))


def _renewed_since(whole: Whole, goal: str, until: object) -> bool:
    return _lease_until(whole, goal) != until


def test_a_database_that_stands_still_for_less_than_a_lease_is_no_reason_either(
    system: Whole, book: Ledger, results: Results
) -> None:
    with results.case("slow database: everything stands still for half a lease, ten times") as case:
        book.held = lambda visit: True
        plan = written(system, book)
        system.approve(plan.plan)
        begun(book, plan.key(1))
        server = system.running.part(POSTGRES)
        assert server is not None
        with more_hands(system, 2):
            for _ in range(10):
                with stopped(server, also=descendants(server)):
                    passed(system.lease_s / 2)
                    case.landed += 1
                until = _lease_until(system, plan.goal)
                wait_until(partial(_renewed_since, system, plan.goal, until), what="the lease to be renewed")
            book.held = lambda visit: False
            for visit in book.visits:
                visit.go.set()
            finished(system, plan)
        everything_holds(system, plan, book)
        assert len(book.of(plan.key(1))) == 1, "nobody took it over"
        case.survived = case.landed
