"""How rules are doing: how firmly their contexts held when they were chosen lately, and what they would serve now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import QuerySet

from agents.bdi.learning.coverage import Asked, Coverage, cover
from agents.beliefs import entailment_model
from agents.components import rules
from agents.insights import past_goals
from agents.models import Goal, Plan
from agents.rules.cascade import Judge
from agents.toolkit.registry import tools_in_use

# The matrix of a planning may be long, so only this many of the newest are read for a page.
PLANNINGS = 300
# Every rule that was chosen in one of them, for the goal or a sub-goal, with the score of its weakest context.
_WEAKEST = f"""
    SELECT (one -> 'rule' ->> 'component_version_id')::bigint, min((one ->> 'minimum')::float8), count(*)
    FROM (
            SELECT evidence FROM {Plan._meta.db_table} WHERE evidence ? 'relevant' ORDER BY id DESC LIMIT {PLANNINGS}
         ) plan,
         LATERAL (
            SELECT evidence UNION ALL SELECT jsonb_array_elements(coalesce(evidence -> 'subgoals', '[]'))
         ) node (it),
         LATERAL jsonb_array_elements(it -> 'relevant') one
    WHERE (one ->> 'chosen')::boolean AND one -> 'rule' ->> 'component_version_id' ~ '^[0-9]{{1,18}}$'
    GROUP BY 1
"""  # noqa: S608  # names of our own table


@dataclass(frozen=True)
class Weakest:
    """The least score by which a context of a version's held when it was chosen, of so many choices."""

    score: float
    choices: int


def weakest() -> dict[int, Weakest]:
    """By the version of a rule, over the newest 300 plannings; one look at the table."""
    with connection.cursor() as cursor:
        cursor.execute(_WEAKEST)
        return {version: Weakest(score, choices) for version, score, choices in cursor.fetchall()}


def coverage(goals: QuerySet[Goal], *, most: int, is_over: Callable[[], bool]) -> tuple[Coverage, int]:
    """What the rules in use would make of the newest of these goals now, and how many there are to try.

    Nothing is stored, and no language model is asked.
    """
    past = past_goals.newest(goals, most)
    asked = [Asked(one.goal, one.text, one.beliefs) for one in past]
    found = cover(asked, rules.known_rules(), tools_in_use(), judge_by=_judges, is_over=is_over)
    return found, len(asked)


def _judges(asked: Asked) -> Sequence[Judge]:
    with entailment_model.asked_about([belief.sentence for belief in asked.beliefs], keeps=False) as judges:
        return judges
