"""The one place that moves goals, plans, intents, typed commands, wishes and what is reviewed before a plan.

A move is a conditional update, a transition row and a hint.

An intent's history is its attempts and a typed command's is the audit, so moving one writes no transition.

Callers lock goal before plan when they move both, so that two movers never wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents.models import (
    BacklogItem,
    Goal,
    HandCommand,
    Intent,
    IntentPlan,
    LevelDocument,
    Rollout,
    ShadowRun,
    Transition,
    VersionTrial,
)
from agents.record import causes, leased, prepared, signals, telemetry, wake_ups
from agents.states import (
    BACKLOG_MOVES,
    GOAL_ENDED,
    GOAL_MOVES,
    INTENT_MOVES,
    LEVEL_MOVES,
    PLAN_ENDED,
    PLAN_MOVES,
    ROLLOUT_MOVES,
    SHADOW_MOVES,
    TRIAL_MOVES,
    BacklogState,
    GoalState,
    HandState,
    IntentState,
    LevelState,
    MoveRefused,
    PlanState,
    RolloutState,
    ShadowState,
    TrialState,
)

# Goals in these states stand in the review queue: with a plan to decide, or asking for a hand.
_IN_THE_QUEUE = frozenset({GoalState.AWAITING_REVIEW, GoalState.MANUAL})
# With {also} the further columns that are set.
_GOAL_MOVED = f"""
WITH moved AS (
    UPDATE {Goal._meta.db_table} SET state = %(new)s, reason = %(reason)s, changed_at = %(at)s{{also}}
    WHERE id = %(goal)s AND state = %(old)s
    RETURNING id
)
INSERT INTO {Transition._meta.db_table} (goal_id, old, new, reason, by, at)
SELECT id, %(old)s, %(new)s, %(reason)s, %(by)s, %(at)s FROM moved RETURNING id
"""  # noqa: S608  # names of our own tables
# What a goal's row says when nobody has its lease.
GIVEN_BACK: Mapping[str, Any] = {"lease_until": None, "lease_owner": ""}


def move_goal(
    goal: Goal,
    new: GoalState,
    *,
    by: str,
    reason: str = "",
    only_from: Iterable[GoalState] | None = None,
    **also: Any,
) -> Goal:
    """Move the goal to `new` and write the transition; `also` sets further columns in the same statement.

    The race it closes: two processes moving the same goal. Only rows still in the state that was read are updated;
    the loser gets MoveRefused and changes nothing.
    """
    old = GoalState(goal.state)
    if new not in GOAL_MOVES[old] or (only_from is not None and old not in set(only_from)):
        raise MoveRefused(f"goal {goal.pk} cannot go from {old} to {new}")
    now = timezone.now()
    if new in GOAL_ENDED:
        also = {**also, "ended_at": now, **GIVEN_BACK, "wake_at": None}
    written = {"goal": goal.pk, "old": old.value, "new": new.value, "reason": reason, "by": by, "at": now}
    # A moment by the database's clock is no value that could be sent.
    plain = {name: value for name, value in also.items() if not hasattr(value, "resolve_expression")}
    # No savepoint in the caller's transaction: a loser has changed nothing that would have to be undone.
    with transaction.atomic(savepoint=False):
        is_moved = prepared.row(_goal_moved(tuple(plain)), {**written, **plain}) is not None
        if is_moved and len(plain) < len(also):
            Goal.objects.filter(pk=goal.pk).update(**{name: also[name] for name in also.keys() - plain.keys()})
        if is_moved:
            _tell_of(goal, old, new)
    if not is_moved:
        raise MoveRefused(f"goal {goal.pk} is no longer {old}")
    for name, value in {"state": new.value, "reason": reason, "changed_at": now, **also}.items():
        setattr(goal, name, value)
    return goal


@lru_cache(maxsize=64)
def _goal_moved(also: tuple[str, ...]) -> str:
    """The statement that moves a goal and sets these fields of it, whose values are sent as they are."""
    columns = [field.column for name in also for field in Goal._meta.concrete_fields if field.name == name]
    return _GOAL_MOVED.replace("{also}", "".join(f", {one} = %({one})s" for one in columns))


def _tell_of(goal: Goal, old: GoalState, new: GoalState) -> None:
    """What follows from a goal's move, in its transaction."""
    wake_ups.goal_changed(goal.pk)
    if {old, new} & _IN_THE_QUEUE:
        wake_ups.queue_changed()
    if new in GOAL_ENDED:
        # What was reviewed for this goal leaves the queue with it, whatever ended it.
        waiting = LevelDocument.objects.filter(goal_id=goal.pk, state=LevelState.AWAITING_REVIEW.value)
        waiting.update(state=LevelState.CANCELLED.value, reason=f"the goal is {new.value}")
        telemetry.happened("result", goal.pk, {"mindx.state": new.value})
        # Dependants start or fail, and the experience is recorded, by the next cycle.
        wake_ups.wake(goal.pk)


def move_plan(plan: IntentPlan, new: PlanState, *, by: str, reason: str = "", **also: Any) -> IntentPlan:
    """Move the intent plan to `new` and write the transition; MoveRefused when the table or a racer forbids it."""
    old = PlanState(plan.state)
    if new not in PLAN_MOVES[old]:
        raise MoveRefused(f"intent plan {plan.pk} cannot go from {old} to {new}")
    values: dict[str, Any] = {"state": new.value, "reason": reason, **also}
    if new in PLAN_ENDED:
        values["ended_at"] = timezone.now()
    with transaction.atomic():
        if not IntentPlan.objects.filter(pk=plan.pk, state=old.value).update(**values):
            raise MoveRefused(f"intent plan {plan.pk} is no longer {old}")
        Transition.objects.create(
            goal_id=plan.goal_id, intent_plan=plan, old=old.value, new=new.value, by=by, reason=reason
        )
        wake_ups.goal_changed(plan.goal_id)
        if PlanState.AWAITING_REVIEW in (old, new):
            wake_ups.queue_changed()
        if new in PLAN_ENDED:
            signals.tell(signals.plan_ended, plan.pk)
    for name, value in values.items():
        setattr(plan, name, value)
    return plan


def move_intents(intents: QuerySet[Intent], new: IntentState, *, reason: str = "", **also: Any) -> int:
    """Move those of the intents that the table lets move; returns how many. The caller holds the goal's lease."""
    movable = [old.value for old, targets in INTENT_MOVES.items() if new in targets]
    return intents.filter(state__in=movable).update(state=new.value, reason=reason, **also)


def move_hand_command(command: HandCommand, new: HandState, *, reason: str = "", **also: Any) -> HandCommand:
    """Move a typed command, and tell whoever looks at its goal; MoveRefused as `leased.to`."""
    with transaction.atomic():
        leased.to(command, new, reason=reason, **also)
        wake_ups.goal_changed(command.goal_id)
    return command


def move_shadow(run: ShadowRun, new: ShadowState, *, reason: str = "", **also: Any) -> ShadowRun:
    """Move a dry run, and tell whoever looks at its plan; MoveRefused as `leased.to`."""
    with transaction.atomic():
        leased.to(run, new, reason=reason, **also)
        wake_ups.goal_changed(run.intent_plan.goal_id)
        if not SHADOW_MOVES[new]:
            signals.tell(signals.shadow_ended, run.intent_plan_id)
    return run


def move_level(document: LevelDocument, new: LevelState, *, reason: str = "", **also: Any) -> LevelDocument:
    """Move a design or a choice of rules; MoveRefused when the table forbids it, or somebody decided first."""
    old = LevelState(document.state)
    if new not in LEVEL_MOVES[old]:
        raise MoveRefused(f"{document} cannot go from {old} to {new}")
    values: dict[str, Any] = {"state": new.value, "reason": reason, **also}
    with transaction.atomic():
        if not LevelDocument.objects.filter(pk=document.pk, state=old.value).update(**values):
            raise MoveRefused(f"{document} is no longer {old}")
        wake_ups.goal_changed(document.goal_id)
        wake_ups.queue_changed()
    for name, value in values.items():
        setattr(document, name, value)
    return document


def move_backlog_item(item: BacklogItem, new: BacklogState, *, reason: str = "", **also: Any) -> BacklogItem:
    """Move a wish of the backlog; MoveRefused when the table forbids it, or somebody moved it first. Raises Forged."""
    old = BacklogState(item.state)
    if new not in BACKLOG_MOVES[old]:
        raise MoveRefused(f"item {item.pk} cannot go from {old} to {new}")
    values: dict[str, Any] = {"state": new.value, "reason": reason, "changed_at": timezone.now(), **also}
    with transaction.atomic():
        held = causes.lock(item)
        if held.state != old:
            raise MoveRefused(f"item {item.pk} is no longer {old}")
        causes.change(held, **values)
    for name, value in values.items():
        setattr(item, name, value)
    return item


def end_trial(trial: VersionTrial, verdict: str, *, reason: str) -> None:
    """End an A/B trial with its verdict; MoveRefused when it has ended, here or elsewhere. Raises Forged."""
    old = TrialState(trial.state)
    if TrialState.ENDED not in TRIAL_MOVES[old]:
        raise MoveRefused(f"{trial} has ended already")
    values = {"state": TrialState.ENDED.value, "verdict": verdict, "reason": reason, "ended_at": timezone.now()}
    with transaction.atomic():
        held = causes.lock(trial)
        if held.state != old:
            raise MoveRefused(f"{trial} is no longer {old}")
        causes.change(held, **values)
    for name, value in values.items():
        setattr(trial, name, value)


def move_rollout(rollout: Rollout, new: RolloutState, *, reason: str = "") -> Rollout:
    """End the watch over a version; MoveRefused when it has ended. Raises Forged."""
    old = RolloutState(rollout.state)
    if new not in ROLLOUT_MOVES[old]:
        raise MoveRefused(f"rollout {rollout.pk} cannot go from {old} to {new}")
    values = {"state": new.value, "reason": reason, "ended_at": timezone.now()}
    with transaction.atomic():
        held = causes.lock(rollout)
        if held.state != old:
            raise MoveRefused(f"rollout {rollout.pk} is no longer {old}")
        causes.change(held, **values)
    for name, value in values.items():
        setattr(rollout, name, value)
    return rollout
