"""Steps that failed in a branch while others can go on: their recovery is put off until the branches beside them are
through, and the plan goes on there meanwhile.

A plan stands at one position, and one step of it runs at a time. What moves it from one branch to another is one
conditional update under the lease's fence, as a step's report is; what was put off is a failed step whose last try
nothing was chosen for yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from agents.bdi.plans import branches
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, Unreadable
from agents.bdi.recovery.recovery import Failure
from agents.models import Attempt, Intent, IntentPlan
from agents.plans import reporting
from agents.plans.reporting import Running, held
from agents.record import wake_ups
from agents.record.lease import Lease, LeaseLost
from agents.record.logs import storable
from agents.record.moves import move_goal, move_intents
from agents.states import GoalState, IntentState, PlanState

_FAILED = "failed"


def states_of(plan: IntentPlan) -> dict[int, str]:
    """The states of the main steps by position. What was reported must be filed."""
    return dict(plan.intents.filter(phase=Intent.Phase.MAIN).values_list("position", "state"))


def put_off(
    plan: IntentPlan, lease: Lease, running: Running, result: Mapping[str, Any], failure: Failure, following: int
) -> None:
    """Record the failed try without choosing anything yet, and have the plan go on at the step `following`.

    Raises LeaseLost when the plan is no longer this worker's, and then nothing was written.
    """
    with transaction.atomic():
        goal = held(plan, lease)
        reporting.finish(running, _FAILED, result, failure.failure_class.value, failure.reason)
        move_intents(
            plan.intents.filter(position=running.position),
            IntentState.FAILED,
            reason=storable(failure.reason),
            result=reporting.stored(result),
        )
        _move(plan, lease.fence, running.position, following)
        reason = f"{failure.reason}; step {running.position} is recovered when the branches beside it are through"
        # Taken up at once, by whichever worker: the session of the step that failed ended with it.
        move_goal(goal, GoalState.RECOVERING, by=lease.owner, reason=storable(reason), wake_at=None)
        wake_ups.goal_changed(plan.goal_id)


def go_to(plan: IntentPlan, lease: Lease, position: int, following: int) -> None:
    """Move a plan that stands behind the end of a branch, at `position`, to where it goes on. Raises LeaseLost."""
    with transaction.atomic():
        held(plan, lease)
        _move(plan, lease.fence, position, following)


def go_where_it_goes_on(plan: IntentPlan) -> None:
    """Mend the position of a plan that is taken up: a worker may have died, or a person answered, at a branch's end.

    The caller holds the plan's row and has filed what was reported. Plans without branches stand right.
    """
    document = _with_branches(plan)
    if document is None or plan.aborting:
        return
    following = branches.going_on(document.intents, states_of(plan), plan.position)
    if following is None:
        following = len(document.intents) + 1
    if following != plan.position:
        _move(plan, plan.fence, plan.position, following)


def waiting_at(plan: IntentPlan, position: int) -> Attempt | None:
    """The failed try of this step for which nothing was chosen yet, because it was put off."""
    tries = Attempt.objects.filter(intent__intent_plan=plan, intent__position=position).select_related("intent")
    last = tries.order_by("-number").first()
    if last is None or last.outcome != _FAILED or last.intent.state != IntentState.FAILED:
        return None
    return None if hasattr(last, "recovery") else last


def _move(plan: IntentPlan, fence: int, position: int, following: int) -> None:
    # The race: a worker that was taken for dead comes back. Its fence is the old one, so it moves nothing.
    moved = IntentPlan.objects.filter(
        pk=plan.pk, fence=fence, position=position, state=PlanState.EXECUTING.value, aborting=""
    ).update(position=following)
    if not moved:
        raise LeaseLost(f"plan {plan.pk} does not stand at {position} under fence {fence}")
    plan.position = following


def _with_branches(plan: IntentPlan) -> Document | None:
    data = bytes(plan.document)
    if b'"branch"' not in data:  # nearly every plan: it need not be read for this
        return None
    try:
        document = documents.read(data)
    except Unreadable:
        return None  # the gate refuses it
    return document if branches.has_branches(document.intents) else None
