"""Changing what an open goal was given: priority, deadline, what it is a part of, what it waits for.

The claim, the watch beside a running plan and the agent's next decision read these from the goal's row, so a change
counts from there on; here is what has to be done at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from agents.bdi.intentions import goal_terms
from agents.bdi.intentions.goal_terms import Terms
from agents.goals import handed_over
from agents.models import Goal
from agents.plans import adoption
from agents.record import logs, wake_ups
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.record.moves import move_goal
from agents.record.selectors import goals_visible_to, may_change
from agents.states import GoalState
from people import journal
from people.journal import Event
from people.models import User

MOST_DEPENDENCIES = 50
# "mxgo": two people who each close one half of a circle see nothing of each other, so one at a time changes such terms.
_ONE_AT_A_TIME = 0x6D78676F
# What leads on from a goal, however far: its wholes, and what it waits for.
_UPWARDS = """
WITH RECURSIVE reached(id) AS (
    SELECT unnest(%s::bigint[])
    UNION SELECT goal.parent_id FROM agents_goal goal JOIN reached USING (id) WHERE goal.parent_id IS NOT NULL)
SELECT goal.id, goal.parent_id FROM agents_goal goal JOIN reached USING (id) WHERE goal.parent_id IS NOT NULL
"""
_BEFORE = """
WITH RECURSIVE reached(id) AS (
    SELECT unnest(%s::bigint[])
    UNION SELECT edge.to_goal_id FROM agents_goal_depends_on edge JOIN reached ON edge.from_goal_id = reached.id)
SELECT edge.from_goal_id, edge.to_goal_id
FROM agents_goal_depends_on edge JOIN reached ON edge.from_goal_id = reached.id
"""


def of(goal: Goal) -> Terms:
    """What the goal was given, as it stands."""
    waits = goal.depends_on.order_by("pk").values_list("pk", flat=True)
    return Terms(goal.priority, _text(goal.deadline), goal.parent_id, tuple(waits))


def check(goal_id: int, terms: Terms) -> None:
    """Raise GoalRefused for terms with which the goal could never begin; 0: a goal that is still to be made."""
    if terms.parent is None and not terms.depends_on:
        return
    start = [*terms.depends_on, *([terms.parent] if terms.parent is not None else ())]
    with connection.cursor() as cursor:
        parents, waits = _edges(cursor, _UPWARDS, start), _edges(cursor, _BEFORE, start)
    if (found := goal_terms.knot(goal_id, terms, parents, waits)) is not None:
        raise GoalRefused(found.field, found.why)


def change(goal: Goal, *, by: User, **wanted: Any) -> Goal:
    """Give an open goal another `priority`, `deadline`, `parent` or `depends_on`; what is not named stays.

    Setting what is so already changes nothing and leaves no trace. Raises NotYours, NotPossibleNow for a goal that has
    ended or is past what was asked, GoalRefused naming the field.
    """
    if not may_change(by, goal):
        raise NotYours("Only the goal's submitter and operators may change this.")
    with transaction.atomic():
        if "parent" in wanted or "depends_on" in wanted:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_ONE_AT_A_TIME])
        goal = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
        if goal.has_ended:
            raise NotPossibleNow(f"Goal {goal.pk} has ended: {goal.state}. Submit it again with the new values.")
        before = of(goal)
        after = _wished(goal, before, by, wanted)
        changed = goal_terms.changes(before, after)
        if not changed:
            return goal
        _write(goal, by, after, changed, wanted)
        said = goal_terms.in_words(changed)
        told: dict[str, Any] = {name: {"before": old, "after": new} for name, (old, new) in changed.items()}
        logs.say(goal.pk, "person", "deliberate", f"{by.username} changes {said}", **told)
        _react(goal, by, changed)
        wake_ups.goal_changed(goal.pk)
        data = {
            "before": {name: old for name, (old, _) in changed.items()},
            "after": {name: new for name, (_, new) in changed.items()},
        }
        journal.record(Event.GOAL, by=by, subject=f"goal:{goal.pk}", data=data)
    goal.refresh_from_db()
    return goal


def _wished(goal: Goal, before: Terms, by: User, wanted: dict[str, Any]) -> Terms:
    """The terms as they should become, checked one by one and then together."""
    priority = wanted.get("priority", before.priority)
    if isinstance(priority, bool) or not isinstance(priority, int) or not 1 <= priority <= 5:
        raise GoalRefused("priority", "Priority is a number from 1 (first) to 5 (last).")
    deadline = _text(wanted["deadline"]) if "deadline" in wanted else before.deadline
    if deadline != before.deadline and wanted["deadline"] is not None and wanted["deadline"] <= timezone.now():
        raise GoalRefused("deadline", "This time is in the past. Choose a later one, or leave it empty.")
    parent: Goal | None = wanted.get("parent")
    whole = (parent.pk if parent is not None else None) if "parent" in wanted else before.parent
    if whole != before.parent and parent is not None and (parent.has_ended or not may_change(by, parent)):
        raise GoalRefused("parent", "A goal can only be part of a goal of yours that has not ended.")
    waits = before.depends_on
    if "depends_on" in wanted:
        waits = _waits(goal, before.depends_on, by, wanted["depends_on"])
    after = Terms(priority, deadline, whole, waits)
    if (after.parent, after.depends_on) != (before.parent, before.depends_on):
        check(goal.pk, after)
    return after


def _waits(goal: Goal, before: tuple[int, ...], by: User, wanted: Sequence[Goal]) -> tuple[int, ...]:
    after = tuple(sorted({each.pk for each in handed_over.awaited(wanted)}))
    if after == before:
        return before
    if len(after) > MOST_DEPENDENCIES:
        raise GoalRefused("depends_on", f"A goal waits for {MOST_DEPENDENCIES} others at most.")
    if goal.state not in (GoalState.BLOCKED, GoalState.PENDING) or _is_held(goal) or goal.sub_goals.exists():
        raise NotPossibleNow(f"Goal {goal.pk} is {goal.state}: its dependencies count only before it starts.")
    new = [each for each in wanted if each.pk not in before]
    seen = goals_visible_to(by).in_bulk([each.pk for each in new])
    if any(each.pk not in seen for each in new):
        raise GoalRefused("depends_on", "One of these goals does not exist, or is not yours to see.")
    refuse_lost(seen.values())
    return after


def refuse_lost(wanted: Iterable[Goal]) -> None:
    """Raise GoalRefused for a goal of which nothing comes any more, so that whatever waits for it could never start."""
    if lost := next(filter(handed_over.is_lost, wanted), None):
        ended = lost.shown_state.replace("_", " ")
        raise GoalRefused(
            "depends_on", f"Goal {lost.pk} ended as {ended}, so a goal that waits for it could never start."
        )


def _is_held(goal: Goal) -> bool:
    """Whether a worker has it at this moment, by the database's clock: it is about to be planned."""
    return Goal.objects.filter(pk=goal.pk).extra(where=["lease_until > clock_timestamp()"]).exists()


def _write(goal: Goal, by: User, after: Terms, changed: dict[str, Any], wanted: dict[str, Any]) -> None:
    columns: dict[str, Any] = {}
    if "priority" in changed:
        columns["priority"] = after.priority
    if "deadline" in changed:
        columns["deadline"] = wanted["deadline"]
    if "parent" in changed:
        columns["parent_id"] = after.parent
    if columns:
        Goal.objects.filter(pk=goal.pk).update(**columns)
    if "depends_on" in changed:
        goal.depends_on.set(after.depends_on)


def _react(goal: Goal, by: User, changed: dict[str, Any]) -> None:
    """What the goal's state asks for at once; the rest is read by whoever decides next."""
    if "deadline" in changed and goal.state == GoalState.MANUAL and goal.reason.startswith(adoption.OVERDUE):
        move_goal(goal, GoalState.PENDING, by=by.username, reason="")
        wake_ups.wake(goal.pk)
    if "depends_on" not in changed:
        return
    open_ones = goal.depends_on.exclude(state=GoalState.ACHIEVED.value).order_by("pk").values_list("pk", flat=True)
    waiting = list(open_ones)
    if waiting:
        reason = "waits for goal " + ", ".join(map(str, waiting))
        if goal.state == GoalState.PENDING:
            move_goal(goal, GoalState.BLOCKED, by=by.username, reason=reason, wake_at=None)
        else:
            Goal.objects.filter(pk=goal.pk).update(reason=reason)
    elif goal.state == GoalState.BLOCKED:
        move_goal(goal, GoalState.PENDING, by=by.username, reason="")
        wake_ups.wake(goal.pk)


def _text(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds")


def _edges(cursor: Any, query: str, start: list[int]) -> dict[int, list[int]]:
    cursor.execute(query, [start])
    found: dict[int, list[int]] = {}
    for below, above in cursor.fetchall():
        found.setdefault(below, []).append(above)
    return found
