"""What is held true for a goal, as rows: what people told is read, what was perceived is stored, by one statement each.

Every planning does both, with hundreds of sentences.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from agents.models import Belief, Goal
from agents.record import prepared
from agents.toolkit.types import Belief as Believed

_ROWS = Belief._meta.db_table
# The database's own clock: what has expired is not held, whether or not the sweep has been there.
_TOLD = f"""
    SELECT sentence, source, confidence, at::text, denies, expires_at FROM {_ROWS}
    WHERE goal_id = %(goal)s AND source <> 'perception' AND retracted_by = ''
        AND (expires_at IS NULL OR expires_at > statement_timestamp())
    ORDER BY id
"""  # noqa: S608  # the name of our own table
# What is seen as before goes on being held, with the moment since when. What a model's defaults would write stands here
# as it is; a test compares the two.
_PERCEIVED = f"""
WITH seen AS (
    SELECT sentence, confidence, place FROM ROWS FROM (json_to_recordset(%(seen)s::json)
        AS (sentence text, confidence float8)) WITH ORDINALITY AS each (sentence, confidence, place)
), held AS MATERIALIZED (
    SELECT id, sentence, confidence FROM {_ROWS}
    WHERE goal_id = %(goal)s AND source = 'perception' AND retracted_by = ''
), gone AS (
    UPDATE {_ROWS} SET retracted_by = 'perceived again' WHERE id IN (
        SELECT id FROM held WHERE NOT EXISTS (
            SELECT FROM seen WHERE seen.sentence = held.sentence AND seen.confidence = held.confidence))
)
INSERT INTO {_ROWS} (goal_id, sentence, source, confidence, at, retracted_by, about, denies)
SELECT %(goal)s, sentence, 'perception', confidence, %(now)s, '', '', '' FROM seen
WHERE NOT EXISTS (
    SELECT FROM held WHERE held.sentence = seen.sentence AND held.confidence = seen.confidence)
ORDER BY place
"""  # noqa: S608  # the name of our own table


@dataclass(frozen=True)
class Told:
    """A row of what people, or AGInt, told: the belief, what it denies, and until when it holds."""

    belief: Believed
    denies: str
    expires_at: datetime | None


def told(goal: Goal) -> list[Told]:
    """What is held now that was not perceived, in the order in which it was told."""
    return [
        Told(Believed(sentence, source, confidence, datetime.fromisoformat(at).isoformat()), denies, expires_at)
        for sentence, source, confidence, at, denies, expires_at in prepared.rows(_TOLD, {"goal": goal.pk})
    ]


def perceived(goal: Goal, beliefs: Sequence[Believed]) -> None:
    """Store those that were perceived now. What was perceived before and is not so any more is held no longer."""
    seen = [{"sentence": one.sentence, "confidence": one.confidence} for one in beliefs if one.source == "perception"]
    prepared.run(_PERCEIVED, {"goal": goal.pk, "seen": json.dumps(seen), "now": timezone.now()})
