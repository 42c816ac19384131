"""Telling the agent that a belief is wrong, so that it drops the belief and plans again; and undoing that."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.bdi.beliefs.denial import denial, says_the_same
from agents.models import Belief, Goal, IntentPlan
from agents.plans.plans import decidable
from agents.record import logs, wake_ups
from agents.record.errors import NotPossibleNow, NotYours
from agents.record.moves import move_goal, move_plan
from agents.record.selectors import current_plan, may_correct
from agents.states import GoalState, PlanState
from people import journal
from people.journal import Event
from people.models import User

_RETRACTED_BY_MAX = 160
_DENIED, _PUT_BACK = "denied by ", "put back by "
_RUNS = frozenset({PlanState.APPROVED, PlanState.EXECUTING})


def contradict(plan: IntentPlan, *, by: User, digest: str, sentence: str, instead: str = "") -> IntentPlan:
    """Deny what the plan stands on: the belief is retracted, the opposite (or `instead`) held, the goal planned anew.

    While the person's word stands, the agent does not believe the sentence again, whatever it perceives. Raises
    NotYours, NotPossibleNow (what to do instead), and StaleDigest when another digest awaits or somebody decided first.
    """
    check_rights(by, plan.goal)
    _check_open(plan)
    with decidable(plan, digest) as (goal, locked):
        held = goal.beliefs.filter(sentence=sentence, retracted_by="")
        if not held.exists():
            raise NotPossibleNow(
                "The agent does not hold this belief any more. To change what a step is expected to"
                " do, request other steps."
            )
        if instead and says_the_same(instead, sentence):
            raise NotPossibleNow("The replacement says the same. Write what is true instead, or leave it empty.")
        opposite = instead or denial(sentence)
        held.update(retracted_by=f"{_DENIED}{by.username}"[:_RETRACTED_BY_MAX])
        Belief.objects.create(goal=goal, sentence=opposite, source="person", by=by, at=timezone.now(), denies=sentence)
        why = f"{by.username} says that this is wrong: {sentence}"
        _plan_again(goal, locked, by=by, why=why, said=f"{why} Instead: {opposite}")
        data = {"what": "denied", "goal": goal.pk, "sentence": sentence, "instead": opposite}
        journal.record(Event.BELIEF, by=by, subject=f"plan:{locked.pk}", data=data)
    return locked


def put_back(goal: Goal, *, by: User, belief_id: int) -> Goal:
    """Take a denial back: the belief is held again, and a plan that waits for a decision is planned anew.

    `belief_id` is the person's belief that denies. Raises NotYours, and NotPossibleNow.
    """
    check_rights(by, goal)
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
        _check_goal(goal)
        if goal.state == GoalState.PLANNING:
            raise NotPossibleNow("The agent is planning right now. Restore the belief when the plan is ready.")
        plan = current_plan(goal)
        if plan is not None:
            _check_open(plan)
        waits = plan is not None and plan.state == PlanState.AWAITING_REVIEW
        if goal.state == GoalState.AWAITING_REVIEW and not waits:
            raise NotPossibleNow("Something else in this goal is waiting for a decision. Decide that first.")
        counter = goal.beliefs.filter(pk=belief_id, retracted_by="").exclude(denies="").first()
        if counter is None:
            raise NotPossibleNow("This denial was already undone.")
        Belief.objects.filter(pk=counter.pk).update(retracted_by=f"{_PUT_BACK}{by.username}"[:_RETRACTED_BY_MAX])
        # What was perceived is perceived again; a person's own word comes back as it was.
        denied = goal.beliefs.filter(sentence=counter.denies, retracted_by__startswith=_DENIED)
        denied.update(retracted_by="")
        why = f"{by.username} restored a belief: {counter.denies}"
        _plan_again(goal, plan if waits else None, by=by, why=why, said=why)
        data = {"what": "put_back", "goal": goal.pk, "sentence": counter.denies}
        journal.record(Event.BELIEF, by=by, subject=f"goal:{goal.pk}", data=data)
    return goal


def since_last_plan(goal: Goal) -> dict[str, Any]:
    """What people denied since the last plan was proposed, for the evidence of the next one; {} for nothing."""
    last = current_plan(goal)
    if last is None:
        return {}
    news = goal.beliefs.filter(at__gt=last.created_at, retracted_by="").exclude(denies="").select_related("by")
    told = [
        {"denied": row.denies, "holds": row.sentence, "by": row.by.display_name if row.by else "somebody"}
        for row in news.order_by("pk")
    ]
    return {"contradicted": told, "contradicted_in": last.revision} if told else {}


def check_rights(by: User, goal: Goal) -> None:
    """Raises NotYours for those who neither own the goal nor may decide its plans."""
    if not may_correct(by, goal):
        raise NotYours("Only the goal's submitter and reviewers may tell the agent what is true.")


def _check_goal(goal: Goal) -> None:
    if goal.has_ended:
        raise NotPossibleNow(f"Goal {goal.pk} has ended: {goal.state}. Submit it again, and tell the agent there.")


def _check_open(plan: IntentPlan) -> None:
    _check_goal(plan.goal)
    if plan.state in _RUNS:
        raise NotPossibleNow(
            f"This plan is {'approved' if plan.state == PlanState.APPROVED else 'running'} already, and what was"
            " approved is not changed. Cancel the goal and submit it again, or wait for its end."
        )


def _plan_again(goal: Goal, plan: IntentPlan | None, *, by: User, why: str, said: str) -> None:
    """Supersede the plan that waits, when one does, and let the agent plan anew. The caller holds the goal's row."""
    if plan is not None:
        move_plan(plan, PlanState.SUPERSEDED, by=by.username, reason=why)
    logs.say(goal.pk, "review", "review", said, level="warning")
    if goal.state in (GoalState.AWAITING_REVIEW, GoalState.MANUAL):
        move_goal(goal, GoalState.PENDING, by=by.username, reason="a belief was corrected")
    wake_ups.wake(goal.pk)
