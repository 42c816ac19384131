"""How far a goal's plans, revisions and turns of a model are numbered: one statement for the three."""

from __future__ import annotations

from dataclasses import dataclass

from agents.models import Generation, Goal, IntentPlan, Plan
from agents.record import prepared

_LAST = f"""
    SELECT coalesce((SELECT max(number) FROM {Plan._meta.db_table} WHERE goal_id = %(goal)s), 0),
           coalesce((SELECT max(revision) FROM {IntentPlan._meta.db_table} WHERE goal_id = %(goal)s), 0),
           coalesce((SELECT max(turn) FROM {Generation._meta.db_table} WHERE goal_id = %(goal)s), 0)
"""  # noqa: S608  # names of our own tables


@dataclass(frozen=True)
class Last:
    """The highest numbers that are there, 0 for none; they hold as long as the caller has the goal's row or lease."""

    plan: int = 0
    revision: int = 0
    turn: int = 0


def last_of(goal: Goal) -> Last:
    """The highest numbers of a goal."""
    return Last(*prepared.row(_LAST, {"goal": goal.pk}) or ())
