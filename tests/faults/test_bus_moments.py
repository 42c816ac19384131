"""Requests of the bus at their worst moments: a deadline that passes while they are routed, a worker that dies while it
stores the answer or while a plan waits for it, and a member that is dead for as long as its breaker says.
"""

from __future__ import annotations

import json
import random
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from agents.bdi.bus.breaker import Terms
from agents.states import BREAKER_MOVES, BreakerState
from tests.faults.held import Point, held
from tests.faults.system import PATIENCE_S, end_all_hands, hands, masters, passed, rows
from tests.faults.table import Results
from tests.faults.test_bus import _REGISTER, _answers, _process, _state
from tests.waiting import wait_until
from tests.whole.started import Whole

pytestmark = [pytest.mark.xdist_group("whole"), pytest.mark.faults]

_TABLE = "agents_busrequest"
# Where a request is routed: claimed, given to a member, and given to the goal that is made for it.
ROUTING = (
    Point("claimed", _TABLE, "OLD.state = 'waiting' AND NEW.state = 'running'"),
    Point("given to a member", _TABLE, "OLD.member_id IS NULL AND NEW.member_id IS NOT NULL"),
    Point("its goal is made", "agents_goal", "NEW.submission_key LIKE 'bus:%'", event="INSERT"),
    Point("given to its goal", _TABLE, "OLD.state = 'running' AND NEW.state = 'with_goal'"),
)
_WRITES = {"tool": "simple_coder", "command": "write", "params": {"path": "whole.txt", "content": "x"}}
_SETTINGS = """
import sys, django
django.setup()
from agents.bus import breakers, settings
from agents.models import BusMember
from people.models import User
admin = User.objects.get(username="admin")
if sys.argv[1] == "close":
    breakers.close(BusMember.objects.get(name=sys.argv[2]), by=admin)
else:
    settings.change(by=admin, failures=3, cooldown_s=int(sys.argv[2]), depth=5, requests=50, why="a test")
"""


def _of(point: Point, why: str) -> Point:
    """The point, for this one request only."""
    mine = f"({point.when}) AND NEW.why = '{why}'" if point.table == _TABLE else point.when
    return Point(point.name, point.table, mine, point.event, point.at_commit)


def _entries(whole: Whole, request: str) -> list[str]:
    found = rows(whole, "SELECT event FROM agents_busentry WHERE request_id = %s ORDER BY id", int(request))
    return [event for (event,) in found]


def _run(whole: Whole, *words: str) -> None:
    assert _process(whole, _SETTINGS, *words).wait(PATIENCE_S) == 0


@pytest.mark.parametrize("point", ROUTING, ids=lambda point: point.name)
def test_a_deadline_that_passes_while_routing_ends_the_request_once(
    point: Point, system: Whole, results: Results
) -> None:
    with results.case(f"bus: the deadline passes while routing: {point.name}") as case:
        why = f"late {time.monotonic_ns()}"
        with held(system, _of(point, why)) as hold:
            deadline = datetime.now(UTC) + timedelta(seconds=30)
            body = {
                "capability": "simple_coder.read",
                "content": {"path": f"{why}.txt"},
                "why": why,
                "deadline": deadline.isoformat(),
            }
            asked = system.api.post("bus/requests", json=body).raise_for_status().json()["id"]
            hold.wait()
            over = f"SELECT clock_timestamp() > deadline FROM {_TABLE} WHERE id = %s"
            assert rows(system, over, int(asked)) == [(False,)], "it stood there before its deadline"
            case.landed += 1
            wait_until(lambda: rows(system, over, int(asked)) == [(True,)], within=PATIENCE_S, what="the deadline")
            hold.release()
        wait_until(lambda: _state(system, asked)["state"] == "expired", within=PATIENCE_S, what="its end")
        ends = [event for event in _entries(system, asked) if event in ("answered", "failed", "expired", "cancelled")]
        assert ends == ["expired"]
        assert _state(system, asked)["answer"] is None
        left = "SELECT state FROM agents_goal WHERE submission_key = %s AND ended_at IS NULL"
        wait_until(lambda: rows(system, left, f"bus:{asked}") == [], within=PATIENCE_S, what="the end of its goal")
        ((approved,),) = rows(
            system,
            "SELECT count(*) FROM agents_intentplan plan JOIN agents_goal goal ON goal.id = plan.goal_id"
            " WHERE goal.submission_key = %s AND plan.state NOT IN ('cancelled', 'rejected', 'superseded', 'expired')",
            f"bus:{asked}",
        )
        assert approved == 0
        case.held()


@pytest.mark.parametrize("counts", [False, True], ids=["nothing of it counts", "only the reply is lost"])
def test_a_worker_that_dies_while_it_stores_the_answer_answers_once(
    counts: bool, system: Whole, results: Results
) -> None:
    name = "bus: worker killed while it stores the answer, " + ("which counts" if counts else "which does not count")
    with results.case(name) as case:
        goal, _ = system.plan_by_hand(_WRITES)
        why = f"stores {time.monotonic_ns()}"
        point = Point("answered", _TABLE, f"NEW.state = 'answered' AND NEW.why = '{why}'", at_commit=counts)
        with held(system, point) as hold:
            body = {"capability": "find_components", "content": {"task": "count lines"}, "why": why, "parent": goal}
            asked = system.api.post("bus/requests", json=body).raise_for_status().json()["id"]
            hold.wait()
            case.landed += bool(end_all_hands(system))
            if counts:
                hold.release()
            else:
                hold.end()
        wait_until(lambda: _state(system, asked)["state"] == "answered", within=PATIENCE_S, what="the answer")
        assert _answers(system, asked) == 1
        ((kept,),) = rows(
            system,
            "SELECT count(*) FROM library_experience WHERE part = %s AND goal_ref = %s",
            f"request {asked}",
            goal,
        )
        assert kept == 1
        case.held()
        system.api.post(f"goals/{goal}/cancel").raise_for_status()


def test_workers_killed_while_a_plan_asks_and_waits_ask_once(
    system: Whole, results: Results, chance: random.Random
) -> None:
    with results.case("bus: workers killed while a plan asks on the bus and waits for the answer") as case:
        content = json.dumps({"path": "moon.txt", "content": f"{time.monotonic_ns()}"})
        step = {"capability": "simple_coder.write", "content": content, "why": "others write it"}
        body = {"tool": "system_agent", "command": "request_agent", "params": step}
        goal, plan = system.plan_by_hand(body)
        mine = f"SELECT id, goal_id FROM {_TABLE} WHERE parent_id = %s"
        system.approve(plan)
        wait_until(lambda: rows(system, mine, int(goal)), within=PATIENCE_S, what="the request")
        case.landed += bool(end_all_hands(system))
        wait_until(
            lambda: rows(system, f"{mine} AND goal_id IS NOT NULL", int(goal)), within=PATIENCE_S, what="its goal"
        )
        ((asked, answers),) = rows(system, mine, int(goal))
        system.wait_for(str(answers), "awaiting_review", within=PATIENCE_S)
        wait_until(
            lambda: system.goal(goal)["reason"].startswith("waits_for_answer"), within=PATIENCE_S, what="the wait"
        )
        case.landed += bool(end_all_hands(system))
        proposed = system.api.get(f"intent-plans/{system.goal(str(answers))['intent_plan']}").raise_for_status().json()
        system.approve(proposed)
        passed(chance.uniform(0, 0.5))
        case.landed += bool(end_all_hands(system))
        system.wait_for(goal, "achieved", within=PATIENCE_S)
        assert len(rows(system, mine, int(goal))) == 1
        assert _answers(system, str(asked)) == 1
        ((kept,),) = rows(system, "SELECT count(*) FROM library_experience WHERE part = %s", f"request {asked}")
        assert kept == 1
        case.survived = case.landed


def test_a_breaker_goes_by_its_table_while_workers_die(system: Whole, results: Results, chance: random.Random) -> None:
    with results.case("bus: the breaker of a dead member, workers killed meanwhile") as case:
        dead = f"dead.{time.monotonic_ns()}"
        assert _process(system, _REGISTER, dead, dead).wait(PATIENCE_S) == 0
        _run(system, "cooldown", "5")
        try:
            for number in range(30):
                body: dict[str, Any] = {"capability": dead, "content": {"n": number}}
                system.api.post("bus/requests", json=body).raise_for_status()
            for opened in range(1, 5):
                _wait_open(system, dead, opened)
                if opened == 3:
                    _run(system, "close", dead)
                else:
                    passed(chance.uniform(0, 2))
                case.landed += bool(end_all_hands(system))
            _wait_open(system, dead, 5)
        finally:
            _run(system, "cooldown", str(int(Terms().cooldown_s)))
        moves = _moves(system, dead)
        states = [BreakerState.CLOSED, *map(BreakerState, moves)]
        for before, after in pairwise(states):
            assert after in BREAKER_MOVES[before], moves
        ((reached,),) = rows(
            system,
            "SELECT count(*) FROM agents_busentry entry JOIN agents_busmember member ON member.id = entry.member_id"
            " WHERE member.name = %s AND entry.side = 'data' AND entry.event IN ('tried', 'failed')"
            " AND entry.duration_ms IS NOT NULL",
            dead,
        )
        # Three before it opens, one for each trial; those that were under way when it opened count for nothing.
        under_way = len(hands(*masters(system)))
        times_closed = 1 + moves.count("closed")
        assert reached <= times_closed * (3 + under_way) + moves.count("half_open"), moves
        case.note = f"opened {moves.count('open')} times, {reached} calls reached it"
        case.survived = case.landed


def _wait_open(whole: Whole, name: str, times: int) -> None:
    wait_until(lambda: _moves(whole, name).count("open") >= times, within=PATIENCE_S, what=f"open {times} times")


def _moves(whole: Whole, name: str) -> list[str]:
    found = rows(
        whole,
        "SELECT event FROM agents_busentry entry JOIN agents_busmember member ON member.id = entry.member_id"
        " WHERE member.name = %s AND event LIKE 'breaker_%%' ORDER BY entry.id",
        name,
    )
    return [event.removeprefix("breaker_") for (event,) in found]
