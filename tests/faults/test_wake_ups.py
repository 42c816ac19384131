"""Messages are hints: doubled, lost, forged or ancient ones cause an attempt to claim and nothing else."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.faults import messages
from tests.faults.ledger import Ledger
from tests.faults.oracle import at_most_once, everything_holds
from tests.faults.system import PATIENCE_S, begun, broker, finished, masters, rows, written
from tests.faults.table import Results
from tests.waiting import wait_until
from tests.whole.started import Whole

pytestmark = pytest.mark.xdist_group("whole")

NOBODY = 2**62
NONSENSE = (b"", b"{", b"[]", b"null", b"7", b'"x"', b'{"args": 1}', b"[[], {}]", b"\xff\xfe", b"[" * 10_000)


def _idle(whole: Whole) -> bool:
    """Nothing waits for a worker and nothing is being worked on."""
    return broker(whole).llen(messages.QUEUE) == 0


def _settled(whole: Whole) -> list[int]:
    """The goals at which no worker has anything to do: others may be under way still from tests before."""
    found = rows(
        whole,
        "SELECT id FROM agents_goal WHERE lease_until IS NULL"
        " AND (state = 'manual' OR state IN ('achieved', 'failed', 'dropped') AND learned_at IS NOT NULL)",
    )
    return [goal for (goal,) in found]


def _what_counts(whole: Whole, goals: list[int]) -> list[tuple[Any, ...]]:
    """Everything that work leaves behind."""
    return rows(
        whole,
        "WITH of (goal_id) AS (SELECT unnest(%s::bigint[])) SELECT"
        " (SELECT count(*) FROM agents_transition JOIN of USING (goal_id)),"
        " (SELECT count(*) FROM agents_plan JOIN of USING (goal_id)),"
        " (SELECT count(*) FROM agents_intentplan JOIN of USING (goal_id)),"
        " (SELECT count(*) FROM agents_attempt attempt JOIN agents_intent intent ON intent.id = attempt.intent_id"
        "   JOIN agents_intentplan plan ON plan.id = intent.intent_plan_id JOIN of USING (goal_id)),"
        " (SELECT count(*) FROM agents_shadowrun run JOIN agents_intentplan plan ON plan.id = run.intent_plan_id"
        "   JOIN of USING (goal_id)),"
        " (SELECT count(*) FROM library_experience JOIN of ON goal_ref = of.goal_id::text AND part = ''),"
        " (SELECT count(*) FROM agents_handcommand)",
        goals,
    )


def test_wake_ups_doubled_forged_foreign_and_ancient_do_nothing(
    system: Whole, book: Ledger, results: Results, tmp_path: Path
) -> None:
    with results.case("wake-ups: forged, foreign, ancient, nonsense, pickles") as case:
        ancient = written(system, book, "a")
        system.approve(ancient.plan)
        finished(system, ancient)
        # Its run becomes experience after it has ended, by the same worker: what counts is counted when that is done.
        wait_until(lambda: int(ancient.goal) in _settled(system), within=PATIENCE_S, what="a run that was learned from")
        settled = _settled(system)
        before, workers = _what_counts(system, settled), masters(system)
        sent = 0
        for task in ("agents.work", "agents.shadow", "agents.typed_command"):
            for number in (int(ancient.goal), NOBODY, -1, 0, "1; DROP TABLE agents_goal", None, 1.5, [1], {"a": 1}):
                messages.send(system, task, number)
                sent += 1
        messages.send(system, "agents.work", 1, 2, 3)
        messages.send(system, "agents.work", goal="x")
        messages.send(system, "os.system", "true")
        messages.send(system, "agents.record.moves.move_goal", int(ancient.goal), "failed")
        for body in NONSENSE:
            messages.send_bytes(system, body)
        for name in ("one", "two"):
            messages.send_pickle(system, tmp_path / name)
        case.landed = sent + 4 + len(NONSENSE) + 2
        wait_until(lambda: _idle(system), within=PATIENCE_S, what="an empty queue")
        # Whoever took the last of them has looked at all of them: the queue is in order, and this plan comes after.
        after = written(system, book)
        system.approve(after.plan)
        finished(system, after)
        everything_holds(system, after, book)
        everything_holds(system, ancient, book)
        assert _what_counts(system, settled) == before, "only the plan that was approved left anything behind"
        since = rows(system, "SELECT id FROM agents_goal WHERE id > %s", max(settled))
        assert since == [(int(after.goal),)]
        assert masters(system) == workers, "no worker ended"
        assert list(tmp_path.iterdir()) == [], "no pickle was read"
        case.survived = case.landed


@pytest.mark.faults
def test_bytes_in_the_queue_that_are_no_message_at_all_end_no_worker(
    system: Whole, book: Ledger, results: Results
) -> None:
    with results.case("bytes in Redis' queue that are no message at all") as case:
        workers = masters(system)
        for nonsense in (b"", b"\x80\x04", b"{}"):
            broker(system).lpush(messages.QUEUE, nonsense)
            case.landed += 1
        plan = written(system, book)
        system.approve(plan.plan)
        finished(system, plan)
        everything_holds(system, plan, book)
        assert masters(system) == workers, "no worker ended"
        case.note = "forgotten and logged; no worker ends"
        case.survived = case.landed


@pytest.mark.faults
def test_a_wake_up_that_comes_ten_times_runs_a_plan_once(system: Whole, book: Ledger, results: Results) -> None:
    with results.case("wake-up sent ten times, before and while the plan runs") as case:
        for _ in range(10):
            book.held = lambda visit: True
            plan = written(system, book)
            system.approve(plan.plan)
            for _ in range(10):
                messages.send(system, "agents.work", int(plan.goal))
            begun(book, plan.key(1))
            for _ in range(10):
                messages.send(system, "agents.work", int(plan.goal))
            wait_until(lambda: _idle(system), within=PATIENCE_S, what="an empty queue")
            case.landed += 1
            book.held = lambda visit: False
            for visit in book.visits:
                visit.go.set()
            system.wait_for(plan.goal, "achieved", "failed", within=PATIENCE_S)
            everything_holds(system, plan, book)
            assert len(book.of(plan.key(1))) == 1
            case.held()


@pytest.mark.faults
def test_a_wake_up_that_was_never_sent_costs_a_sweep(system: Whole, book: Ledger, results: Results) -> None:
    with results.case("wake-up never sent (Redis refuses every message while people approve)") as case:
        delays = []
        for _ in range(10):
            plan = written(system, book, "a")
            redis = broker(system)
            redis.execute_command("ACL", "SETUSER", "default", "-lpush", "-publish", "-zadd")
            try:
                system.approve(plan.plan)
                assert system.goal(plan.goal)["state"] == "awaiting_review"
                assert not book.of(plan.key(1))
            finally:
                redis.execute_command("ACL", "SETUSER", "default", "+@all")
            possible = time.time()
            case.landed += 1
            system.wait_for(plan.goal, "achieved", "failed", within=PATIENCE_S)
            everything_holds(system, plan, book)
            delays.append(book.of(plan.key(1))[0].began - possible)
            case.held()
        case.note = (
            f"first step {median(delays):.2f} s after Redis took messages again (median), {max(delays):.2f} s (longest)"
        )


@pytest.mark.faults
def test_a_goal_cancelled_between_doubled_wake_ups_ends_once(system: Whole, book: Ledger, results: Results) -> None:
    with results.case("wake-up sent ten times for a goal that is being cancelled") as case:
        book.held = lambda visit: True
        plan = written(system, book)
        system.approve(plan.plan)
        begun(book, plan.key(1))
        for _ in range(5):
            messages.send(system, "agents.work", int(plan.goal))
        system.api.post(f"goals/{plan.goal}/cancel").raise_for_status()
        for _ in range(5):
            messages.send(system, "agents.work", int(plan.goal))
        case.landed += 1
        system.wait_for(plan.goal, "dropped", within=PATIENCE_S)
        at_most_once(system, plan.goal)
        case.held()
