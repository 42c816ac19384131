"""Requests of the bus while workers, callers and members die: none is lost, none is answered twice."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import pytest

from tests.faults.system import PATIENCE_S, end_all_hands, own_environment, passed, rows
from tests.faults.table import Results
from tests.supervisor.running import ROOT
from tests.waiting import wait_until
from tests.whole.started import Whole

pytestmark = pytest.mark.xdist_group("whole")

# Ten thousand requests are asked one by one, on whatever machine this is.
_ASKING_S = 3_600
_REGISTER = """
import sys, django
django.setup()
from agents.bus import members
from agents.bus.members import NameTaken, Offer, Registration
try:
    members.register(Registration(sys.argv[1], "foreign", "", (Offer(sys.argv[2]),)))
except NameTaken:
    sys.exit(3)
"""
_ASK = """
import sys, django
django.setup()
from datetime import timedelta
from django.utils import timezone
from agents.bus import requests
from people.models import User
by, patience = User.objects.get(username="admin"), timedelta(seconds=float(sys.argv[3]))
for number in range(int(sys.argv[2])):
    requests.request(by=by, capability=sys.argv[1], content={"n": number}, deadline=timezone.now() + patience)
"""


def _process(whole: Whole, program: str, *words: str) -> subprocess.Popen[bytes]:
    line: Sequence[str] = (sys.executable, "-c", program, *words)
    environment = own_environment(whole, DJANGO_SETTINGS_MODULE="mindx_web.settings")
    return subprocess.Popen(line, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL)


def _asked(whole: Whole, number: int) -> list[str]:
    """Requests that each write a file; their ids."""
    word = time.monotonic_ns()
    bodies = [
        {"capability": "simple_coder.write", "content": {"path": f"{word}.txt", "content": str(n)}}
        for n in range(number)
    ]
    return [whole.api.post("bus/requests", json=body).raise_for_status().json()["id"] for body in bodies]


def _state(whole: Whole, request: str) -> dict[str, Any]:
    found: dict[str, Any] = whole.api.get(f"bus/requests/{request}").raise_for_status().json()
    return found


def _answers(whole: Whole, request: str) -> int:
    ((count,),) = rows(
        whole,
        "SELECT count(*) FROM agents_busentry WHERE request_id = %s AND event IN ('answered', 'failed')",
        int(request),
    )
    return int(count)


def test_workers_that_are_killed_lose_no_request_and_answer_none_twice(
    system: Whole, results: Results, chance: random.Random
) -> None:
    with results.case("bus: workers killed while requests become goals and are answered") as case:
        asked = _asked(system, 6)
        case.landed += end_all_hands(system)
        wait_until(
            lambda: all(_state(system, one)["goal"] for one in asked), within=PATIENCE_S, what="a goal for each request"
        )
        goals = {_state(system, one)["goal"] for one in asked}
        assert len(goals) == len(asked)
        for goal in goals:
            system.wait_for(goal, "awaiting_review", within=PATIENCE_S)
            plan = system.goal(goal)["intent_plan"]
            system.approve(system.api.get(f"intent-plans/{plan}").raise_for_status().json())
        passed(chance.uniform(0, 0.3))
        case.landed += end_all_hands(system)
        wait_until(
            lambda: all(_state(system, one)["state"] == "answered" for one in asked),
            within=PATIENCE_S,
            what="an answer to each request",
        )
        assert [_answers(system, one) for one in asked] == [1] * len(asked)
        ((count,),) = rows(
            system,
            "SELECT count(*) FROM agents_goal WHERE submission_key LIKE 'bus:%%' AND id = ANY(%s)",
            list(map(int, goals)),
        )
        assert count == len(asked)
        case.survived = case.landed


@pytest.mark.faults
def test_of_two_registrations_of_one_name_at_once_one_wins(system: Whole, results: Results) -> None:
    with results.case("bus: one name registered twice at once") as case:
        for _ in range(5):
            name = f"twin {time.monotonic_ns()}"
            both = [_process(system, _REGISTER, name, "twin.say") for _ in range(2)]
            assert sorted(one.wait(PATIENCE_S) for one in both) == [0, 3]
            case.landed += 1
            assert rows(system, "SELECT count(*) FROM agents_busmember WHERE name = %s", name) == [(1,)]
            case.held()


@pytest.mark.faults
def test_ten_thousand_requests_to_a_dead_member_all_end_once(system: Whole, results: Results) -> None:
    """The deadline passes for most of them while their breaker is open; nobody answers."""
    most = 10_000
    with results.case("bus: 10,000 requests to a member that is dead") as case:
        capability = f"dead.{time.monotonic_ns()}"
        assert _process(system, _REGISTER, capability, capability).wait(PATIENCE_S) == 0
        callers = [_process(system, _ASK, capability, str(most // 2), "240") for _ in range(2)]
        # One of those who ask is killed halfway: what it had asked is kept, and the other asks for the rest.
        wait_until(lambda: _count(system, capability) > most // 10, within=PATIENCE_S, what="some requests")
        callers[0].kill()
        callers[0].wait(PATIENCE_S)
        assert callers[1].wait(_ASKING_S) == 0
        rest = most - _count(system, capability)
        assert _process(system, _ASK, capability, str(rest), "60").wait(_ASKING_S) == 0
        case.landed = _count(system, capability)
        assert case.landed == most
        open_ones = "SELECT count(*) FROM agents_busrequest WHERE capability = %s AND ended_at IS NULL"
        wait_until(lambda: rows(system, open_ones, capability) == [(0,)], within=900, what="the end of all of them")
        ends = dict(
            rows(
                system, "SELECT state, count(*) FROM agents_busrequest WHERE capability = %s GROUP BY state", capability
            )
        )
        assert set(ends) <= {"expired", "failed"}
        assert sum(ends.values()) == most
        ((twice,),) = rows(
            system,
            "SELECT count(*) FROM (SELECT request_id FROM agents_busentry WHERE capability = %s"
            " AND event IN ('answered', 'failed', 'expired') GROUP BY request_id HAVING count(*) <> 1) AS odd",
            capability,
        )
        assert twice == 0
        ((tries,),) = rows(
            system, "SELECT count(*) FROM agents_busentry WHERE capability = %s AND event = 'tried'", capability
        )
        case.note = f"{ends.get('expired', 0):,} expired, {ends.get('failed', 0):,} failed, {tries} tries reached it"
        case.survived = most


def _count(whole: Whole, capability: str) -> int:
    ((count,),) = rows(whole, "SELECT count(*) FROM agents_busrequest WHERE capability = %s", capability)
    return int(count)
