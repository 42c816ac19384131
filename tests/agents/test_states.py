"""The tables of moves: walked pair by pair, and nobody moves a state behind their back."""

import ast
import re
from itertools import product
from pathlib import Path

import pytest

from agents.record import statements
from agents.states import (
    BACKLOG_MOVES,
    ENVIRONMENT_RUN_MOVES,
    GOAL_ENDED,
    GOAL_MOVES,
    HAND_ENDED,
    HAND_MOVES,
    INTENT_MOVES,
    LEVEL_MOVES,
    PLAN_ENDED,
    PLAN_MOVES,
    TRAINING_MOVES,
    TRIAL_MOVES,
    BacklogState,
    EnvironmentRunState,
    GoalState,
    HandState,
    IntentState,
    LevelState,
    PlanState,
    TrainingState,
    TrialState,
)

ROOT = Path(__file__).resolve().parents[2]
# Policies have a table and a mover of their own (tests/review/policy/test_states.py).
MOVERS = {
    "agents/record/moves.py",
    "agents/bus/breakers.py",  # under the lock of the breaker's row
    "review/talk/moves.py",
    "review/inbox/requests.py",  # decided once, under the condition that it waits
    "review/policies/moves.py",
    "review/notices/deliveries.py",  # whether a notice went out: no state of a goal's way
}


def test_every_state_has_a_row_in_its_table() -> None:
    assert set(GOAL_MOVES) == set(GoalState)
    assert set(PLAN_MOVES) == set(PlanState)
    assert set(INTENT_MOVES) == set(IntentState)
    assert set(HAND_MOVES) == set(HandState)
    assert set(LEVEL_MOVES) == set(LevelState)
    assert set(BACKLOG_MOVES) == set(BacklogState)
    assert set(ENVIRONMENT_RUN_MOVES) == set(EnvironmentRunState)
    assert set(TRAINING_MOVES) == set(TrainingState)
    assert {TrialState.RUNNING: {TrialState.ENDED}, TrialState.ENDED: set()} == TRIAL_MOVES


@pytest.mark.parametrize(("old", "new"), list(product(EnvironmentRunState, EnvironmentRunState)))
def test_a_run_in_an_environment_ends_once_and_only_a_worker_acts(
    old: EnvironmentRunState, new: EnvironmentRunState
) -> None:
    allowed = {(state, "ended") for state in ("ready", "running", "waiting", "paused")}
    allowed |= {("ready", "running"), ("running", "running"), ("running", "ready"), ("running", "waiting")}
    allowed |= {("waiting", "ready"), ("paused", "ready")}
    allowed |= {(state, "paused") for state in ("ready", "running", "waiting")}
    assert (new in ENVIRONMENT_RUN_MOVES[old]) == ((old, new) in allowed)


@pytest.mark.parametrize(("old", "new"), list(product(HandState, HandState)))
def test_a_typed_command_runs_at_most_once_and_its_end_is_the_end(old: HandState, new: HandState) -> None:
    allowed = {("waiting", "running"), ("waiting", "cancelled")}
    allowed |= {("running", end) for end in ("done", "lost", "cancelled")}
    assert (new in HAND_MOVES[old]) == ((old, new) in allowed)
    assert {HandState.DONE, HandState.LOST, HandState.CANCELLED} == HAND_ENDED


@pytest.mark.parametrize(("old", "new"), list(product(LevelState, LevelState)))
def test_what_is_reviewed_before_a_plan_is_decided_once(old: LevelState, new: LevelState) -> None:
    ends = set(LevelState) - {LevelState.AWAITING_REVIEW, LevelState.UNREVIEWED}
    assert (new in LEVEL_MOVES[old]) == (old == LevelState.AWAITING_REVIEW and new in ends)


def test_every_goal_can_end_from_wherever_it_is() -> None:
    for state in set(GoalState) - GOAL_ENDED:
        reached, edge = {state}, {state}
        while edge:
            edge = {target for source in edge for target in GOAL_MOVES[source]} - reached
            reached |= edge
        assert reached & GOAL_ENDED, state
        assert GoalState.DROPPED in GOAL_MOVES[state], f"a person can always cancel a goal that is {state}"


def test_a_wish_is_taken_up_only_after_somebody_approved_it() -> None:
    into = {old for old in BacklogState if BacklogState.IN_PROGRESS in BACKLOG_MOVES[old]}
    assert into == {BacklogState.APPROVED}
    assert {old for old in BacklogState if not BACKLOG_MOVES[old]} == {BacklogState.DONE}


@pytest.mark.parametrize("ended", sorted(PLAN_ENDED))
def test_nothing_leads_out_of_an_ended_plan(ended: PlanState) -> None:
    assert not PLAN_MOVES[ended]


def test_nothing_runs_without_approval() -> None:
    into_executing = {
        old for old, new in product(PlanState, PlanState) if new in PLAN_MOVES[old] and new == "executing"
    }
    assert into_executing == {PlanState.APPROVED}


def test_only_the_mover_sets_a_state() -> None:
    """Walks the source: no assignment to `.state` of a row and no `.update(state=…)` outside the mover."""
    offenders = []
    for app in ("agents", "review", "mindx_web", "library", "people"):
        for path in sorted((ROOT / app).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name in MOVERS or "/migrations/" in name:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "update":
                    offenders += [f"{name}:{node.lineno}" for keyword in node.keywords if keyword.arg == "state"]
                if isinstance(node, ast.Assign):
                    offenders += [f"{name}:{node.lineno}" for on in node.targets if getattr(on, "attr", "") == "state"]
    assert offenders == []


def test_the_executors_statements_make_only_allowed_moves() -> None:
    """advance.sql never touches the plan's or the goal's state, and begins only pending intents."""
    sql = statements.read("advance")
    plan_update = re.search(r"UPDATE agents_intentplan\s+SET (.*?)\s+WHERE", sql, re.S)
    assert plan_update is not None
    assert "state" not in plan_update[1]
    assert "UPDATE agents_goal" not in sql
    begins = sql[sql.index("next AS") : sql.index("asked AS")]
    assert "position = %(position)s + 1 AND state = 'pending'" in begins
    assert "UPDATE agents_intent\n" not in sql, "what it reports is moved when it is filed"
    filed = statements.read("file")
    named = re.search(r"agents_intent.state IN \((.*?)\)", filed)
    assert named is not None
    assert {word.strip("' ") for word in named[1].split(",")} == {IntentState.PENDING.value, IntentState.RUNNING.value}
    # One that is pending has begun with the report before, which is filed together with its own.
    assert IntentState.RUNNING in INTENT_MOVES[IntentState.PENDING]
    assert {IntentState.SUCCEEDED, IntentState.FAILED} <= INTENT_MOVES[IntentState.RUNNING]


def test_the_statement_that_takes_up_makes_only_allowed_moves() -> None:
    """take_up.sql moves approved plans alone, and of goals those that may begin to execute."""
    sql = statements.read("take_up")
    plan, goal = sql[: sql.index("goal AS (")], sql[sql.index("goal AS (") : sql.index("moved AS (")]
    assert "state = 'approved'" in plan[plan.index("WHERE") :]
    assert PlanState.EXECUTING in PLAN_MOVES[PlanState.APPROVED]
    named = re.search(r"agents_goal.state IN \((.*?)\)", goal)
    assert named is not None
    movable = {old for old, targets in GOAL_MOVES.items() if GoalState.EXECUTING in targets}
    assert {word.strip("' ") for word in named[1].split(",")} == {state.value for state in movable}


def test_the_statement_that_begins_a_try_makes_only_allowed_moves() -> None:
    named = re.search(r"agents_intent.state IN \((.*?)\)", statements.read("begin"))
    assert named is not None
    movable = {old for old, targets in INTENT_MOVES.items() if IntentState.RUNNING in targets}
    assert {word.strip("' ") for word in named[1].split(",")} == {state.value for state in movable}


def test_the_statement_that_completes_makes_only_allowed_moves() -> None:
    """complete.sql moves executing plans of executing goals, skips pending intents, and writes both transitions."""
    sql = statements.read("complete")
    locked, plan = sql[: sql.index("plan AS (")], sql[sql.index("plan AS (") : sql.index("recovered AS (")]
    assert "state = 'executing'" in locked
    assert "FOR NO KEY UPDATE" in locked
    assert "agents_intentplan.state = 'executing'" in plan
    assert PlanState.COMPLETE in PLAN_MOVES[PlanState.EXECUTING]
    assert {GoalState.ACHIEVED, GoalState.PENDING} <= GOAL_MOVES[GoalState.EXECUTING]
    others = sql[sql.index("intents AS (") : sql.index("ended AS (")]
    assert "SET state = 'skipped'" in others
    assert "position > %(position)s AND state = 'pending'" in others
    assert IntentState.SKIPPED in INTENT_MOVES[IntentState.PENDING]
