"""Taking up a plan under a lease: an approved one begins, one that a dead worker left goes on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.db import IntegrityError, connection, models, transaction

from agents.bdi.plans.document import Document
from agents.models import Attempt, Intent, IntentPlan, TerminalSession, Workspace
from agents.plans import ending, footings, put_off, renewals, report_filing, reporting
from agents.plans.reporting import Running, Said
from agents.record import gate, logs, prepared, wake_ups
from agents.record.lease import CLAIMED, LOST_WORKERS_MAX, Claiming, Lease, Turn, hold
from agents.record.moves import move_goal
from agents.record.statements import statement
from agents.states import GOAL_MOVES, GoalState, IntentState, MoveRefused, PlanState

_Row = TypeVar("_Row", bound=models.Model)


@dataclass(frozen=True)
class Found:
    """The state a goal is in, and its open plan with session and workspace; all of it is locked.

    `moved` is as `renewing.moved_since` has it, `read` what the gate goes by, where that was read with the claim.
    """

    state: GoalState
    plan: IntentPlan
    moved: Document | None = None
    read: Sequence[prepared.Row] | None = None


@dataclass(frozen=True)
class Taken:
    """A plan was taken up; `running` is its first try, when that has begun with it."""

    running: Running | None = None


def claim(goal_id: int | None, of: Turn = Turn.ANY) -> tuple[Lease, Found | None] | None:
    """As `lease.claim`; an approved plan that waited for nothing but a worker is found and locked with it.

    Of a goal that is named, what the gate goes by is asked for in the same exchange, and the plan made out meanwhile.
    """
    claiming = Claiming(goal_id, of)
    of_it = [(each, {"goal": goal_id}) for each in gate.reads(_OPEN)] if goal_id is not None else []
    with prepared.first_of([claiming.asked(_APPROVED), *of_it]) as (row, others):
        lease = claiming.lease(row)
        if row is None or lease is None:
            return None
        if row[CLAIMED] is None:
            return lease, None
        found = _read(row[CLAIMED:])
        return lease, replace(found, read=others()) if of_it else found


def find(lease: Lease, locked: Found | None = None) -> Found | None:
    """Lock the goal and its approved or running plan, unless they are `locked` with the claim, in this transaction;
    None when there is none, or it is to be asked about again. Raises NotWeighed (`plans.footings`) where its workspace
    has moved and nobody has looked whether that concerns it.

    Rows are locked in the order goal, plan, workspace, typed command, here and everywhere (`advance.sql`,
    `agents/hands/typed.py`). The workspace's row is where a plan and a command typed by hand meet: each begins
    under its lock, and only when it does not see the other running.
    """
    found = locked or _locked(lease)
    if found is None or found.plan.state != PlanState.APPROVED:
        return found
    if found.moved is not None:
        differing = footings.weighed(found.plan)
        if differing is None:
            raise footings.NotWeighed
        if differing:
            renewals.ask_for_moved(hold(lease), found.plan, found.moved, differing, by=lease.owner)
            return None
    if found.state is not GoalState.EXECUTING and GoalState.EXECUTING not in GOAL_MOVES[found.state]:
        raise MoveRefused(f"goal {lease.goal_id} cannot go from {found.state} to executing")
    return found


def begin(lease: Lease, found: Found, said: Said | None) -> Taken | None:
    """Move an approved plan and its goal to executing under this lease's fence; None when it must wait or has ended.

    The fence goes onto the plan's row before anything runs: from here on a late worker's report is refused. With `said`
    its first try begins too, as `record.advance` begins the next one, by a report of a step before it.
    """
    try:
        # Within the caller's transaction there is nothing to go back to but its beginning.
        with transaction.atomic(savepoint=False):
            return _begun(lease, found, said)
    except IntegrityError:
        # The race it answers: two plans of one workspace at once. The unique index let the other one through.
        return None


def _locked(lease: Lease) -> Found | None:
    """None when the goal has no such plan; LeaseLost when it is not ours."""
    row = prepared.row(_LOCK, {"goal": lease.goal_id, "fence": lease.fence})
    if row is None:
        hold(lease)
        return None
    return _read(row)


def _read(row: Sequence[Any]) -> Found:
    state, commitment, session_id, session, *rest = row
    plan = _instance(IntentPlan, rest[: len(_PLAN)])
    plan.commitment = commitment or ""
    plan.workspace = _instance(Workspace, rest[len(_PLAN) :])
    if session_id is not None:
        plan.session = TerminalSession(pk=session_id, intent_plan_id=plan.pk, state=json.loads(session))
    is_approved = plan.state == PlanState.APPROVED
    return Found(GoalState(state), plan, renewals.moved_since(plan) if is_approved else None)


def _instance(model: type[_Row], values: list[Any]) -> _Row:
    fields = model._meta.concrete_fields
    read = [
        json.loads(value) if isinstance(field, models.JSONField) and isinstance(value, str) else value
        for field, value in zip(fields, values, strict=True)
    ]
    return model.from_db(connection.alias, [field.attname for field in fields], read)


_PLAN = [f'plan."{field.column}"' for field in IntentPlan._meta.concrete_fields]
_WORKSPACE = [f'workspace."{field.column}"' for field in Workspace._meta.concrete_fields]
_FIND = f"""
SELECT goal.state,
       (SELECT held.kind FROM agents_agentcommitment held WHERE held.agent_id = goal.agent_id
        ORDER BY held.id DESC LIMIT 1),
       session.id, session.state, {", ".join([*_PLAN, *_WORKSPACE])}
FROM {{goal}} goal
JOIN agents_intentplan plan ON plan.goal_id = goal.id
JOIN agents_workspace workspace ON workspace.id = plan.workspace_id
LEFT JOIN agents_terminalsession session ON session.intent_plan_id = plan.id
WHERE """  # noqa: S608  # names of our own columns
_LOCK = f"""{_FIND.format(goal="agents_goal")}
    goal.id = %(goal)s AND goal.lease_fence = %(fence)s AND plan.state IN ('approved', 'executing')
FOR NO KEY UPDATE OF goal, plan, workspace
"""
_OPEN = "plan.goal_id = %(goal)s AND plan.state = 'approved'"
# The goal's row is locked by what claims it.
_APPROVED = f"""{_FIND.format(goal="claimed")}
    goal.state = 'awaiting_review' AND goal.lost_workers = 0 AND plan.state = 'approved'
FOR NO KEY UPDATE OF plan, workspace
"""


def _begun(lease: Lease, found: Found, said: Said | None) -> Taken | None:
    plan = found.plan
    begins = said or Said()
    values = {
        "goal": plan.goal_id,
        "agent": lease.agent,
        "plan": plan.pk,
        "fence": lease.fence,
        "worker": lease.owner,
        "goal_state": found.state.value,
        "first": said is not None,
        "head": plan.workspace.head,
        "granted": begins.granted,
        "said": logs.as_json(begins.lines),
        "begins": logs.as_json(begins.begins),
    }
    # Behind a first try nothing else is to be written with the claim.
    row = prepared.row(statement("take_up"), values, last=said is not None)
    if row is None:
        return None  # a command typed by hand runs on these files
    plan.state, plan.reason, plan.fence = PlanState.EXECUTING.value, "", lease.fence
    wake_ups.goal_changed(lease.goal_id)
    if found.state in (GoalState.AWAITING_REVIEW, GoalState.MANUAL):
        wake_ups.queue_changed()
    if said is not None:
        return Taken(reporting.first(plan, said, row))
    if plan.cancel_requested:
        ending.cancel(plan, lease)
        return None
    return Taken() if not _has_cost_too_many(plan, lease, lost=0) else None


def go_on(lease: Lease, plan: IntentPlan) -> Taken | None:
    """Go on with a plan that another claim left; None when it has ended instead."""
    IntentPlan.objects.filter(pk=plan.pk).update(fence=lease.fence)
    plan.fence = lease.fence
    report_filing.file_locked(plan.pk, plan.goal_id)
    _close_lost_tries(plan, lease)
    put_off.go_where_it_goes_on(plan)
    goal = hold(lease)
    if goal.state != GoalState.EXECUTING:
        move_goal(goal, GoalState.EXECUTING, by=lease.owner, wake_at=None)
    return Taken() if not _stopped_before_it_ran(plan, lease) else None


def _stopped_before_it_ran(plan: IntentPlan, lease: Lease) -> bool:
    """End a plan that was cancelled, must not be repeated, or has cost three workers; True when it ended."""
    if plan.cancel_requested:
        ending.cancel(plan, lease)
        return True
    intent = plan.intents.filter(position=plan.position, state=IntentState.RUNNING.value).first()
    lost = intent.attempts.filter(outcome="lost").count() if intent else 0
    if intent is not None and lost and intent.effect == "once":
        ending.ask_for_outcome(plan, lease, intent)
        return True
    return _has_cost_too_many(plan, lease, lost=lost)


def _has_cost_too_many(plan: IntentPlan, lease: Lease, *, lost: int) -> bool:
    """Stop a plan that has cost three workers at this place; True when it has ended, and not only its main steps."""
    # Not every worker came as far as a try; and of one that was only slow the lease tells nothing.
    lost = max(lost, lease.lost)
    if lost < LOST_WORKERS_MAX:
        return False
    reason = f"worker_died_{lost}_times at step {plan.position}"
    logs.say(plan.goal_id, "worker", "execute", f"{lost} workers died at step {plan.position}", level="error")
    if plan.aborting:
        ending.fail(plan, lease, f"{plan.aborting}; then {reason}, while cleaning up")
        return True
    main = plan.intents.filter(phase=Intent.Phase.MAIN).count()
    ending.abort(plan, lease, reason, first_cleanup=main + 1)
    plan.refresh_from_db()
    return False


def _close_lost_tries(plan: IntentPlan, lease: Lease) -> None:
    """Mark the tries of a dead worker as lost, so that every try stays visible."""
    open_tries = Attempt.objects.filter(intent__intent_plan=plan, finished=None).select_related("intent")
    for attempt in open_tries:
        running = Running(attempt.pk, attempt.number, plan.position, attempt.snapshot_before)
        reporting.not_tried(plan, lease, running, "lost", f"worker {attempt.worker} did not come back")
        # Of one that must run once it is asked next what it did.
        then = "" if attempt.intent.effect == "once" else "; it starts again from its snapshot"
        said = f"try {attempt.number} was lost with worker {attempt.worker}{then}"
        logs.say(plan.goal_id, "worker", "execute", said, level="warning")
