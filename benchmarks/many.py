"""A hundred thousand goals and ten million log lines, as they stand after a long time of use.

Every fifth goal waits for review with a real plan (`benchmarks.waiting`); the others are copies of those that have
ended, with their attempts, moves, beliefs and experience. Ended goals are the newer ones, so that lists of what is open
must find it behind eighty thousand others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

from agents.models import (
    Agent,
    Attempt,
    Belief,
    Correction,
    DaySoFar,
    FailureRecord,
    Goal,
    Intent,
    IntentPlan,
    LogLine,
    MindDay,
    Plan,
    Planning,
    RecoveryDay,
    Transition,
)
from benchmarks import waiting
from library.models import Experience

COPIES = 4
_CLASSES = ("NETWORK_ERROR", "TOOL_EXECUTION_ERROR", "RATE_LIMIT_ERROR")
_WAYS = ("retry_with_delay", "alternative_tool", "manual_fallback")
# Of ten million lines 1,250,000: 100 MB of text.
LONG_SHARE = 8
_STATE = "CASE WHEN id % 20 = 0 THEN 'dropped' WHEN id % 10 = 1 THEN 'failed' ELSE 'achieved' END"
_TEXT = (
    "'[' || n || '/1250000] module ' || mod(n * 7919::bigint, 100003) || ' of a long build, as compilers say it again'"
)


@dataclass(frozen=True)
class Filled:
    """`long_goal` has so many `long_lines`, `goal` an ordinary number."""

    goals: int
    lines: int
    long_goal: int
    long_lines: int
    goal: int


def fill(agent: Agent, goals: int, lines: int) -> Filled:
    """Make them; the numbers are rounded to whole copies."""
    from agents.insights import insight_cases
    from agents.record import log_retention
    from agents.recovery import recovery_learning

    waiting.fill(agent, goals // (COPIES + 1))
    with connection.cursor() as cursor:
        _copy_plans(cursor)
        _what_they_left(cursor)
        _what_the_mind_did(cursor)
        log_retention.keep()
        insight_cases.add_up_days()
        insight_cases.join_recoveries()
        recovery_learning.rebuild({(each, "simple_coder", way) for each in _CLASSES for way in _WAYS})
        longest, small = Goal.objects.order_by("-pk")[1:3]
        long_lines = lines // LONG_SHARE
        each = (lines - long_lines) // Goal.objects.count()
        _write(cursor, "SELECT id FROM agents_goal WHERE id <> %s", [longest.pk], each)
        _write(cursor, "SELECT %s::bigint AS id", [longest.pk], long_lines)
        of_the_mind = (Planning, Correction, MindDay, DaySoFar, FailureRecord, RecoveryDay)
        for model in (Goal, Plan, IntentPlan, Intent, Attempt, Transition, Belief, LogLine, Experience, *of_the_mind):
            cursor.execute(f"VACUUM ANALYZE {model._meta.db_table}")
        cursor.execute("ANALYZE")
        cursor.execute("SELECT sum(last) FROM agents_logcounter")
        return Filled(Goal.objects.count(), int(cursor.fetchone()[0]), longest.pk, long_lines, small.pk)


def _copy_plans(cursor: Any) -> None:
    """Copies of the goals, their plans and intents; the ids of each copy follow those of the one before."""
    moment = f"clock_timestamp() - make_interval(mins => (id * 7 % {60 * 24 * 90})::int)"
    ended = {"ended_at": moment, "changed_at": moment, "created_at": moment + " - interval '1 hour'"}
    state = _STATE.replace("id", "goal_id")
    plan_state = f"CASE {state} WHEN 'achieved' THEN 'complete' WHEN 'failed' THEN 'failed' ELSE 'rejected' END"
    approved = f"CASE WHEN {state} = 'dropped' THEN '' ELSE digest END"
    tables: tuple[tuple[Any, dict[str, str]], ...] = (
        (Goal, {"state": _STATE, "learned_at": moment, **ended}),
        (Plan, {}),
        (IntentPlan, {"state": plan_state, "approved_digest": approved, "ended_at": "clock_timestamp()"}),
        (Intent, {"state": "'succeeded'"}),
    )
    steps = {model._meta.db_table: model._default_manager.count() for model, _ in tables}
    for model, changed in tables:
        table = model._meta.db_table
        columns = [field.column for field in model._meta.concrete_fields]
        moved = [_shifted(field, steps) for field in model._meta.concrete_fields]
        names, values = ", ".join(columns), ", ".join(changed.get(column, column) for column in columns)
        # Names of tables and columns are those of the models.
        cursor.execute(
            f"INSERT INTO {table} ({names}) SELECT {values} FROM ("  # noqa: S608
            f"SELECT {', '.join(moved)} FROM {table}, generate_series(1, {COPIES}) AS k) AS copied ({names})"
        )
        cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}")  # noqa: S608


def _shifted(field: Any, steps: dict[str, int]) -> str:
    """The column in the copy: ids of what is copied too go up by as many rows as that table had."""
    model = field.model if field.primary_key else field.related_model
    step = steps.get(model._meta.db_table) if model is not None else None
    return f"{field.column} + {step} * k" if step else str(field.column)


def _what_they_left(cursor: Any) -> None:
    """Attempts, moves, beliefs and an experience of each goal that ended."""
    cursor.execute(
        "INSERT INTO agents_attempt (intent_id, number, fence, worker, started, finished, outcome, failure_class,"
        " reason, snapshot_before, snapshot_after, result)"
        " SELECT id, 1, 1, 'worker', clock_timestamp(), clock_timestamp(), 'succeeded', '', '', repeat('a', 64),"
        " repeat('a', 64), '{\"status\": \"success\"}' FROM agents_intent WHERE state = 'succeeded'"
    )
    cursor.execute(
        "INSERT INTO agents_transition (goal_id, old, new, reason, by, at)"
        " SELECT id, step.old, step.new, '', 'worker', created_at FROM agents_goal, (VALUES ('pending', 'planning'),"
        " ('planning', 'awaiting_review'), ('awaiting_review', 'executing'), ('executing', 'achieved'))"
        " AS step (old, new) WHERE ended_at IS NOT NULL"
    )
    cursor.execute(
        "INSERT INTO agents_belief (goal_id, sentence, source, confidence, at, retracted_by, about, denies)"
        " SELECT id, 'The file notes/' || n || '.txt is there.', 'perception', 1, created_at, '', '', ''"
        " FROM agents_goal, generate_series(1, 8) AS n"
    )
    cursor.execute(
        "INSERT INTO library_experience (goal_ref, owner_id, primary_goal_description, sub_task_description,"
        " initiating_agent_id, involved_components, input_context_summary, key_decisions_made, final_outcome,"
        " output_summary, feedback_signals, timestamp, version, workflow_id, session_id, tags)"
        " SELECT id::text, submitted_by_id, text, '', '1', '{}', 'Nothing was known.', '{}',"
        " CASE state WHEN 'achieved' THEN 'success' WHEN 'failed' THEN 'failure' ELSE 'abandoned' END,"
        " 'It wrote ' || id || ' files.', '{}', ended_at, 1, '', '', '{}' FROM agents_goal WHERE ended_at IS NOT NULL"
    )


def _what_the_mind_did(cursor: Any) -> None:
    """A planning of each plan, a corrected value in every fourth goal, a failure in every fifth: over ninety days."""
    at = f"clock_timestamp() - make_interval(mins => (goal.id * 7 % {60 * 24 * 90})::int)"
    cursor.execute(
        "INSERT INTO agents_planning (plan_id, goal_id, agent_id, source, is_valid, attempts, waited_ms, perceive_ms,"  # noqa: S608
        " rules_ms, understand_ms, model_ms, validate_ms, total_ms, at)"
        " SELECT plan.id, goal.id, goal.agent_id, (ARRAY['rule', 'rule', 'understanding', 'model'])[1 + goal.id % 4],"
        " goal.id % 9 <> 0, CASE goal.id % 4 WHEN 3 THEN 1 + goal.id % 3 ELSE 1 END, goal.id % 900, goal.id % 40,"
        " goal.id % 60, goal.id % 30, CASE goal.id % 4 WHEN 3 THEN 800 + goal.id % 9000 END, 1 + goal.id % 5,"
        f" goal.id % 9999, {at} FROM agents_plan plan JOIN agents_goal goal ON goal.id = plan.goal_id"
    )
    cursor.execute(
        "INSERT INTO agents_correction (goal_id, agent_id, tool, command, parameter, origin, original, value, note,"  # noqa: S608
        " confidence, came, at) SELECT goal.id, goal.agent_id,"
        " (ARRAY['simple_coder', 'git', 'http_request', 'summarization'])[1 + goal.id / 4 % 4], 'read', 'path',"
        " (ARRAY['mapping', 'mapping', 'experience', 'default', 'model'])[1 + goal.id / 4 % 5],"
        " '\"path/to/it\"', '\"notes/one.txt\"', 'one file has this name', 0.9,"
        " (ARRAY['succeeded', 'succeeded', 'succeeded', 'edited', 'failed', 'refused', 'unused'])[1 + goal.id / 4 % 7],"
        f" {at} FROM agents_goal goal WHERE goal.id % 4 = 0"
    )
    cursor.execute(
        "INSERT INTO agents_failurerecord (goal_id, agent_id, stage, position, tool, command, facts, classified_as,"  # noqa: S608
        " failure_class, reason, at, strategy, variant, why, weighed, overtaken_by, succeeded, settled_at,"
        " carried_first, carried_last)"
        " SELECT goal.id, goal.agent_id, 'execution', 1, 'simple_coder', 'run', '{}', class.name, class.name,"
        f" 'exit code 1', {at}, (ARRAY{list(_WAYS)})[1 + goal.id / 5 % 3], '', '',"
        f" '{{}}', '', goal.id % 3 <> 0, {at}, 0, 0 FROM agents_goal goal, LATERAL (SELECT"
        f" (ARRAY{list(_CLASSES)})[1 + goal.id / 10 % 3] AS name) AS class"
        " WHERE goal.id % 5 = 0"
    )


def _write(cursor: Any, goals: str, values: list[int], each: int) -> None:
    """So many lines for each of the goals, in the order in which they would have been written."""
    cursor.execute(
        "INSERT INTO agents_logline (goal_id, number, at, source, stage, level, text, data)"  # noqa: S608
        " SELECT goal.id, n, clock_timestamp(), CASE WHEN n < 4 THEN 'bdi_agent' WHEN mod(n, 50) = 0 THEN 'stderr'"
        " ELSE 'stdout' END, 'execute', CASE WHEN mod(n, 1000) = 997 THEN 'error' ELSE 'info' END,"
        f" {_TEXT}, '{{}}' FROM ({goals}) AS goal, generate_series(1, {each}) AS n",
        values,
    )
    cursor.execute(
        f"UPDATE agents_logcounter SET last = {each} FROM ({goals}) AS goal WHERE goal_id = goal.id",  # noqa: S608
        values,
    )
