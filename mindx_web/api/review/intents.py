"""`intents`: the outcome of a step whose worker died, and a plan from the changes that a model proposed in a step."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpResponse
from ninja import Body, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.coordinator import taking_over
from agents.hands import outcomes
from agents.hands.outcomes import Outcome
from agents.models import Intent
from agents.record import selectors
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import found_id
from mindx_web.api.protocol.problems import Problem, not_found
from mindx_web.api.protocol.shapes import Nothing, Strict
from mindx_web.api.review.intent_plans import PlanOut, plan_out
from people.models import User
from people.scopes import Scope

router = Router(tags=["intents"])


class OutcomeIn(Strict):
    """`succeeded`: it took effect; `failed`: it did not; `run_again`: it may safely run again."""

    outcome: Outcome = Field(strict=False)


class IntentStateOut(Schema):
    """The state of the step now."""

    id: str
    position: int
    intent_plan: str
    state: str
    reason: str


@router.post(
    "/{intent_id}/outcome", response=IntentStateOut, auth=BearerToken(Scope.GOALS_WRITE), operation_id="report_outcome"
)
def report(request: ApiRequest, intent_id: str, payload: OutcomeIn) -> IntentStateOut:
    """Answer the question of an intent that is `outcome_unknown`; the plan continues from there."""
    user = request.auth.user
    intent = outcomes.report(_answerable(user, intent_id), by=user, outcome=payload.outcome)
    return IntentStateOut(
        id=str(intent.pk),
        position=intent.position,
        intent_plan=str(intent.intent_plan_id),
        state=intent.state,
        reason=intent.reason,
    )


@router.post(
    "/{intent_id}/take-over", response={201: PlanOut}, auth=BearerToken(Scope.GOALS_WRITE), operation_id="take_over"
)
def take_over(
    request: ApiRequest, response: HttpResponse, intent_id: str, payload: Annotated[Nothing | None, Body()] = None
) -> Status[PlanOut]:
    """Make a goal of the changes that a language model proposed in this intent. Its plan is reviewed like any other.

    The same intent leads to the same plan while that one waits.
    """
    user = request.auth.user
    step = _visible(user, intent_id)
    workspaces = selectors.workspaces_writable_by(user)
    if not workspaces.filter(pk=step.intent_plan.workspace_id).exists():
        raise Problem(403, "Only people who may write to the workspace can do this.", kind="forbidden")
    plan = taking_over.take_over(step, by=user)
    response.headers["Location"] = f"/api/v1/intent-plans/{plan.pk}"
    return Status(201, plan_out(plan))


def _visible(user: User, intent_id: str) -> Intent:
    missing = not_found("intent")
    plans = selectors.plans_visible_to(user)
    found = Intent.objects.filter(pk=found_id(intent_id, missing), intent_plan__in=plans)
    intent = found.select_related("intent_plan__goal").first()
    if intent is None:
        raise missing
    return intent


def _answerable(user: User, intent_id: str) -> Intent:
    intent = _visible(user, intent_id)
    if not selectors.may_change(user, intent.intent_plan.goal):
        raise Problem(403, "Only the goal's submitter or an operator can say how it ended.", kind="forbidden")
    return intent
