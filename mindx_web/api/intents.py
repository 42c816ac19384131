"""`intents/{id}/outcome`: a person says what became of a step whose worker died while it ran."""

from __future__ import annotations

from ninja import Router, Schema
from pydantic import Field

from agents import selectors
from agents.models import Intent
from agents.services import outcomes
from agents.services.outcomes import Outcome
from mindx_web.api.auth import ApiRequest, BearerToken
from mindx_web.api.paging import found_id
from mindx_web.api.problems import Problem, not_found
from mindx_web.api.shapes import Strict
from people.models import User
from people.scopes import Scope

router = Router(tags=["intents"])


class OutcomeIn(Strict):
    """`succeeded`: it took effect; `failed`: it did not; `run_again`: it may safely run once more."""

    outcome: Outcome = Field(strict=False)


class IntentStateOut(Schema):
    """How the step stands now."""

    id: str
    position: int
    intent_plan: str
    state: str
    reason: str


@router.post(
    "/{intent_id}/outcome", response=IntentStateOut, auth=BearerToken(Scope.GOALS_WRITE), operation_id="report_outcome"
)
def report(request: ApiRequest, intent_id: str, payload: OutcomeIn) -> IntentStateOut:
    """Answer the question of an intent that is `outcome_unknown`; the plan goes on from there."""
    user = request.auth.user
    intent = outcomes.report(_answerable(user, intent_id), by=user, outcome=payload.outcome)
    return IntentStateOut(
        id=str(intent.pk),
        position=intent.position,
        intent_plan=str(intent.intent_plan_id),
        state=intent.state,
        reason=intent.reason,
    )


def _answerable(user: User, intent_id: str) -> Intent:
    missing = not_found("intent")
    plans = selectors.plans_visible_to(user)
    found = Intent.objects.filter(pk=found_id(intent_id, missing), intent_plan__in=plans)
    intent = found.select_related("intent_plan__goal").first()
    if intent is None:
        raise missing
    if not selectors.may_change(user, intent.intent_plan.goal):
        raise Problem(403, "Only the goal's submitter or an operator can say how it ended.", kind="forbidden")
    return intent
