"""SIGKILL at named statements between claim and last commit, while planning, and while a plan is tried in a copy."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from tests.faults.held import Point, held
from tests.faults.ledger import Ledger
from tests.faults.oracle import at_most_once, everything_holds
from tests.faults.system import PATIENCE_S, end_all_hands, finished, rows, written
from tests.faults.table import Results
from tests.waiting import wait_until
from tests.whole.started import Whole

pytestmark = pytest.mark.xdist_group("whole")

_PLAN, _GOAL, _TRY = "agents_intentplan", "agents_goal", "agents_attempt"
# `{goal}` is filled in. Each is known by what it does to a row, not by how its statement is written.
EXECUTING = (
    Point("claim of an approved plan", _GOAL, "NEW.id = {goal} AND NEW.lease_fence > OLD.lease_fence"),
    Point("plan taken up", _PLAN, "NEW.goal_id = {goal} AND OLD.state = 'approved' AND NEW.state = 'executing'"),
    Point("goal executing", _GOAL, "NEW.id = {goal} AND OLD.state <> 'executing' AND NEW.state = 'executing'"),
    Point("first try begun", _TRY, "NEW.number = 1", event="INSERT"),
    Point("first line of the run", "agents_logline", "NEW.goal_id = {goal} AND NEW.stage = 'execute'", event="INSERT"),
    Point("step finished, next begun", _PLAN, "NEW.goal_id = {goal} AND NEW.position = OLD.position + 1"),
    Point("result of the step", "agents_intent", "OLD.state = 'running' AND NEW.state = 'succeeded'"),
    Point("workspace's new head", "agents_workspace", "NEW.head <> OLD.head"),
    Point("last step finished", _PLAN, "NEW.goal_id = {goal} AND NEW.position = 3 AND OLD.position = 2"),
    Point("plan complete", _PLAN, "NEW.goal_id = {goal} AND NEW.state = 'complete'"),
    Point("goal achieved", _GOAL, "NEW.id = {goal} AND NEW.state = 'achieved' AND OLD.state <> 'achieved'"),
    Point("experience kept", _GOAL, "NEW.id = {goal} AND NEW.learned_at IS NOT NULL AND OLD.learned_at IS NULL"),
)
PLANNING = (
    Point("claim of a new goal", _GOAL, "NEW.lease_fence > OLD.lease_fence AND NEW.state = 'pending'"),
    Point("goal adopted", _GOAL, "OLD.state = 'pending' AND NEW.state = 'planning'"),
    Point("beliefs kept", "agents_belief", event="INSERT"),
    Point("plan kept", "agents_plan", event="INSERT"),
    Point("plan proposed", _PLAN, event="INSERT"),
    Point("plan in the queue", _GOAL, "OLD.state = 'planning' AND NEW.state = 'awaiting_review'"),
)
SHADOWING = (
    Point("trial begun", "agents_shadowrun", "NEW.state = 'running'"),
    Point("trial done", "agents_shadowrun", "NEW.state = 'done'"),
)
# The quick part takes those at which most is at stake.
QUICK = {"step finished, next begun"}


def _each(points: tuple[Point, ...]) -> list[object]:
    """Each point twice: nothing of its transaction counts; it counts, and nobody hears of it."""
    return [
        pytest.param(one, id=one.name + (", committed" if one.at_commit else ""), marks=marks)
        for point in points
        for one in (point, replace(point, at_commit=True))
        for marks in ([] if point.name in QUICK else [pytest.mark.faults],)
    ]


def _kill_there(whole: Whole, point: Point, goal: str, begin: object) -> None:
    """Start something, end every worker process when it has come to the point, and let the server go on without it."""
    there = replace(point, when=point.when.format(goal=goal))
    with held(whole, there) as hold:
        assert callable(begin)
        begin()
        hold.wait()
        assert end_all_hands(whole)
        if point.at_commit:
            hold.release()
        else:
            hold.end()


def _named(point: Point) -> str:
    return f"killed at: {point.name} ({'committed, reply lost' if point.at_commit else 'not committed'})"


@pytest.mark.parametrize("point", _each(EXECUTING))
def test_a_worker_killed_while_it_executes_loses_and_doubles_nothing(
    system: Whole, book: Ledger, results: Results, point: Point
) -> None:
    with results.case(_named(point)) as case:
        plan = written(system, book)
        _kill_there(system, point, plan.goal, lambda: system.approve(plan.plan))
        case.landed += 1
        finished(system, plan)
        everything_holds(system, plan, book)
        kept = rows(system, "SELECT count(*) FROM library_experience WHERE goal_ref = %s", plan.goal)
        assert kept == [(1,)], "one experience"
        case.held()


@pytest.mark.faults
@pytest.mark.parametrize("point", _each(PLANNING))
def test_a_worker_killed_while_it_plans_strands_nothing(system: Whole, results: Results, point: Point) -> None:
    with results.case(_named(point)) as case:
        goals: list[str] = []
        text = (
            f"Create a Python project named 'p{time.monotonic_ns()}', set up a virtual environment, install 'httpx',"
            " and create a script to ping http://127.0.0.1:9/status."
        )
        _kill_there(
            system,
            point,
            "0",
            lambda: goals.append(system.api.post("goals", json={"text": text}).raise_for_status().json()["id"]),
        )
        case.landed += 1
        goal = system.wait_for(goals[0], "awaiting_review", "manual", "failed", within=PATIENCE_S)
        assert goal["state"] == "awaiting_review", goal
        found = rows(
            system,
            "SELECT (SELECT count(*) FROM agents_plan WHERE goal_id = %(goal)s::bigint), count(*)"
            " FROM agents_intentplan WHERE goal_id = %(goal)s::bigint".replace("%(goal)s", goals[0]),
        )
        assert found == [(1, 1)], "one plan, proposed once"
        system.api.post(f"goals/{goals[0]}/cancel").raise_for_status()
        at_most_once(system, goals[0])
        case.held()


@pytest.mark.faults
@pytest.mark.parametrize("point", _each(SHADOWING))
def test_a_worker_killed_while_it_tries_a_plan_in_a_copy_strands_nothing(
    system: Whole, results: Results, point: Point
) -> None:
    with results.case(_named(point)) as case:
        goals: list[str] = []
        step = {"tool": "simple_coder", "command": "write", "params": {"path": "a", "content": "b"}}
        _kill_there(system, point, "0", lambda: goals.append(system.plan_by_hand(step)[0]))
        case.landed += 1
        asked = (
            "SELECT run.state FROM agents_shadowrun run JOIN agents_intentplan plan ON plan.id = run.intent_plan_id"
            " WHERE plan.goal_id = %s"
        )
        wait_until(
            lambda: rows(system, asked, int(goals[0])) == [("done",)], within=PATIENCE_S, what="the trial's findings"
        )
        assert system.goal(goals[0])["state"] == "awaiting_review"
        system.api.post(f"goals/{goals[0]}/cancel").raise_for_status()
        case.held()
