"""`levels`: designs and choices of rules, reviewed before there is a plan; `goals/{id}/design` submits a design."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpResponse
from ninja import Query, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.bdi.planning.levels import Choice
from agents.bdi.plans.document import digest_of
from agents.models import LevelDocument
from agents.plans import designs as services
from agents.states import LevelState
from mindx_web.api.goals.goals import changeable
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, found_id, newest_first
from mindx_web.api.protocol.problems import not_found
from mindx_web.api.protocol.shapes import Strict, said_digest
from people.models import User
from people.scopes import Scope
from review.levels import decisions
from review.levels import page as levels

router = Router(tags=["levels"])
designs = Router(tags=["levels"])

_MAY_READ = BearerToken(Scope.REVIEW_READ)
_MAY_DECIDE = BearerToken(Scope.REVIEW_DECIDE)
_VIA = "api"


class ConditionOut(Schema):
    """A condition of a rule: whether it holds, with which confidence, and the belief that decided it."""

    sentence: str
    holds: bool
    score: float
    belief: str


class RuleOut(Schema):
    """A rule whose trigger matches; an approval may name `choosable` ones by their `version_id`."""

    name: str
    version: str
    version_id: str
    choosable: bool
    score: float
    own_words: int
    why: str
    conditions: list[ConditionOut]


class ChoiceOut(Schema):
    """The rules for the goal or one sub-goal; `chosen` is the agent's choice. `key` names it in an approval."""

    key: str
    goal: str
    depth: int
    chosen: str
    rules: list[RuleOut]


class LevelOut(Schema):
    """A design (`design` is its text) or a choice of rules (`choices`, and the `steps` of the plan they make).

    `intact` is false if the stored bytes no longer match the digest: then it cannot be decided.
    """

    id: str
    kind: str
    goal: str
    number: int
    digest: str
    state: str
    reason: str
    by: str | None
    decided_by: str | None
    intact: bool
    created_at: datetime
    decided_at: datetime | None
    design: str | None
    choices: list[ChoiceOut]
    steps: list[str]


class LevelPage(Schema):
    """Newest first."""

    items: list[LevelOut]
    next: str | None


class DesignIn(Strict):
    """Another version of the design."""

    design: str


class ApproveIn(Strict):
    """`choice` names rules in place of the agent's: version ids by the key of their goal."""

    digest: Any = Field(json_schema_extra={"type": "string"})
    choice: dict[str, str] = {}
    comment: str = ""


class RejectIn(Strict):
    """Rejecting a design drops its goal; rejecting a choice of rules makes the goal ask a person for a plan."""

    digest: Any = Field(json_schema_extra={"type": "string"})
    reason: str


class ChangesIn(Strict):
    """The comment reaches whoever wrote the design, or the planner."""

    digest: Any = Field(json_schema_extra={"type": "string"})
    comment: str


@router.get("", response=LevelPage, auth=_MAY_READ, operation_id="list_levels")
def page(
    request: ApiRequest,
    state: Annotated[LevelState | None, Query(description="only those in this state")] = None,
    after: After = "",
    limit: Limit = 20,
) -> LevelPage:
    """The designs and choices of rules of the goals you may see, newest first."""
    found = levels.visible_to(request.auth.user)
    if state is not None:
        found = found.filter(state=state.value)
    rows, following = newest_first(found, after, limit)
    return LevelPage(items=[_out(row) for row, _ in levels.told(rows)], next=following)


@router.get("/{level_id}", response=LevelOut, auth=_MAY_READ, operation_id="read_level")
def read(request: ApiRequest, level_id: str) -> LevelOut:
    """One design or choice of rules."""
    return _told(_read(request.auth.user, level_id))


@router.post("/{level_id}/approve", response=LevelOut, auth=_MAY_DECIDE, operation_id="approve_level")
def approve(request: ApiRequest, level_id: str, payload: ApproveIn) -> LevelOut:
    """Approve exactly the bytes of this digest; the goal is planned with it."""
    user = request.auth.user
    decisions.approve(
        _read(user, level_id),
        by=user,
        digest=said_digest(payload.digest),
        comment=payload.comment,
        choice=payload.choice,
        via=_VIA,
    )
    return _told(_read(user, level_id))


@router.post("/{level_id}/reject", response=LevelOut, auth=_MAY_DECIDE, operation_id="reject_level")
def reject(request: ApiRequest, level_id: str, payload: RejectIn) -> LevelOut:
    """Reject it, with a reason."""
    user = request.auth.user
    document = _read(user, level_id)
    decisions.reject(document, by=user, digest=said_digest(payload.digest), reason=payload.reason, via=_VIA)
    return _told(_read(user, level_id))


@router.post(
    "/{level_id}/request-changes", response=LevelOut, auth=_MAY_DECIDE, operation_id="request_changes_of_level"
)
def request_changes(request: ApiRequest, level_id: str, payload: ChangesIn) -> LevelOut:
    """Send it back with a comment."""
    user = request.auth.user
    document = _read(user, level_id)
    digest = said_digest(payload.digest)
    decisions.request_changes(document, by=user, digest=digest, comment=payload.comment, via=_VIA)
    return _told(_read(user, level_id))


@designs.post(
    "/{goal_id}/design", response={201: LevelOut}, auth=BearerToken(Scope.GOALS_WRITE), operation_id="send_design"
)
def send(request: ApiRequest, response: HttpResponse, goal_id: str, payload: DesignIn) -> Status[LevelOut]:
    """Another version of a design that awaits review or was sent back. It replaces the one before."""
    user = request.auth.user
    document = services.revise(changeable(user, goal_id), payload.design, by=user)
    response.headers["Location"] = f"/api/v1/levels/{document.pk}"
    return Status(201, _out(document))


def _told(document: LevelDocument) -> LevelOut:
    [(row, _)] = levels.told([document])
    return _out(row)


def _out(document: LevelDocument) -> LevelOut:
    selection = levels.selection_of(document)
    return LevelOut(
        id=str(document.pk),
        kind=document.kind,
        goal=str(document.goal_id),
        number=document.number,
        digest=document.digest,
        state=document.state,
        reason=document.reason,
        by=document.by.username if document.by is not None else None,
        decided_by=document.decided_by.username if document.decided_by is not None else None,
        intact=digest_of(document.document) == document.digest,
        created_at=document.created_at,
        decided_at=document.decided_at,
        design=levels.design_of(document),
        choices=[_choice_out(choice) for choice in selection.choices] if selection is not None else [],
        steps=list(selection.steps) if selection is not None else [],
    )


def _choice_out(choice: Choice) -> ChoiceOut:
    rules = [
        RuleOut(
            name=rule.name,
            version=rule.version,
            version_id=rule.version_id,
            choosable=rule.choosable,
            score=rule.score,
            own_words=rule.own_words,
            why=rule.why,
            conditions=[
                ConditionOut(sentence=one.sentence, holds=one.holds, score=one.score, belief=one.belief)
                for one in rule.conditions
            ],
        )
        for rule in choice.rules
    ]
    return ChoiceOut(key=choice.key, goal=choice.goal, depth=choice.depth, chosen=choice.chosen, rules=rules)


def _read(user: User, level_id: str) -> LevelDocument:
    document = levels.visible_to(user).filter(pk=found_id(level_id, not_found("design or choice"))).first()
    if document is None:
        raise not_found("design or choice")
    return document
