"""Adopting a goal: it becomes an intention, and the log says why this one and before which others."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone

from agents.bdi.intentions.cycle import Decision
from agents.bdi.intentions.deliberation import Candidate, Choice, choose
from agents.beliefs import grounds
from agents.models import Goal
from agents.record import logs, prepared
from agents.record.lease import Lease
from agents.record.moves import move_goal
from agents.states import GoalState

BY = "bdi_agent"
OVERDUE = "deadline_passed"
# So many goals that wait are named or counted beside the one that was chosen.
_LOOKED_AT = 50
_NAMED = 5
_WAITING = f"""
    SELECT id, priority, deadline FROM {Goal._meta.db_table}
    WHERE agent_id = %(agent)s AND state = %(pending)s AND id <> %(goal)s AND lease_until IS NULL AND wake_at IS NULL
    ORDER BY priority, deadline, id LIMIT %(most)s
"""  # noqa: S608  # the name of our own table


def adopt(goal: Goal, lease: Lease) -> bool:
    """Move a pending goal on to planning. False: it is not begun, and has ended or asks a person.

    The caller holds the goal's row. Which goal is next was decided by the claim; here it is said why.
    """
    if why := grounds.superseded(goal):
        said = f"not adopted: {why}"
        logs.say_decided(goal.pk, Decision.DO_NOT_ADOPT, "deliberate", said, "warning", why="superseded")
        move_goal(goal, GoalState.DROPPED, by=BY, reason=f"superseded: {why}")
        return False
    if why := grounds.impossible(goal):
        said = f"not adopted: {why}; a person must say whether it is wanted"
        logs.say_decided(goal.pk, Decision.DO_NOT_ADOPT, "deliberate", said, "warning", why=OVERDUE)
        move_goal(goal, GoalState.PLANNING, by=BY)
        move_goal(goal, GoalState.MANUAL, by=BY, reason=f"{OVERDUE}: {why}")
        return False
    choice = _choice(goal, lease)
    data: dict[str, Any] = {
        "priority": goal.priority,
        "waited_s": round((timezone.now() - goal.changed_at).total_seconds(), 1),
        "before": [int(other) for other in choice.before[:_NAMED]],
        "others": len(choice.before),
    }
    if goal.deadline is not None:
        data["deadline"] = goal.deadline.isoformat()
    said = f"adopted goal {goal.pk}: {choice.reason}"
    logs.say_decided(goal.pk, Decision.ADOPT, "deliberate", said, **data)
    move_goal(goal, GoalState.PLANNING, by=BY)
    return True


def _choice(goal: Goal, lease: Lease) -> Choice:
    """What the pure rule says of the goals that wait, in words about the one that was claimed."""
    values = {"agent": goal.agent_id, "goal": goal.pk, "pending": GoalState.PENDING.value, "most": _LOOKED_AT}
    waiting = ((goal.pk, goal.priority, goal.deadline), *prepared.rows(_WAITING, values))
    candidates = [_candidate(*row) for row in waiting]
    now = timezone.now().isoformat()
    chosen = choose(candidates, frozenset(), frozenset(), now, oldest=lease.oldest)
    if chosen.goal == str(goal.pk):
        return chosen
    # A person or an event asked for this one, or another worker has the first by now.
    others = tuple(one.id for one in candidates if one.id != str(goal.pk))
    return Choice(str(goal.pk), f"priority {goal.priority}, it was just woken", before=others)


def _candidate(goal_id: int, priority: int, deadline: datetime | None) -> Candidate:
    # Ids grow with time and are what the claim orders by.
    return Candidate(f"{goal_id}", priority, f"{goal_id:020}", deadline.isoformat() if deadline else "")
