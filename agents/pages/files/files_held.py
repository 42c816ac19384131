"""Which goal has the files that an approved plan waits for: its plan, or a command typed in its session, runs there."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import Case, CharField, F, Value, When

from agents.models import Goal, HandCommand, IntentPlan
from agents.presentation.files_held import TYPED, Holder
from agents.record.selectors import goals_visible_to
from agents.states import GoalState, HandState, PlanState
from people.models import User

Row = tuple[int, int, str, str, datetime, str]
_PAUSED = Case(When(goal__agent__paused=True, then=F("goal__agent__name")), default=Value(""), output_field=CharField())


def of(goals: Collection[int], user: User) -> dict[int, Holder]:
    """Of those of the goals that are approved and have not begun: who has their files, as far as this person may know.

    Where nobody has, a worker takes the goal up, and it is not in the answer.
    """
    waiting = IntentPlan.objects.filter(
        goal__in=goals, state=PlanState.APPROVED.value, goal__state=GoalState.AWAITING_REVIEW.value
    )
    wanted = dict(waiting.order_by().values_list("goal", "workspace"))
    if not wanted:
        return {}
    holders = _holders(set(wanted.values()), user)
    return {goal: holders[where] for goal, where in wanted.items() if where in holders}


def mark(goals: Collection[Goal], user: User) -> None:
    """Put it beside each goal of a list as `files_held`, None where nobody has the files it waits for; nothing is asked
    while none of them is `approved` (`selectors.approved`).
    """
    waiting = [goal.pk for goal in goals if goal.approved]  # type: ignore[attr-defined]
    found = of(waiting, user) if waiting else {}
    for goal in goals:
        goal.files_held = found.get(goal.pk)  # type: ignore[attr-defined]  # what a list shows beside the row's own


def rows(workspaces: Collection[int]) -> list[Row]:
    """Who has the files of these workspaces, and how it stands: workspace, goal, state, reason, since when, and the
    name of its agent when that is paused. A plan stands last, for a typed command ends within its time limit.
    """
    typed = HandCommand.objects.filter(workspace__in=workspaces, state=HandState.RUNNING.value).order_by()
    commands = typed.values_list("workspace", "goal", "started_at", "created_at")
    runs = IntentPlan.objects.filter(workspace__in=workspaces, state=PlanState.EXECUTING.value).order_by()
    columns = ("workspace", "goal", "goal__state", "goal__reason", "goal__changed_at", "paused")
    plans = runs.annotate(paused=_PAUSED).values_list(*columns)
    return [*((where, goal, TYPED, "", begun or made, "") for where, goal, begun, made in commands), *plans]


def _holders(workspaces: Collection[int], user: User) -> dict[int, Holder]:
    """By workspace."""
    found = rows(workspaces)
    seen = set(goals_visible_to(user).filter(pk__in={row[1] for row in found}).order_by().values_list("pk", flat=True))
    return {
        where: Holder(goal, state, reason, since, paused, named=goal in seen)
        for where, goal, state, reason, since, paused in found
    }
