"""`goals/{id}/beliefs`: what the agent holds true for a goal, and telling it what is true."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from ninja import Body, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.models import Belief
from agents.recovery import told_beliefs
from mindx_web.api.goals.goals import readable
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, found_id, oldest_first
from mindx_web.api.protocol.problems import not_found
from mindx_web.api.protocol.shapes import Moment, Nothing, Strict
from people.scopes import Scope

router = Router(tags=["goals"])

_MAY_READ = BearerToken(Scope.GOALS_READ)
_MAY_WRITE = BearerToken(Scope.GOALS_WRITE)


class TellIn(Strict):
    """A true sentence."""

    sentence: str
    confidence: float = Field(1.0, gt=0, le=1, description="how sure you are")
    expires_at: Moment | None = Field(None, description="until when it holds; without it until it is retracted")


class DenyIn(Strict):
    """What is true instead; empty for the opposite."""

    instead: str = ""


class HeldOut(Schema):
    """A belief. `retracted_by` says why it is no longer held; else empty. `denies` is the belief that it denies."""

    id: str
    sentence: str
    source: str
    confidence: float
    by: str
    at: datetime
    expires_at: datetime | None
    denies: str
    retracted_by: str


class HeldPage(Schema):
    """Beliefs, oldest first."""

    items: list[HeldOut]
    next: str | None


class ToldOut(Schema):
    """The belief, and how the agent reacts: nothing, wake, plan_again or reconsider."""

    belief: HeldOut
    does: str


@router.get("/{goal_id}/beliefs", response=HeldPage, auth=_MAY_READ, operation_id="list_goal_beliefs")
def beliefs(request: ApiRequest, goal_id: str, after: After = "", limit: Limit = 20) -> HeldPage:
    """Everything the agent held true for the goal; beliefs with `retracted_by` are no longer held."""
    held = readable(request.auth.user, goal_id).beliefs.select_related("by")
    rows, following = oldest_first(held, after, limit)
    return HeldPage(items=[_out(row) for row in rows], next=following)


@router.post("/{goal_id}/beliefs", response={201: ToldOut}, auth=_MAY_WRITE, operation_id="tell_belief")
def tell(request: ApiRequest, goal_id: str, payload: TellIn) -> Status[ToldOut]:
    """Tell the agent that a sentence is true; it reacts at once."""
    user = request.auth.user
    told = payload.model_dump()
    belief, does = told_beliefs.tell(readable(user, goal_id), by=user, **told)
    return Status(201, ToldOut(belief=_out(belief), does=does.value))


@router.post("/{goal_id}/beliefs/{belief_id}/contradict", response=ToldOut, auth=_MAY_WRITE, operation_id="deny_belief")
def contradict(request: ApiRequest, goal_id: str, belief_id: str, payload: DenyIn) -> ToldOut:
    """Deny a belief: its opposite, or `instead`, is held in its place. The answer is the new belief."""
    user = request.auth.user
    number = found_id(belief_id, not_found("belief"))
    belief, does = told_beliefs.contradict(readable(user, goal_id), by=user, belief_id=number, instead=payload.instead)
    return ToldOut(belief=_out(belief), does=does.value)


@router.post("/{goal_id}/beliefs/{belief_id}/retract", response=ToldOut, auth=_MAY_WRITE, operation_id="retract_belief")
def retract(
    request: ApiRequest, goal_id: str, belief_id: str, payload: Annotated[Nothing | None, Body()] = None
) -> ToldOut:
    """Retract what somebody told the agent."""
    user = request.auth.user
    goal, number = readable(user, goal_id), found_id(belief_id, not_found("belief"))
    does = told_beliefs.retract(goal, by=user, belief_id=number)
    return ToldOut(belief=_out(goal.beliefs.select_related("by").get(pk=number)), does=does.value)


def _out(row: Belief) -> HeldOut:
    return HeldOut(
        id=str(row.pk),
        sentence=row.sentence,
        source=row.source,
        confidence=row.confidence,
        by=row.by.username if row.by else "",
        at=row.at,
        expires_at=row.expires_at,
        denies=row.denies,
        retracted_by=row.retracted_by,
    )
