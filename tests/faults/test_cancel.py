"""Cancelling in every state, and steps that do not want to end or take more memory than there is."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.faults.held import Point, held
from tests.faults.ledger import Ledger
from tests.faults.oracle import at_most_once, everything_holds
from tests.faults.system import (
    PATIENCE_S,
    begun,
    end_all_hands,
    finished,
    hands,
    masters,
    pause,
    rows,
    worker_of,
    written,
)
from tests.faults.table import Results
from tests.supervisor.processes import holding
from tests.waiting import wait_until
from tests.whole.started import Whole

pytestmark = [pytest.mark.xdist_group("whole"), pytest.mark.faults]

ADVANCE = Point("a step's last statement", "agents_intentplan", "NEW.position > OLD.position")


def program(line: str, *words: str) -> dict[str, Any]:
    """A step that runs a line of Python."""
    params = {"command_line": " ".join([f"python -c '{line}'", *words]), "timeout_s": 120}
    return {"tool": "simple_coder", "command": "run", "params": params}


def _submitted(whole: Whole, **more: Any) -> str:
    body = {"text": f"Reconcile the ledger of {time.monotonic_ns()}", **more}
    return str(whole.api.post("goals", json=body).raise_for_status().json()["id"])


@contextmanager
def _pending(whole: Whole, book: Ledger) -> Iterator[str]:
    with paused(whole):
        yield _submitted(whole)


@contextmanager
def _blocked(whole: Whole, book: Ledger) -> Iterator[str]:
    first = _submitted(whole)
    yield _submitted(whole, depends_on=[first])
    whole.api.post(f"goals/{first}/cancel").raise_for_status()


@contextmanager
def _planning(whole: Whole, book: Ledger) -> Iterator[str]:
    """Adopted, and its worker is stopped before it has looked around; it goes on when the goal has ended."""
    adopted = Point("", "agents_goal", "OLD.state = 'pending' AND NEW.state = 'planning'", at_commit=True)
    with held(whole, adopted) as hold:
        goal = _submitted(whole)
        hold.wait()
        processes = hands(*masters(whole))
        for pid in processes:
            os.kill(pid, signal.SIGSTOP)
        hold.release()
        try:
            whole.wait_for(goal, "planning", within=PATIENCE_S)
            yield goal
        finally:
            for pid in processes:
                os.kill(pid, signal.SIGCONT)


@contextmanager
def _awaiting_review(whole: Whole, book: Ledger) -> Iterator[str]:
    yield written(whole, book).goal


@contextmanager
def _approved(whole: Whole, book: Ledger) -> Iterator[str]:
    plan = written(whole, book)
    with paused(whole):
        whole.approve(plan.plan)
        yield plan.goal


@contextmanager
def _executing(whole: Whole, book: Ledger) -> Iterator[str]:
    plan = written(whole, book)
    book.held = lambda visit: True
    whole.approve(plan.plan)
    begun(book, plan.key(1))
    yield plan.goal


@contextmanager
def _executing_without_its_worker(whole: Whole, book: Ledger) -> Iterator[str]:
    with _executing(whole, book) as goal:
        pid = worker_of(whole, goal)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        yield goal


@contextmanager
def _recovering(whole: Whole, book: Ledger) -> Iterator[str]:
    goal, plan = whole.plan_by_hand(program("raise SystemExit(3)"))
    whole.approve(plan)
    whole.wait_for(goal, "recovering", within=PATIENCE_S)
    yield goal


@contextmanager
def _manual(whole: Whole, book: Ledger) -> Iterator[str]:
    goal = _submitted(whole)
    whole.wait_for(goal, "manual", within=PATIENCE_S)
    yield goal


@contextmanager
def _outcome_unknown(whole: Whole, book: Ledger) -> Iterator[str]:
    yield crashed_in_a_step_that_runs_once(whole)[0]


STATES = {
    "pending": _pending,
    "blocked": _blocked,
    "planning": _planning,
    "awaiting review": _awaiting_review,
    "approved": _approved,
    "executing": _executing,
    "executing, worker dead": _executing_without_its_worker,
    "recovering": _recovering,
    "manual": _manual,
    "outcome unknown": _outcome_unknown,
}


@contextmanager
def paused(whole: Whole) -> Iterator[None]:
    """Every agent paused."""
    pause(whole, "pause")
    try:
        yield
    finally:
        pause(whole, "resume")


def crashed_in_a_step_that_runs_once(whole: Whole, command: str = "start") -> tuple[str, str]:
    """A goal whose worker died in a step of effect `once` (`start` or `stop`), and the id of that step."""
    mark = f"once-{time.monotonic_ns()}"
    idle = {"name": "idle", "command_line": f"python -c 'import time; time.sleep(600)' {mark}"}
    once = [{"tool": "simple_coder", "command": "start", "params": idle}]
    if command == "stop":
        once.append({"tool": "simple_coder", "command": "stop", "params": {"name": "idle"}})
    after = {"tool": "simple_coder", "command": "write", "params": {"path": "after", "content": "x"}}
    goal, plan = whole.plan_by_hand(*once, after)
    inside = f"{ADVANCE.when} AND NEW.goal_id = {goal} AND OLD.position = {len(once)}"
    with held(whole, replace(ADVANCE, when=inside)) as hold:
        whole.approve(plan)
        hold.wait()
        assert bool(holding(mark)) == (command == "start"), "it took effect, and the database never heard of it"
        end_all_hands(whole)
        hold.end()
    whole.wait_for(goal, "manual", within=PATIENCE_S)
    return goal, plan["intents"][len(once) - 1]["id"]


@pytest.mark.parametrize("state", STATES)
def test_a_goal_is_cancelled_in_every_state(system: Whole, book: Ledger, results: Results, state: str) -> None:
    with results.case(f"cancelled while {state}") as case:
        with STATES[state](system, book) as goal:
            at = time.monotonic()
            system.api.post(f"goals/{goal}/cancel").raise_for_status()
            case.landed += 1
            system.wait_for(goal, "dropped", within=PATIENCE_S)
            case.note = f"dropped after {time.monotonic() - at:.2f} s"
        assert system.goal(goal)["reason"] == "cancelled_by_person"
        again = system.api.post(f"goals/{goal}/cancel")
        assert again.status_code == 409
        wait_until(
            lambda: rows(system, "SELECT 1 FROM agents_goal WHERE id = %s AND learned_at IS NOT NULL", int(goal)),
            within=PATIENCE_S,
            what="the last turn of the goal",
        )
        assert system.goal(goal)["state"] == "dropped"
        at_most_once(system, goal)
        case.held()


@pytest.mark.parametrize("state", ["achieved", "failed", "dropped"])
def test_what_has_ended_is_not_cancelled(system: Whole, book: Ledger, results: Results, state: str) -> None:
    with results.case(f"cancelled when {state} already") as case:
        if state == "dropped":
            goal = _submitted(system)
            system.api.post(f"goals/{goal}/cancel").raise_for_status()
        elif state == "failed":
            goal, intent = crashed_in_a_step_that_runs_once(system)
            system.api.post(f"intents/{intent}/outcome", json={"outcome": "failed"}).raise_for_status()
        else:
            goal, plan = system.plan_by_hand(program(""))
            system.approve(plan)
        system.wait_for(goal, state, within=PATIENCE_S)
        answer = system.api.post(f"goals/{goal}/cancel")
        assert answer.status_code == 409
        case.landed += 1
        assert system.goal(goal)["state"] == state
        case.held()


def _is_up(whole: Whole, goal: str) -> bool:
    return whole.log(goal).count("up") >= 3


def _nothing_left(mark: str) -> bool:
    return not holding(mark)


def test_a_double_fork_that_ignores_sigterm_ends_with_its_goal(system: Whole, results: Results) -> None:
    with results.case("cancelled: double fork in a session of its own that ignores SIGTERM") as case:
        times = []
        for _ in range(3):
            mark = f"stubborn-{time.monotonic_ns()}"
            line = (
                "import os,signal,time; signal.signal(15,signal.SIG_IGN); signal.signal(1,signal.SIG_IGN);"
                ' os.fork() or (os.setsid(), os.fork()); os.write(1,b"up"+bytes([10])); time.sleep(600)'
            )
            goal, plan = system.plan_by_hand(program(line, mark))
            system.approve(plan)
            wait_until(partial(_is_up, system, goal), within=PATIENCE_S, what="three processes")
            assert len(holding(mark)) >= 3
            at = time.monotonic()
            system.api.post(f"goals/{goal}/cancel").raise_for_status()
            case.landed += 1
            wait_until(partial(_nothing_left, mark), within=PATIENCE_S, what="the end of all of them")
            times.append(time.monotonic() - at)
            system.wait_for(goal, "dropped", within=PATIENCE_S)
            at_most_once(system, goal)
            case.survived += times[-1] <= 6
        case.note = f"nothing left of it after {max(times):.2f} s (longest; 6 s are allowed)"


def test_a_step_that_takes_too_much_memory_fails_and_harms_nobody(
    system: Whole, book: Ledger, results: Results
) -> None:
    with results.case("step ended for its memory") as case:
        workers = set(hands(*masters(system)))
        beside = written(system, book)
        book.held = lambda visit: True
        system.approve(beside.plan)
        begun(book, beside.key(1))
        # Page by page and in several processes: no single request is refused, together they are too much.
        line = 'import os; os.fork(); os.fork(); b=[]; [b.append(b"x"*(1<<20)) for _ in range(1500)]'
        goal, plan = system.plan_by_hand(program(line))
        system.approve(plan)
        # Another try may find more memory; after that one a person is asked.
        goal_now = system.wait_for(goal, "manual", "achieved", within=PATIENCE_S)
        assert goal_now["state"] == "manual"
        limits = rows(
            system,
            "SELECT intent.result->>'limit' FROM agents_intent intent JOIN agents_intentplan plan"
            " ON plan.id = intent.intent_plan_id WHERE plan.goal_id = %s",
            int(goal),
        )
        assert limits == [("memory",)], goal_now
        case.landed += 1
        book.held = lambda visit: False
        for visit in book.visits:
            visit.go.set()
        finished(system, beside)
        everything_holds(system, beside, book)
        assert set(hands(*masters(system))) == workers, "no worker ended"
        system.api.post(f"goals/{goal}/cancel").raise_for_status()
        at_most_once(system, goal)
        case.held()


@pytest.mark.parametrize(
    ("command", "outcome", "end"),
    [
        ("stop", "succeeded", "achieved"),
        ("start", "succeeded", "failed"),  # whatever it did, the program has ended with its worker: `programs_gone`
        ("start", "failed", "failed"),
        ("start", "run_again", "achieved"),
    ],
)
def test_a_person_says_what_became_of_a_step_that_runs_once(
    system: Whole, results: Results, command: str, outcome: str, end: str
) -> None:
    said = outcome.replace("_", " ")
    with results.case(f"worker killed in a step that runs once (`{command}`); a person says: {said}") as case:
        goal, intent = crashed_in_a_step_that_runs_once(system, command)
        case.landed += 1
        assert system.goal(goal)["reason"].startswith("outcome_unknown")
        tries = (
            "SELECT attempt.outcome FROM agents_attempt attempt WHERE attempt.intent_id = %s ORDER BY attempt.number"
        )
        assert rows(system, tries, int(intent)) == [("lost",)]
        answer = system.api.post(f"intents/{intent}/outcome", json={"outcome": outcome})
        assert answer.status_code == 200, answer.text
        again = system.api.post(f"intents/{intent}/outcome", json={"outcome": outcome})
        assert again.status_code == 409
        ended = system.wait_for(goal, "achieved", "failed", within=PATIENCE_S)
        assert ended["state"] == end, ended
        assert ("programs_gone" in ended["reason"]) == ((command, outcome) == ("start", "succeeded")), ended
        expected = [("lost",), ("succeeded",)] if outcome == "run_again" else [("lost",)]
        assert rows(system, tries, int(intent)) == expected, "it ran again only where a person said so"
        at_most_once(system, goal)
        case.held()
