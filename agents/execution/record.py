"""Recording what a try of an intent came to. A late worker's report changes nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from agents.bdi.recovery import Choice, Failure
from agents.errors import AgentsError
from agents.execution.lease import Lease, LeaseLost, hold
from agents.models import Attempt, Intent, IntentPlan, RecoveryAttempt
from agents.services import hints
from agents.services.logs import storable
from agents.services.moves import move_goal, move_intents
from agents.states import GoalState, IntentState, PlanState

_ADVANCE = (Path(__file__).parent / "advance.sql").read_text()


class Cancelled(AgentsError):
    """A person cancelled the goal while the step ran; its result is not recorded."""


class WorkspaceMoved(AgentsError):
    """The workspace's head is no longer the one the step started from."""


@dataclass(frozen=True)
class Running:
    """A try that has begun: its row, where it stands, and the snapshot it starts from.

    `alternative` is the declared one that is tried in the step's place, 0 for the step itself.
    """

    attempt_id: int
    number: int
    position: int
    before: str
    alternative: int = 0


@dataclass(frozen=True)
class Done:
    """A finished try: succeeded or skipped, the result people see, and what it leaves behind."""

    intent_state: IntentState
    result: Mapping[str, Any]
    after: str
    session: Mapping[str, Any]
    reason: str = ""


def json_text(value: Any) -> str:
    """JSON as Postgres stores it: no NUL, which jsonb cannot hold."""
    return json.dumps(value).replace("\\u0000", "\\u2400")


def advance(plan: IntentPlan, lease: Lease, running: Running, done: Done, *, go_on: bool) -> Running | None:
    """Finish the try and begin the next intent's first, in one statement; None when no further one was begun.

    Raises LeaseLost, Cancelled or WorkspaceMoved when a condition on the plan's row does not hold; then nothing was
    written. A report that was recorded before is answered as it was then.
    """
    values: dict[str, int | str | bool] = {
        "plan": plan.pk,
        "fence": lease.fence,
        "position": running.position,
        "digest": plan.digest,
        "before": running.before,
        "after": done.after,
        "attempt": running.attempt_id,
        "outcome": done.intent_state.value,
        "intent_state": done.intent_state.value,
        "result": json_text(done.result),
        "failure_class": "",
        "reason": storable(done.reason),
        "session": json_text(done.session),
        "worker": lease.owner,
        "go_on": go_on,
    }
    with connection.cursor() as cursor:
        cursor.execute(_ADVANCE, values)
        row = cursor.fetchone()
    if row is None:
        _explain(plan, lease, running)
        return _recorded_before(plan, running)
    hints.goal_changed(plan.goal_id)
    return Running(row[1], 1, running.position + 1, done.after) if row[1] is not None else None


def _explain(plan: IntentPlan, lease: Lease, running: Running) -> None:
    """Name the condition that did not hold; returns only when this very report was recorded already."""
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


def _recorded_before(plan: IntentPlan, running: Running) -> Running | None:
    following = (
        Attempt.objects.filter(intent__intent_plan=plan, intent__position=running.position + 1)
        .order_by("-number")
        .first()
    )
    if following is None:
        return None
    return Running(
        following.pk, following.number, running.position + 1, following.snapshot_before, following.alternative
    )


def begin(plan: IntentPlan, lease: Lease, position: int) -> Running:
    """Begin a try of the intent at a position; the row exists before anything runs."""
    with transaction.atomic():
        hold(lease)
        intent = Intent.objects.select_for_update(no_key=True).get(intent_plan=plan, position=position)
        last = intent.attempts.order_by("-number").select_related("recovery").first()
        number, alternative = (last.number + 1 if last else 1), _chosen_after(last)
        head = IntentPlan.objects.values_list("workspace__head", flat=True).get(pk=plan.pk)
        move_intents(Intent.objects.filter(pk=intent.pk), IntentState.RUNNING)
        attempt = Attempt.objects.create(
            intent=intent,
            number=number,
            fence=lease.fence,
            worker=lease.owner,
            started=timezone.now(),
            snapshot_before=head,
            alternative=alternative,
        )
        hints.goal_changed(plan.goal_id)
    return Running(attempt.pk, number, position, head, alternative)


def _chosen_after(last: Attempt | None) -> int:
    """The alternative that comes next: what the recovery chose after the last try, else what that try was of."""
    if last is None:
        return 0
    recovery = getattr(last, "recovery", None)
    return recovery.alternative if recovery is not None and recovery.alternative else last.alternative


def fail(
    plan: IntentPlan, lease: Lease, running: Running, result: Mapping[str, Any], failure: Failure, choice: Choice
) -> None:
    """Record a failed try with its class, and the strategy that was chosen."""
    with transaction.atomic():
        goal = hold(lease)
        _finish(running, "failed", result, failure.failure_class.value, failure.reason)
        move_intents(
            plan.intents.filter(position=running.position),
            IntentState.FAILED,
            reason=storable(failure.reason),
            result=_stored(result),
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
            wake_at = timezone.now() + timedelta(seconds=choice.delay_s)
            move_goal(
                goal, GoalState.RECOVERING, by=lease.owner, reason=f"{failure.reason}; {choice.why}", wake_at=wake_at
            )
        hints.goal_changed(plan.goal_id)


def not_tried(plan: IntentPlan, lease: Lease, running: Running, outcome: str, reason: str) -> None:
    """Close a try that says nothing about the step: cancelled, lost with its worker, or no sandbox to run in."""
    with transaction.atomic():
        hold(lease)
        _finish(running, outcome, None, "", reason)
        hints.goal_changed(plan.goal_id)


def _finish(running: Running, outcome: str, result: Mapping[str, Any] | None, failure_class: str, reason: str) -> None:
    Attempt.objects.filter(pk=running.attempt_id, finished=None).update(
        finished=timezone.now(),
        outcome=outcome,
        result=_stored(result),
        failure_class=failure_class,
        reason=storable(reason),
    )


def _stored(result: Mapping[str, Any] | None) -> Any:
    return None if result is None else json.loads(json_text(result))
