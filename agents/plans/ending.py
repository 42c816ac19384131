"""The ways a plan's run ends or waits: each one transaction under the lease, plan, goal and intents together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from agents.bdi.intentions.cycle import Decision
from agents.bdi.outcome.outcome import MISSED, OutcomeVerdict
from agents.bdi.plans.document import Document, IntentSpec
from agents.models import Attempt, Goal, Intent, IntentPlan, RecoveryAttempt
from agents.plans import renewals, reporting, sub_goals
from agents.plans.reporting import Done, Running, held
from agents.presentation import outcome_words
from agents.record import logs, telemetry, wake_ups, worked
from agents.record.errors import StepWaits
from agents.record.lease import Lease
from agents.record.logs import NewLine, json_text, storable
from agents.record.moves import move_goal, move_intents, move_plan
from agents.states import GoalState, IntentState, PlanState
from agents.workspaces.waiting_for_hands import WAITS_UNTIL

SANDBOX_WAIT_S = 15.0
# How the reason of a plan begins that its agent let go of, while its clean-up runs.
DROPPED = "dropped: "
# Whoever gives the word wakes the goal at once; this only finds a word whose wake-up was lost.
PERSON_WAIT_S = 600.0
# How the reason of a goal begins of which a step waits for somebody who was asked on the bus.
WAITS_FOR_ANSWER = "waits_for_answer"


def complete(
    plan: IntentPlan, lease: Lease, running: Running, done: Done, said: Sequence[NewLine], verdict: OutcomeVerdict
) -> None:
    """The last main step is done: with it the plan is complete, and the goal achieved unless a part of it is planned
    again. One transaction, which also gives the lease back: whoever held it goes on with what comes next. `verdict`
    is what the plan's checks showed: it is stored in the same statement.

    Raises as `record.advance`, and then nothing was written.
    """
    state, reason, line = _completed(plan, verdict)
    ends = state is GoalState.ACHIEVED
    values: dict[str, object] = {
        "goal_state": state.value,
        "goal_reason": reason,
        "goal_ends": ends,
        "goal_outcome": verdict.outcome.value if ends else "",
        "check_results": json_text(_results(verdict)),
    }
    reporting.complete(plan, lease, running, done, [*said, line], values)
    wake_ups.goal_changed(plan.goal_id)
    if ends:
        telemetry.happened("result", plan.goal_id, {"mindx.state": state.value})


def _completed(plan: IntentPlan, verdict: OutcomeVerdict) -> tuple[GoalState, str, NewLine]:
    """What the goal of a complete plan becomes, with its reason, and the line of the log that says so."""
    if plan.left_out and plan.rest == "plan_again":
        reason = "the rest is planned again"
        return GoalState.PENDING, reason, NewLine("bdi_agent", "execute", f"the approved part is done; {reason}")
    if sub_goals.are_to_come(plan):
        return (
            GoalState.BLOCKED,
            sub_goals.WAITS,
            NewLine("bdi_agent", "execute", "the plan is done; its sub-goals begin"),
        )
    level = "warning" if verdict.outcome in MISSED else "info"
    line = NewLine("bdi_agent", "execute", outcome_words.log_line(plan.goal_id, verdict), level)
    return GoalState.ACHIEVED, storable(outcome_words.reason(verdict)), line


def _results(verdict: OutcomeVerdict) -> list[dict[str, Any]]:
    return [one.to_json() for one in verdict.results]


def complete_behind_the_last(plan: IntentPlan, lease: Lease, verdict: OutcomeVerdict) -> None:
    """The last main step has ended without a worker: a person said that it took effect, did it, or left it out."""
    with transaction.atomic():
        goal = held(plan, lease)
        plan = goal.intent_plans.select_for_update(no_key=True).get(pk=plan.pk)
        move_intents(
            plan.intents.filter(state=IntentState.PENDING.value),
            IntentState.SKIPPED,
            reason="not needed: the plan succeeded",
        )
        move_plan(plan, PlanState.COMPLETE, by=lease.owner, check_results=_results(verdict))
        state, reason, line = _completed(plan, verdict)
        logs.write(goal.pk, [line])
        outcome = verdict.outcome.value if state is GoalState.ACHIEVED else ""
        move_goal(goal, state, by=lease.owner, reason=reason, outcome=outcome)


def abort(plan: IntentPlan, lease: Lease, reason: str, *, first_cleanup: int) -> None:
    """Give up on the main steps: what has not run is skipped, the clean-up comes next."""
    with transaction.atomic():
        held(plan, lease)
        move_intents(plan.intents.filter(state=IntentState.RUNNING.value), IntentState.FAILED, reason=reason)
        move_intents(
            plan.intents.filter(phase=Intent.Phase.MAIN, state=IntentState.PENDING.value),
            IntentState.SKIPPED,
            reason="an earlier step failed",
        )
        RecoveryAttempt.objects.filter(attempt__intent__intent_plan=plan, succeeded=None).update(succeeded=False)
        IntentPlan.objects.filter(pk=plan.pk, fence=lease.fence).update(aborting=reason, position=first_cleanup)
        wake_ups.goal_changed(plan.goal_id)


def fail(plan: IntentPlan, lease: Lease, reason: str) -> None:
    """The plan failed and with it the goal; or the agent let go of it, and it has been cleaned up."""
    with transaction.atomic():
        goal = held(plan, lease)
        move_intents(plan.intents.filter(state=IntentState.RUNNING.value), IntentState.FAILED, reason=reason)
        _skip_pending(plan, "the plan failed")
        if reason.startswith(DROPPED):
            why = reason.removeprefix(DROPPED)
            move_plan(plan, PlanState.SUPERSEDED, by=lease.owner, reason=why)
            said = f"goal {goal.pk} was dropped: {why}"
            logs.say_decided(goal.pk, Decision.DROP, "execute", said, "warning", why=why, parent=goal.parent_id)
            move_goal(goal, GoalState.DROPPED, by=lease.owner, reason=why)
            return
        move_plan(plan, PlanState.FAILED, by=lease.owner, reason=reason)
        said = f"goal {goal.pk} failed: {reason}"
        logs.say_decided(goal.pk, Decision.GIVE_UP, "execute", said, "error", reason=reason, intent=plan.position)
        move_goal(goal, GoalState.FAILED, by=lease.owner, reason=reason)


def cancel(plan: IntentPlan, lease: Lease) -> None:
    """The worker saw that a person cancelled."""
    with transaction.atomic():
        goal = held(plan, lease)
        plan = goal.intent_plans.select_for_update(no_key=True).get(pk=plan.pk)
        cancelled(goal, plan, by=plan.reason.removeprefix("cancelled by ") or lease.owner)


def cancelled(goal: Goal, plan: IntentPlan, *, by: str, reason: str = "cancelled_by_person") -> None:
    """Nothing further of the plan runs; what finished steps changed stays. The caller holds both rows.

    `reason` is the goal's; what had failed before it is kept behind it.
    """
    why = f"cancelled by {by}"
    Attempt.objects.filter(intent__intent_plan=plan, finished=None).update(
        finished=Now(), outcome="cancelled", reason=why
    )
    move_intents(plan.intents.filter(state=IntentState.RUNNING.value), IntentState.FAILED, reason="cancelled")
    _skip_pending(plan, "cancelled")
    move_plan(plan, PlanState.CANCELLED, by=by, reason=why)
    logs.say(goal.pk, "worker", "cancel", "stopped: the goal was cancelled", level="warning")
    move_goal(goal, GoalState.DROPPED, by=by, reason=with_error(goal, reason))


def with_error(goal: Goal, reason: str) -> str:
    """The reason of a goal that is dropped, with what had failed before: a cancel does not make that undone."""
    error = worked.error_before(goal)
    return storable(f"{reason}: {error}") if error else reason


def wait_for_sandbox(plan: IntentPlan, lease: Lease, why: str) -> None:
    """The sandbox failed, not a step: the try does not count, and the goal waits until there is a jail."""
    with transaction.atomic():
        goal = held(plan, lease)
        Attempt.objects.filter(intent__intent_plan=plan, finished=None).update(
            finished=Now(), outcome="unavailable", reason=why
        )
        logs.say(goal.pk, "worker", "execute", f"the sandbox is unavailable, no step has failed: {why}", level="error")
        move_goal(
            goal,
            GoalState.RECOVERING,
            by=lease.owner,
            reason=f"sandbox_unavailable: {why}",
            wake_at=Now() + timedelta(seconds=SANDBOX_WAIT_S),
        )


def wait_until(plan: IntentPlan, lease: Lease, why: str, until: datetime) -> None:
    """A step waits until something is so: the try says nothing about the step, and the goal sleeps at most `until`."""
    with transaction.atomic():
        goal = held(plan, lease)
        Attempt.objects.filter(intent__intent_plan=plan, finished=None).update(
            finished=Now(), outcome="waiting", reason=why
        )
        logs.say(goal.pk, "bdi_agent", "execute", f"step {plan.position} {why}; no worker is held meanwhile")
        move_goal(goal, GoalState.RECOVERING, by=lease.owner, reason=f"{WAITS_UNTIL}: {why}", wake_at=until)


def wait_for_person(plan: IntentPlan, lease: Lease, why: str) -> None:
    """The gate wants another person's word first: nothing of the plan runs, nothing of it is lost."""
    with transaction.atomic():
        goal = held(plan, lease)
        logs.say(goal.pk, "review", "execute", f"the gate waits: {why}", level="warning")
        move_goal(
            goal,
            GoalState.RECOVERING,
            by=lease.owner,
            reason=f"waits_for_person: {why}",
            wake_at=Now() + timedelta(seconds=PERSON_WAIT_S),
        )


def wait_for_answer(plan: IntentPlan, lease: Lease, waits: StepWaits) -> None:
    """A step has asked on the bus: its try says nothing yet, and the goal goes on when the request has ended.

    The race it closes: the request ends while this is written, and who ended it sees no goal that waits. So it is
    looked at once more behind the commit.
    """
    with transaction.atomic():
        goal = held(plan, lease)
        Attempt.objects.filter(intent__intent_plan=plan, finished=None).update(
            finished=Now(), outcome="waiting", reason=storable(str(waits))
        )
        logs.say(goal.pk, "worker", "execute", f"the step waits: {waits}")
        move_goal(
            goal,
            GoalState.RECOVERING,
            by=lease.owner,
            reason=f"{WAITS_FOR_ANSWER}: {waits}",
            wake_at=Now() + timedelta(seconds=PERSON_WAIT_S),
        )
    if waits.is_over() and waiting_for_answers().filter(pk=plan.goal_id).update(wake_at=None):
        wake_ups.wake(plan.goal_id)


def waiting_for_answers() -> QuerySet[Goal]:
    """Goals of which a step waits for an answer and that nobody has woken."""
    waits = Goal.objects.filter(state=GoalState.RECOVERING.value, reason__startswith=f"{WAITS_FOR_ANSWER}: ")
    return waits.filter(wake_at__gt=Now())


def ask_again(
    plan: IntentPlan,
    lease: Lease,
    document: Document,
    why: str,
    *,
    kind: str = renewals.GROUNDS,
    instead: IntentSpec | Sequence[IntentSpec] | None = None,
    left_out: Collection[int] = (),
) -> IntentPlan | None:
    """The plan no longer stands as it was approved: what is left of it is asked about again. Nothing of it runs now.

    The revision that awaits review; None when a person must plan.
    """
    with transaction.atomic():
        goal = held(plan, lease)
        rows = goal.intent_plans.select_for_update(of=("self", "workspace"), no_key=True)
        locked = rows.select_related("plan", "workspace").get(pk=plan.pk)
        goal.workspace = locked.workspace  # as it is now, which is what the next revision is made on
        return renewals.ask_again(
            goal,
            locked,
            document,
            by=lease.owner,
            why=why,
            kind=kind,
            instead=instead,
            left_out=left_out,
            simplifies=True,
        )


def ask_for_outcome(plan: IntentPlan, lease: Lease, intent: Intent) -> None:
    """A step that must run once was interrupted: only a person can say whether it took effect."""
    with transaction.atomic():
        goal = held(plan, lease)
        move_intents(
            plan.intents.filter(pk=intent.pk), IntentState.OUTCOME_UNKNOWN, reason="the worker died while it ran"
        )
        said = f"step {intent.position}: did it take effect?"
        logs.say_decided(goal.pk, Decision.ASK_FOR_OUTCOME, "execute", said, "warning", intent=intent.position)
        move_goal(
            goal,
            GoalState.MANUAL,
            by=lease.owner,
            reason=f"outcome_unknown: step {intent.position} runs once, and its worker died while it ran",
        )


def _skip_pending(plan: IntentPlan, reason: str) -> None:
    move_intents(plan.intents.filter(state=IntentState.PENDING.value), IntentState.SKIPPED, reason=reason)
