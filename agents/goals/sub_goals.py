"""Making the sub-goals of a goal whose plan has ended, and ending the goal when all of them have ended."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.db import transaction

from agents.bdi.outcome.outcome import MISSED, Outcome
from agents.goals import goals
from agents.models import Goal, SubGoal, Workspace
from agents.plans.sub_goals import WAITS
from agents.record import causes, logs
from agents.record.causes import Forged
from agents.record.errors import GoalRefused, WorkspaceRefused
from agents.record.lease import Lease, hold
from agents.record.moves import move_goal
from agents.states import GoalState
from agents.workspaces import workspaces

logger = logging.getLogger(__name__)

NOT_MADE = "sub_goals_not_made"
FAILED = "sub_goals_failed"


def go_on(lease: Lease) -> bool:
    """Make the sub-goals of a blocked goal that are still to be made, or end it when all have ended.

    False: it has none, and waits for something else.
    """
    with transaction.atomic():
        goal = hold(lease)
        rows = list(goal.sub_goals.select_related("goal"))
        if not rows or goal.state != GoalState.BLOCKED:
            return False
        if all(row.goal is not None for row in rows):
            _end(goal, rows)
            return True
    try:
        _make(lease)
    except (GoalRefused, WorkspaceRefused, Forged) as refused:
        _not_made(lease, refused)
    return True


def _make(lease: Lease) -> None:
    """All of them or none: the worker may die at any moment, and a goal that waits for a sibling needs its row."""
    with transaction.atomic():
        goal = hold(lease)
        made: dict[str, Goal] = {}
        for row in goal.sub_goals.select_related("goal").order_by("number"):
            made[row.name] = row.goal or _make_one(goal, row, made)
        pks = ", ".join(str(one.pk) for one in made.values())
        said = f"broken down into {logs.counted(len(made), 'sub-goal')}: goal {pks}"
        logs.say(goal.pk, "bdi_agent", "deliberate", said, sub_goals=[one.pk for one in made.values()])
        Goal.objects.filter(pk=goal.pk).update(reason=f"{WAITS}: goal {pks}")


def _make_one(parent: Goal, row: SubGoal, made: dict[str, Goal]) -> Goal:
    if missing := [name for name in row.after if name not in made]:
        raise GoalRefused("after", f"{row.name} waits for {missing[0]}, which was not added.")
    causes.check(parent, row)
    child = goals.submit(
        by=parent.submitted_by,
        text=row.text,
        priority=parent.priority,
        workspace=_place(parent, row.workspace),
        depends_on=[made[name] for name in row.after],
        agent=parent.agent,
        deadline=parent.deadline,
        parent=parent,
        paced=False,
    )
    SubGoal.objects.filter(pk=row.pk, goal=None).update(goal=child)
    return child


def _place(parent: Goal, name: str) -> Workspace:
    if not name:
        return parent.workspace
    there = Workspace.objects.filter(name=name).first()
    return there or workspaces.create(by=parent.submitted_by, name=name)


def _not_made(lease: Lease, refused: GoalRefused | WorkspaceRefused | Forged) -> None:
    """What was approved cannot be made any more: the goal fails with the reason, and none of its parts is there."""
    with transaction.atomic():
        goal = hold(lease)
        reason = f"{NOT_MADE}: {refused}"
        logs.say(goal.pk, "bdi_agent", "deliberate", reason, level="error")
        move_goal(goal, GoalState.FAILED, by="bdi_agent", reason=reason)


def _end(goal: Goal, rows: Sequence[SubGoal]) -> None:
    """Achieved when every sub-goal is; else failed, naming those that are not."""
    children = [(row.name, row.goal) for row in rows if row.goal is not None]
    if not all(child.has_ended for _, child in children):
        return
    lost = [(name, child) for name, child in children if child.state != GoalState.ACHIEVED]
    if lost:
        reason = f"{FAILED}: {_named(lost)}"
        logs.say(goal.pk, "bdi_agent", "deliberate", reason, level="error")
        move_goal(goal, GoalState.FAILED, by="bdi_agent", reason=reason)
        return
    missed = [(name, child) for name, child in children if child.outcome in MISSED]
    outcome = Outcome.CHECK_FAILED if missed else _together([child.outcome for _, child in children])
    given = [(name, child) for name, child in children if child.outcome == Outcome.HANDED_OVER]
    reason = f"{FAILED}: {_named(missed)}" if missed else _named(given)
    said = reason or f"goal {goal.pk} ends with its {logs.counted(len(children), 'sub-goal')}: all ran to their end"
    logs.say(goal.pk, "bdi_agent", "deliberate", said, level="warning" if missed else "info")
    move_goal(goal, GoalState.ACHIEVED, by="bdi_agent", reason=reason, outcome=outcome.value)


def _together(outcomes: Sequence[str]) -> Outcome:
    """What the whole came to when no part of it missed: achieved only where all were checked, and none is people's."""
    if Outcome.HANDED_OVER.value in outcomes:
        return Outcome.HANDED_OVER
    return Outcome.ACHIEVED if set(outcomes) == {Outcome.ACHIEVED.value} else Outcome.NOT_CHECKED


def _named(some: Sequence[tuple[str, Goal]]) -> str:
    return ", ".join(f"goal {child.pk} ({name}) ended as {child.shown_state.replace('_', ' ')}" for name, child in some)
