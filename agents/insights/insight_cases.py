"""The cases of the insights: corrections are judged when their goal has ended, and days that are over are added up."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from agents.bdi.learning.corrections import RULE_NOTE, Stood, judge
from agents.bdi.planning.latency import GROWTH, STAGES, TOTAL
from agents.bdi.plans import lessons
from agents.models import Correction, DaySoFar, Goal, Intent, IntentPlan, MindDay, Plan, Planning, RecoveryDay
from agents.record import prepared

# A day or an hour is added up when it is over for so long that no transaction begun in it is open any more.
_SETTLED_AFTER = timedelta(hours=1)
# One at a time adds days up; "mind" in the locks of the database, by an arbitrary number.
_LOCK = 7_310_008
# Every value of the goal's revisions that mindX settled by itself, with how its plan and its step ended. A model that
# wrote the whole plan corrected nothing by that.
_STOOD = f"""
SELECT revision.revision, step.body ->> 'tool', step.body ->> 'command', param.name, param.body ->> 'origin',
       (param.body -> 'original')::text, (param.body -> 'value')::text, coalesce(param.body ->> 'note', ''),
       coalesce((param.body ->> 'confidence')::float, 1.0), revision.state, coalesce(intent.state, 'pending')
FROM {IntentPlan._meta.db_table} revision
JOIN {Plan._meta.db_table} plan ON plan.id = revision.plan_id
CROSS JOIN jsonb_array_elements(plan.steps) WITH ORDINALITY AS step (body, position)
CROSS JOIN jsonb_each(step.body -> 'params') AS param (name, body)
LEFT JOIN {Intent._meta.db_table} intent
    ON intent.intent_plan_id = revision.id AND intent.position = step.position
WHERE revision.goal_id = %(goal)s
    AND (param.body ->> 'origin' IN ('mapping', 'experience')
        OR param.body ->> 'origin' = 'model' AND plan.source <> 'model'
        OR param.body ->> 'origin' = 'default'
            AND (param.body ->> 'note' = '{RULE_NOTE}' OR param.body ->> 'note' ~ '{lessons.DEFAULT_NOTE}'))
ORDER BY revision.revision, step.position
"""  # noqa: S608  # names of our own tables and a constant


def judge_corrections(goal_id: int) -> int:
    """Write what came of each value that mindX settled for this ended goal; returns how many there were."""
    found = [_stood(row) for row in prepared.rows(_STOOD, {"goal": goal_id})]
    if not found:
        return 0
    goal = Goal.objects.get(pk=goal_id)
    left_out = [each for plan in goal.intent_plans.exclude(left_out=[]) for each in plan.left_out]
    now = timezone.now()
    rows = [
        Correction(
            goal=goal,
            agent_id=goal.agent_id,
            tool=one.stood.tool,
            command=one.stood.command,
            parameter=one.stood.parameter[:64],
            origin=one.stood.origin,
            original=one.stood.original,
            value=one.stood.value,
            note=one.stood.note,
            confidence=one.stood.confidence,
            came=one.came.value,
            at=now,
        )
        for one in judge(found, goal.wishes, left_out)
    ]
    return len(Correction.objects.bulk_create(rows))


def _stood(row: tuple[Any, ...]) -> Stood:
    revision, tool, command, name, origin, original, value, note, confidence, plan, step = row
    said, meant = (json.loads(each) if each else None for each in (original, value))
    return Stood(revision, tool, command, name, origin, said, meant, note, confidence, plan, step)


# -- sums --------------------------------------------------------------------------------------------------------------
_STAGE_TIMES = ", ".join(f"('{name}', {name}_ms)" for name in (*STAGES, TOTAL))
# Times are those of plannings that came to a valid plan. `rows` of both are those of a time that {when} names. Buckets
# are counted by hash: as a part of what follows, the planner would sort every time of every stage first.
_SUMS = f"""
    SELECT (at AT TIME ZONE 'UTC')::date AS day, 'planning' AS measure, agent_id, source AS what, '' AS tool,
           CASE WHEN NOT is_valid THEN 'none' WHEN attempts = 1 THEN 'first' ELSE 'repaired' END AS came,
           count(*)::bigint AS cases, sum(attempts)::bigint AS amount, '{{{{}}}}'::smallint[] AS buckets,
           '{{{{}}}}'::int[] AS counts
    FROM {Planning._meta.db_table} WHERE {{when}} GROUP BY 1, 3, 4, 6
  UNION ALL
    SELECT (at AT TIME ZONE 'UTC')::date, 'correction', agent_id, origin, tool, came, count(*), 0,
           '{{{{}}}}'::smallint[], '{{{{}}}}'::int[]
    FROM {Correction._meta.db_table} WHERE {{when}} GROUP BY 1, 3, 4, 5, 6
  UNION ALL
    (WITH timed AS MATERIALIZED (
        SELECT (at AT TIME ZONE 'UTC')::date AS day, agent_id, stage.name AS what,
               floor(ln(greatest(stage.ms, 1)) / ln({GROWTH}))::smallint AS bucket,
               count(*)::int AS cases, sum(stage.ms)::bigint AS amount
        FROM {Planning._meta.db_table} CROSS JOIN LATERAL (VALUES {_STAGE_TIMES}) AS stage (name, ms)
        WHERE is_valid AND stage.ms IS NOT NULL AND {{when}} GROUP BY 1, 2, 3, 4
    )
    SELECT day, 'stage', agent_id, what, '', '', sum(cases)::bigint, sum(amount)::bigint,
           array_agg(bucket), array_agg(cases)
    FROM timed GROUP BY day, agent_id, what)
"""  # noqa: S608  # names of our own tables, columns and constants
# The midnight from which on cases are in no sum of a day that is over.
EDGE = f"coalesce((SELECT ((max(day) + 1)::timestamp AT TIME ZONE 'UTC') FROM {MindDay._meta.db_table}), '-infinity')"  # noqa: S608  # names of our own tables
_COLUMNS = "day, measure, agent_id, what, tool, came, cases, amount, buckets, counts"


def sums_of(when: str) -> str:
    """The statement that adds up the cases of which `when` (SQL over their column `at`) holds, a row as `MindDay`'s."""
    return _SUMS.format(when=when)


def add_up_days(now: datetime | None = None) -> int:
    """Add up each day that is over and was not added up yet, and of the day that is not, its hours; returns how many
    rows of days that made.

    Days are added up in order and once: nothing is written into a day that is over. What is newer than the newest sum
    is counted from the cases themselves by whoever asks (`agents.insights.insight_sums`).
    """
    hour = ((now or timezone.now()) - _SETTLED_AFTER).astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    with transaction.atomic(), connection.cursor() as cursor:
        if not _alone(cursor):
            return 0
        cursor.execute(_add_up(MindDay._meta.db_table, _COLUMNS), {"until": hour.replace(hour=0)})
        made = int(cursor.rowcount)
        if not DaySoFar.objects.filter(until__gte=hour).exists():
            DaySoFar.objects.all().delete()
            so_far = _add_up(DaySoFar._meta.db_table, f"{_COLUMNS}, until", ", %(until)s")
            cursor.execute(so_far, {"until": hour})
        return made


def _add_up(table: str, columns: str, further: str = "") -> str:
    newer = sums_of("at < %(until)s AND at >= (SELECT at FROM edge)")
    return (
        f"INSERT INTO {table} ({columns}) WITH edge AS (SELECT {EDGE} AS at)"  # noqa: S608  # names of our own tables
        f" SELECT {_COLUMNS}{further} FROM ({newer}) AS newer"
    )


_KEY = ("day", "agent_id", "tool", "failure_class", "strategy", "came")
_OF_RECOVERY = ", ".join(_KEY)
# Rows of the same, which the trigger on failures has written, as one. What is written meanwhile is another row.
_TOGETHER = f"""
WITH many AS (
    SELECT {_OF_RECOVERY} FROM {RecoveryDay._meta.db_table}
    GROUP BY {_OF_RECOVERY} HAVING count(*) > 1 OR sum(cases) = 0
), gone AS (
    DELETE FROM {RecoveryDay._meta.db_table} AS row USING many
    WHERE ({", ".join(f"row.{one}" for one in _KEY)}) = ({", ".join(f"many.{one}" for one in _KEY)}) RETURNING row.*
)
INSERT INTO {RecoveryDay._meta.db_table} ({_OF_RECOVERY}, cases)
SELECT {_OF_RECOVERY}, sum(cases) FROM gone GROUP BY {_OF_RECOVERY} HAVING sum(cases) <> 0
"""  # noqa: S608  # names of our own table and its columns


def join_recoveries() -> None:
    """Make one row of many of the same recoveries of a day, and none where they come to nothing."""
    with transaction.atomic(), connection.cursor() as cursor:
        if _alone(cursor):
            cursor.execute(_TOGETHER)


def _alone(cursor: CursorWrapper) -> bool:
    """Whether nobody else adds up or joins; till the transaction ends nobody does."""
    cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
    return bool(cursor.fetchone()[0])
