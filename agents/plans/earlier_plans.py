"""Whether a goal has had plans or papers before: one statement, so that a new one is not asked for each of them."""

from __future__ import annotations

from dataclasses import dataclass

from agents.models import Goal, HandItem, IntentPlan, LevelDocument
from agents.record import prepared

_HAS_HAD = f"""
    SELECT EXISTS (SELECT FROM {IntentPlan._meta.db_table} WHERE goal_id = %(goal)s),
           EXISTS (SELECT FROM {LevelDocument._meta.db_table} WHERE goal_id = %(goal)s),
           EXISTS (SELECT FROM {HandItem._meta.db_table} WHERE goal_id = %(goal)s AND answered_at IS NULL)
"""  # noqa: S608  # names of our own tables


@dataclass(frozen=True)
class Earlier:
    """Which rows there are of a goal. It holds as long as the caller has the goal's row or lease: nobody adds any."""

    # Revisions that were proposed for it.
    plans: bool
    # Designs, and choices of rules.
    documents: bool
    # Hands that are still asked for.
    hands: bool


def of(goal: Goal) -> Earlier:
    """What there is of this goal."""
    return Earlier(*prepared.row(_HAS_HAD, {"goal": goal.pk}) or (True, True, True))
