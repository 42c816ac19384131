"""SIGKILL at named statements between claim and last commit, while planning, and while a plan is tried in a copy."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from tests.faults.held import Point, held
from tests.faults.ledger import Ledger
from tests.faults.oracle import at_most_once, everything_holds
from tests.faults.system import ENDED, PATIENCE_S, begun, end_all_hands, finished, rows, written
from tests.faults.table import Results
from tests.faults.test_cancel import program
from tests.waiting import wait_until
from tests.whole.started import Whole

pytestmark = pytest.mark.xdist_group("whole")

_PLAN, _GOAL, _TRY = "agents_intentplan", "agents_goal", "agents_attempt"
_FENCED = "NEW.id = {goal} AND NEW.lease_fence > OLD.lease_fence"
# `{goal}` is filled in. Each is known by what it does to a row, not by how its statement is written; where a statement
# does several things, its point is one of them, for they come to pass together or not at all.
EXECUTING = (
    Point("claim of an approved plan", _GOAL, f"{_FENCED} AND NEW.state = 'awaiting_review'"),
    Point("plan taken up", _PLAN, "NEW.goal_id = {goal} AND OLD.state = 'approved' AND NEW.state = 'executing'"),
    # It begins with the plan, and is filed by the companion, where the process knows already that it has a jail.
    Point("first try begun or filed", _TRY, "NEW.number = 1", event="INSERT"),
    Point(
        "step finished, next begun",
        _PLAN,
        "NEW.goal_id = {goal} AND OLD.position = 1 AND NEW.position = 2 AND NEW.state = 'executing'",
    ),
    # By the companion, beside the second step.
    Point(
        "first step's report filed",
        "agents_intent",
        "NEW.position = 1 AND OLD.state <> 'succeeded' AND NEW.state = 'succeeded'",
    ),
    Point(
        "last step finished, plan complete, goal achieved",
        _PLAN,
        "NEW.goal_id = {goal} AND OLD.position = 2 AND NEW.position = 3 AND NEW.state = 'complete'",
    ),
    Point("claim of an achieved goal", _GOAL, f"{_FENCED} AND NEW.state = 'achieved'"),
    Point("experience kept", "library_experience", "NEW.goal_ref = '{goal}' AND NEW.part = ''", event="INSERT"),
    Point("remembered", _GOAL, "NEW.id = {goal} AND NEW.learned_at IS NOT NULL AND OLD.learned_at IS NULL"),
)
# The first worker died in the first step; this is the second.
TAKING_OVER = (
    Point("claim of a goal whose lease ran out", _GOAL, f"{_FENCED} AND NEW.state = 'executing'"),
    Point("plan's new fence", _PLAN, "NEW.goal_id = {goal} AND OLD.state = 'executing' AND NEW.fence > OLD.fence"),
    Point("lost try closed", _TRY, "OLD.finished IS NULL AND NEW.outcome = 'lost'"),
    Point("second try begun", _TRY, "NEW.number = 2", event="INSERT"),
)
FAILING = (
    Point("failed try and what follows from it", "agents_recoveryattempt", event="INSERT"),
    Point("next try begun", _TRY, "NEW.number = 2", event="INSERT"),
    Point("main steps given up", _PLAN, "NEW.goal_id = {goal} AND OLD.aborting = '' AND NEW.aborting <> ''"),
    Point("clean-up begun", "agents_intent", "NEW.phase = 'cleanup' AND NEW.state = 'running'"),
    Point("clean-up finished", "agents_intent", "NEW.phase = 'cleanup' AND NEW.state = 'succeeded'"),
    Point("plan and goal failed", _PLAN, "NEW.goal_id = {goal} AND OLD.state = 'executing' AND NEW.state = 'failed'"),
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
    return [pytest.param(one, id=one.name, marks=[] if one.name in QUICK else [pytest.mark.faults]) for one in points]


def _both_ways(point: Point) -> tuple[Point, Point]:
    """Nothing of its transaction counts; it counts, and nobody hears of it."""
    return point, replace(point, at_commit=True)


def _kill_there(whole: Whole, point: Point, goal: str, begin: Callable[[], object]) -> None:
    """Start something, end every worker process when it has come to the point, and let the server go on without it."""
    there = replace(point, when=point.when.format(goal=goal))
    with held(whole, there) as hold:
        begin()
        hold.wait()
        assert end_all_hands(whole)
        if point.at_commit:
            hold.release()
        else:
            hold.end()


BOTH = "once before its commit, once after it and before the reply"


@pytest.mark.parametrize("point", _each(EXECUTING))
def test_a_worker_killed_while_it_executes_loses_and_doubles_nothing(
    system: Whole, book: Ledger, results: Results, point: Point
) -> None:
    with results.case(f"killed while executing, at: {point.name}") as case:
        case.note = BOTH
        for there in _both_ways(point):
            plan = written(system, book)
            _kill_there(system, there, plan.goal, partial(system.approve, plan.plan))
            case.landed += 1
            finished(system, plan)
            everything_holds(system, plan, book)
            kept = rows(system, "SELECT count(*) FROM library_experience WHERE goal_ref = %s AND part = ''", plan.goal)
            assert kept == [(1,)], "one experience"
            case.held()


@pytest.mark.faults
@pytest.mark.parametrize("point", _each(TAKING_OVER))
def test_a_worker_killed_while_it_takes_over_loses_and_doubles_nothing(
    system: Whole, book: Ledger, results: Results, point: Point
) -> None:
    with results.case(f"killed while taking over, at: {point.name}") as case:
        case.note = BOTH
        for there in _both_ways(point):
            book.held = lambda visit: True
            plan = written(system, book)
            system.approve(plan.plan)
            begun(book, plan.key(1))
            _kill_there(system, there, plan.goal, partial(end_all_hands, system))
            case.landed += 1
            book.held = lambda visit: False
            for visit in book.visits:
                visit.go.set()
            finished(system, plan)
            everything_holds(system, plan, book)
            case.held()


@pytest.mark.faults
@pytest.mark.parametrize("point", _each(FAILING))
def test_a_worker_killed_while_a_plan_fails_cleans_up_once(
    system: Whole, book: Ledger, results: Results, point: Point
) -> None:
    with results.case(f"killed while a plan fails, at: {point.name}") as case:
        case.note = BOTH
        for there in _both_ways(point):
            key = f"c{time.monotonic_ns()}"
            goal, plan = system.plan_by_hand(program("raise SystemExit(3)"), cleanup=[book.step(key, "c")])
            _kill_there(system, there, goal, partial(system.approve, plan))
            case.landed += 1
            ended = system.wait_for(goal, *ENDED, "manual", within=PATIENCE_S)
            assert ended["state"] == "failed", ended
            assert "TOOL_EXECUTION_ERROR" in ended["reason"], "by what the step did, and not by the worker"
            ends = rows(
                system,
                "SELECT intent.phase, intent.state, count(*) FILTER (WHERE attempt.outcome IN ('failed', 'succeeded'))"
                " FROM agents_intent intent JOIN agents_intentplan plan ON plan.id = intent.intent_plan_id"
                " LEFT JOIN agents_attempt attempt ON attempt.intent_id = intent.id"
                " WHERE plan.goal_id = %s GROUP BY 1, 2, intent.position ORDER BY intent.position",
                int(goal),
            )
            # Two tries that say the same are enough.
            assert ends == [("main", "failed", 2), ("cleanup", "succeeded", 1)]
            assert book.effects(key) == {key}
            at_most_once(system, goal)
            case.held()


@pytest.mark.faults
@pytest.mark.parametrize("point", _each(PLANNING))
def test_a_worker_killed_while_it_plans_strands_nothing(system: Whole, results: Results, point: Point) -> None:
    with results.case(f"killed while planning, at: {point.name}") as case:
        case.note = BOTH
        for there in _both_ways(point):
            text = (
                f"Create a Python project named 'p{time.monotonic_ns()}', set up a virtual environment,"
                " install 'httpx', and create a script to ping http://127.0.0.1:9/status."
            )
            _kill_there(system, there, "0", partial(system.api.post, "goals", json={"text": text}))
            case.landed += 1
            ((number,),) = rows(system, "SELECT id FROM agents_goal WHERE text = %s", text)
            goal = system.wait_for(str(number), "awaiting_review", "manual", "failed", within=PATIENCE_S)
            assert goal["state"] == "awaiting_review", goal
            plans = rows(system, "SELECT count(*) FROM agents_plan WHERE goal_id = %s", number)
            proposed = rows(system, "SELECT count(*) FROM agents_intentplan WHERE goal_id = %s", number)
            assert (plans, proposed) == ([(1,)], [(1,)]), "one plan, proposed once"
            system.api.post(f"goals/{number}/cancel").raise_for_status()
            at_most_once(system, str(number))
            case.held()


@pytest.mark.faults
@pytest.mark.parametrize("point", _each(SHADOWING))
def test_a_worker_killed_while_it_tries_a_plan_in_a_copy_strands_nothing(
    system: Whole, results: Results, point: Point
) -> None:
    with results.case(f"killed while trying a plan in a copy, at: {point.name}") as case:
        case.note = BOTH
        step = {"tool": "simple_coder", "command": "write", "params": {"path": "a", "content": "b"}}
        goals: list[str] = []
        for there in _both_ways(point):
            _kill_there(system, there, "0", lambda: goals.append(system.plan_by_hand(step)[0]))
            case.landed += 1
            wait_until(lambda: _trials(system, goals[-1]) == ["done"], within=PATIENCE_S, what="the trial's findings")
            assert system.goal(goals[-1])["state"] == "awaiting_review"
            system.api.post(f"goals/{goals[-1]}/cancel").raise_for_status()
            case.held()


def _trials(whole: Whole, goal: str) -> list[str]:
    asked = (
        "SELECT run.state FROM agents_shadowrun run JOIN agents_intentplan plan ON plan.id = run.intent_plan_id"
        " WHERE plan.goal_id = %s"
    )
    return [row[0] for row in rows(whole, asked, int(goal))]
