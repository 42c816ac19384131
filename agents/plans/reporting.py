"""Reporting what a try of an intent came to. A late worker's report changes nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Sum
from django.db.models.functions import Now

from agents.bdi.recovery.recovery import Choice, Failure
from agents.models import Attempt, Goal, Intent, IntentPlan, RecoveryAttempt, Standstill
from agents.plans import report_filing
from agents.record import logs, prepared, wake_ups
from agents.record.errors import AgentsError
from agents.record.lease import Lease, LeaseLost, hold
from agents.record.logs import NewLine, json_text, storable
from agents.record.moves import move_goal, move_intents
from agents.record.statements import statement
from agents.states import GoalState, IntentState, PlanState


class Cancelled(AgentsError):
    """A person cancelled the goal while the step ran; its result is not recorded."""


class WorkspaceMoved(AgentsError):
    """The workspace's head is no longer the one the step started from."""


class Halted(AgentsError):
    """The agent was paused, or everything stands still: no further step begins now."""


@dataclass(frozen=True)
class Running:
    """A try that has begun: its row, where it stands, and the snapshot it starts from.

    `alternative` is the declared one that is tried in the step's place, 0 for the step itself. `stamp` is the gate's
    word from after the try had begun (None: not asked yet), `told` whether the log says that it has begun. `session` is
    what was stored of the session by then (None: not known).
    """

    attempt_id: int
    number: int
    position: int
    before: str
    alternative: int = 0
    stamp: str | None = field(default=None, compare=False)
    told: bool = field(default=False, compare=False)
    session: Mapping[str, Any] | None = field(default=None, compare=False)

    def is_changed_by(self, done: Done) -> bool:
        """Whether more is to be recorded than that it has ended, and how: a recovery, other files, another session."""
        return self.number > 1 or done.after != self.before or done.session != self.session


@dataclass(frozen=True)
class Done:
    """A finished try: succeeded or skipped, the result people see, and what it leaves behind."""

    intent_state: IntentState
    result: Mapping[str, Any]
    after: str
    session: Mapping[str, Any]
    reason: str = ""


@dataclass(frozen=True)
class Said:
    """What the worker itself has to say around a step: about what has happened, and that the next try begins.

    The second is said only while the gate's stamp is `granted`: until it is asked again nobody knows whether it may.
    """

    lines: Sequence[NewLine] = ()
    begins: Sequence[NewLine] = ()
    granted: str = ""


def advance(
    plan: IntentPlan, lease: Lease, running: Running, done: Done, *, go_on: bool, said: Said | None = None
) -> Running | None:
    """Report the try as ended with what is to be said, begin the next intent's first try and take the gate's stamp of
    that moment, in one statement; None when no further try was begun. People read it when it is filed (`filing`).

    Raises LeaseLost, Cancelled or WorkspaceMoved when a condition on the plan's row does not hold; then nothing was
    written. A report that was made before is answered as it was then.
    """
    said = said or Said()
    changed = running.is_changed_by(done)
    values = _values(plan, lease, running, done, said.lines, changed=changed)
    values |= {"agent": lease.agent, "go_on": go_on, "granted": said.granted, "begins": logs.as_json(said.begins)}
    row = prepared.row(statement("advance", changed=changed), values)
    if row is None:
        _explain(plan, lease, running)
        return _reported_before(plan, running)
    attempt_id, stamp = row
    if attempt_id is None:
        return None
    told = stamp == said.granted
    return Running(attempt_id, 1, running.position + 1, done.after, stamp=stamp, told=told, session=done.session)


def first(plan: IntentPlan, said: Said, row: Sequence[Any]) -> Running | None:
    """The first try that the statement which took the plan up began; None when nothing may begin now."""
    _, attempt_id, stamp = row
    if attempt_id is None:
        return None
    before, told = plan.workspace.head, stamp == said.granted
    return Running(attempt_id, 1, plan.position, before, stamp=stamp, told=told, session=plan.session.state)


def complete(
    plan: IntentPlan,
    lease: Lease,
    running: Running,
    done: Done,
    said: Sequence[NewLine],
    goal: Mapping[str, object],
) -> None:
    """Report the last try as ended, end the plan, move the goal as `goal` says, give the lease back and file all that
    steps reported, in one transaction.

    Raises as `advance`.
    """
    changed = running.is_changed_by(done)
    values = _values(plan, lease, running, done, said, changed=changed) | dict(goal)
    ended, filed = prepared.together(
        [
            (statement("complete", changed=changed), values),
            report_filing.behind_the_end(plan.pk, plan.goal_id, lease.fence),
        ]
    )
    if ended is None:
        _explain(plan, lease, running)  # comes back when this very report was made already
    report_filing.told(plan.goal_id, filed)


def _values(
    plan: IntentPlan, lease: Lease, running: Running, done: Done, said: Sequence[NewLine], *, changed: bool
) -> dict[str, object]:
    """What the statements that report a try are told of it; the session only where it can be another one."""
    return {
        "plan": plan.pk,
        "goal": plan.goal_id,
        "workspace": plan.workspace_id,
        "fence": lease.fence,
        "position": running.position,
        "digest": plan.digest,
        "before": running.before,
        "after": done.after,
        "attempt": running.attempt_id,
        "outcome": done.intent_state.value,
        "intent_state": done.intent_state.value,
        "result": json_text(done.result),
        "reason": storable(done.reason),
        "session": json_text(done.session) if changed else None,
        "worker": lease.owner,
        "said": logs.as_json(said),
    }


def _explain(plan: IntentPlan, lease: Lease, running: Running) -> None:
    """Name the condition that did not hold; returns only when this very report was made already."""
    now = IntentPlan.objects.select_related("workspace").get(pk=plan.pk)
    if now.fence != lease.fence:
        raise LeaseLost(f"plan {plan.pk} has fence {now.fence}, this worker {lease.fence}")
    if now.position > running.position:
        return
    if now.cancel_requested or now.state == PlanState.CANCELLED:
        raise Cancelled(now.reason)
    if now.workspace.head != running.before:
        raise WorkspaceMoved("the workspace changed while the step ran")
    raise LeaseLost(f"plan {plan.pk} is {now.state} at {now.position}")


def _reported_before(plan: IntentPlan, running: Running) -> Running | None:
    report_filing.file(plan.pk, plan.goal_id)
    following = (
        Attempt.objects.filter(intent__intent_plan=plan, intent__position=running.position + 1)
        .order_by("-number")
        .first()
    )
    if following is None:
        return None
    return Running(
        following.pk,
        following.number,
        running.position + 1,
        following.snapshot_before,
        following.alternative,
        told=True,
    )


def begin(plan: IntentPlan, lease: Lease, position: int, *, said: Said | None = None) -> Running:
    """Begin a try of the intent at a position; the row exists before anything runs.

    Raises Halted while its agent is paused or everything stands still. As in `advance`, the gate's stamp is taken with
    it, and the log says that it begins while that is `granted`; of a further try only the number tells what to say, so
    the caller says it.
    """
    said = said or Said()
    values = {
        "goal": lease.goal_id,
        "plan": plan.pk,
        "fence": lease.fence,
        "position": position,
        "worker": lease.owner,
        "granted": said.granted,
        "lines_of_it": len(said.lines),
        "lines_of_next": len(said.begins),
        "lines": logs.as_json([*said.lines, *said.begins]),
    }
    row = prepared.row(statement("begin"), values)
    if row is None:
        raise LeaseLost(f"goal {lease.goal_id} was taken over (fence {lease.fence})")
    halted, head, attempt_id, number, alternative, stamp, last = row
    if halted:
        raise Halted(begins_later(lease.goal_id, position))
    if attempt_id is None:
        raise LeaseLost(f"step {position} of plan {plan.pk} has ended")
    wake_ups.goal_changed(plan.goal_id, last)
    told = bool(said.begins) and stamp == said.granted and (number, alternative) == (1, 0)
    stored = plan.session.state
    return Running(attempt_id, number, position, head, alternative, stamp=stamp, told=told, session=stored)


def begins_later(goal_id: int, position: int) -> str:
    """When a paused intent starts, for the person who looks for the button that resumes it."""
    if Standstill.objects.exists():
        return f"step {position} starts when everything is resumed"
    agent = Goal.objects.values_list("agent__name", flat=True).get(pk=goal_id)
    return f"step {position} starts when the agent {agent} is resumed"


def held(plan: IntentPlan, lease: Lease) -> Goal:
    """As `hold`, with all that steps of the plan reported filed, for whoever goes on with their rows."""
    goal = hold(lease)
    report_filing.file(plan.pk, plan.goal_id)
    return goal


def seconds_run(plan: IntentPlan) -> float:
    """How long the tries of its main steps have run so far, those that failed or were lost included."""
    ended = Attempt.objects.filter(
        intent__intent_plan=plan, intent__phase=Intent.Phase.MAIN, finished__isnull=False
    ).aggregate(ran=Sum(F("finished") - F("started")))
    return ended["ran"].total_seconds() if ended["ran"] else 0.0


def fail(
    plan: IntentPlan, lease: Lease, running: Running, result: Mapping[str, Any], failure: Failure, choice: Choice
) -> None:
    """Record a failed try with its class, and the strategy that was chosen."""
    with transaction.atomic():
        goal = held(plan, lease)
        finish(running, "failed", result, failure.failure_class.value, failure.reason)
        move_intents(
            plan.intents.filter(position=running.position),
            IntentState.FAILED,
            reason=storable(failure.reason),
            result=stored(result),
        )
        RecoveryAttempt.objects.create(
            attempt_id=running.attempt_id,
            failure_class=failure.failure_class.value,
            strategy=choice.strategy.value,
            why=choice.why,
            delay_s=choice.delay_s,
            alternative=choice.alternative,
        )
        if choice.goes_on:
            wake_at = Now() + timedelta(seconds=choice.delay_s)
            move_goal(
                goal, GoalState.RECOVERING, by=lease.owner, reason=f"{failure.reason}; {choice.why}", wake_at=wake_at
            )
        wake_ups.goal_changed(plan.goal_id)


def not_tried(plan: IntentPlan, lease: Lease, running: Running, outcome: str, reason: str) -> None:
    """Close a try that says nothing about the step: cancelled, lost with its worker, or no sandbox to run in."""
    with transaction.atomic():
        held(plan, lease)
        finish(running, outcome, None, "", reason)
        wake_ups.goal_changed(plan.goal_id)


def finish(running: Running, outcome: str, result: Mapping[str, Any] | None, failure_class: str, reason: str) -> None:
    """Close a try; one that is closed stays as it is. The caller holds the goal's row."""
    Attempt.objects.filter(pk=running.attempt_id, finished=None).update(
        finished=Now(),
        outcome=outcome,
        result=stored(result),
        failure_class=failure_class,
        reason=storable(reason),
    )


def stored(result: Mapping[str, Any] | None) -> Any:
    """A result as a row keeps it."""
    return None if result is None else json.loads(json_text(result))
