"""`intent-plans`: list, read, edit, approve (a part of it too), reject, request changes."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import datetime
from typing import Annotated, Any, Literal

from asgiref.sync import sync_to_async
from django.db.models import QuerySet
from ninja import Body, Query, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, IntentSpec
from agents.components import made_tools
from agents.components.made_tools import Behind
from agents.models import Intent, IntentPlan
from agents.plans import outcome_evaluation
from agents.record import selectors
from agents.record.errors import StaleDigest
from agents.states import PlanState
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, found_id, newest_first
from mindx_web.api.protocol.problems import not_found
from mindx_web.api.protocol.shapes import Nothing, Strict, said_digest
from mindx_web.api.review import queued, waiting
from mindx_web.api.review.outcomes import CheckOut, checks_out
from people.models import User
from people.scopes import Scope
from review import rights
from review.deciding import decisions, editing, endangers
from review.queue import deadlines, listing

router = Router(tags=["intent plans"])

_MAY_READ = BearerToken(Scope.REVIEW_READ)
_MAY_DECIDE = BearerToken(Scope.REVIEW_DECIDE)
_VIA = "api"
# Until a plan's risk has been worked out it is unknown, never low.
_RISK_UNKNOWN = "unknown"


class ParameterOut(Schema):
    """One argument with its origin; `original` is its value before a correction."""

    name: str
    value: Any
    origin: str
    original: Any = None
    span: tuple[int, int] | None = None
    note: str = ""


class ModelOut(Schema):
    """A language model to which the step sends what it reads. `at` is empty for its provider's own address."""

    name: str
    at: str
    price: str


class AlternativeOut(Schema):
    """What may replace a step that fails, if the approval grants it."""

    number: int
    tool: str
    command: str
    sentence: str
    params: dict[str, Any]
    effect: str
    hosts: list[str]
    asks: list[ModelOut] | None = None
    justification: str


class IntentOut(Schema):
    """One step: what it does, from the reviewed bytes, and how it went."""

    id: str
    position: int
    phase: str
    tool: str
    command: str
    sentence: str
    params: dict[str, Any]
    parameters: list[ParameterOut]
    justification: str
    effect: str
    limits: dict[str, Any]
    depends_on: list[int]
    condition: dict[str, Any] | None
    hosts: list[str]
    asks: list[ModelOut] | None = None
    alternatives: list[AlternativeOut]
    branch: str = Field("", description="branches of one PARALLEL do not wait for each other: 2a and 2b")
    retries: int | None = Field(None, description="it is tried again at most so often, and never beyond the approval")
    rule: str
    state: str
    reason: str
    result: Any = None


class MadeToolOut(Schema):
    """A tool that people made, in the version that the plan names; null if it no longer exists; the plan will not run.

    `text` is the whole tool with the code that the sandbox runs; it is approved together with the plan.
    """

    name: str
    version: str | None
    text: str | None


class PlanOut(Schema):
    """A plan for review. `intact` is false if its stored bytes no longer match their digest: it will never run."""

    id: str
    goal: str
    revision: int
    digest: str
    state: str
    reason: str
    risk: str
    danger: str = Field(description="the worst that it may do, in one sentence made from facts")
    source: str
    workspace: str
    base: str
    intact: bool
    place: str = Field("", description="the reason for its place in the review queue; empty once it is decided")
    shape: str = Field("", description="the same for plans that take the same steps with other values")
    shadow_outcome: str = Field("untried", description="of its newest dry run: done, unproven, failed or untried")
    group: str = Field(
        "",
        description="the same for plans that may be decided together: of one shape, with dry runs that came to the "
        "same outcome and kinds of change; empty where a plan is decided by itself, as its run failed or is missing",
    )
    assigned_to: str | None = Field(None, description="login of the reviewer it is assigned to")
    due_at: datetime | None = Field(None, description="when it expires, if it has a time limit")
    created_at: datetime
    ended_at: datetime | None
    checks: list[CheckOut] = Field([], description="what is checked after the plan has run; approved together with it")
    made_tools: list[MadeToolOut] = Field([], description="the tools of its steps that people made, with their code")
    intents: list[IntentOut]


class PlanPage(Schema):
    """Intent plans, newest first."""

    items: list[PlanOut]
    next: str | None


class GrantIn(Strict):
    """A declared alternative that may run if its intent fails; both count from 1."""

    intent: int
    alternative: int


class ApproveIn(Strict):
    """`digest` is that of the plan as you read it; any other is 409, even a malformed one.

    With `danger` as you read it the approval is 409 when more has become known since, such as by the dry run.
    With some of the `intents`, a revision with exactly these and those they depend on is approved and returned; the
    others are planned again with your `reason`, or dropped.
    """

    digest: Any = Field(description="the digest of the plan as you read it", json_schema_extra={"type": "string"})
    danger: str = Field("", description="the sentence as you read it; leave it out to approve whatever it is")
    intents: list[int] | None = Field(None, max_length=1000, description="positions; leave it out for all of them")
    reason: str = Field("", description="why the other intents are not approved; needed with a part")
    rest: Literal["plan_again", "drop"] = "plan_again"
    comment: str = ""
    alternatives: list[GrantIn] = Field([], max_length=200, description="which declared alternatives you grant")


class EditIn(Strict):
    """All values of the intent; values that are left out are removed."""

    digest: Any = Field(json_schema_extra={"type": "string"})
    params: dict[str, Any]


class RejectIn(Strict):
    """A rejection drops the goal; its reason is stored."""

    digest: Any = Field(json_schema_extra={"type": "string"})
    reason: str


class ChangesIn(Strict):
    """The comment goes to the planner, and so does every open one on the plan; if there is one, it may be empty."""

    digest: Any = Field(json_schema_extra={"type": "string"})
    comment: str = ""


@router.get("", response=PlanPage, auth=_MAY_READ, operation_id="list_intent_plans")
def page(
    request: ApiRequest,
    state: Annotated[PlanState | None, Query(description="only plans in this state")] = None,
    asked: Query[queued.Asked] = ...,  # type: ignore[assignment]  # the mark that every field of it is asked for
    after: After = "",
    limit: Limit = 20,
) -> PlanPage:
    """The intent plans of the goals you may see, newest first; or waiting plans in the order of the review queue."""
    user = request.auth.user
    if asked.order == "queue":
        found, following = queued.page(user, asked, state, after, limit)
        return PlanPage(items=[plan_out(plan) for plan in found], next=following)
    queued.refuse_filters(asked)
    plans = _readable(user)
    if state is not None:
        plans = plans.filter(state=state.value)
    rows, following = newest_first(plans, after, limit)
    return PlanPage(items=[plan_out(plan) for plan in rows], next=following)


@router.get("/{plan_id}", response=PlanOut, auth=_MAY_READ, operation_id="read_intent_plan")
def read(request: ApiRequest, plan_id: str) -> PlanOut:
    """One intent plan with every argument of every step."""
    return plan_out(plan_to_read(request.auth.user, plan_id))


@router.post("/{plan_id}/approve", response={202: PlanOut}, auth=_MAY_DECIDE, operation_id="approve_intent_plan")
async def approve(
    request: ApiRequest,
    plan_id: str,
    payload: ApproveIn,
    wait: Annotated[float, Query(ge=0, allow_inf_nan=False, description="seconds; at most 60 are waited")] = 0.0,
) -> Status[PlanOut]:
    """Approve exactly the bytes of this digest. With `wait` the answer comes when the plan has ended, or then."""
    user = request.auth.user
    with waiting.place(user.pk) if wait > 0 else nullcontext():
        plan = await sync_to_async(_approve)(user, plan_id, payload)
        if wait > 0:
            await waiting.until_ended(plan.pk, wait)
    return Status(202, await sync_to_async(lambda: plan_out(plan_to_read(user, str(plan.pk))))())


@router.post("/{plan_id}/reject", response=PlanOut, auth=_MAY_DECIDE, operation_id="reject_intent_plan")
def reject(request: ApiRequest, plan_id: str, payload: RejectIn) -> PlanOut:
    """Reject the plan; its goal is dropped with the reason."""
    user = request.auth.user
    digest = said_digest(payload.digest)
    decisions.reject(plan_to_read(user, plan_id), by=user, digest=digest, reason=payload.reason, via=_VIA)
    return plan_out(plan_to_read(user, plan_id))


@router.post("/{plan_id}/request-changes", response=PlanOut, auth=_MAY_DECIDE, operation_id="request_changes")
def request_changes(request: ApiRequest, plan_id: str, payload: ChangesIn) -> PlanOut:
    """Send the plan back; the agent plans again with the comment."""
    user = request.auth.user
    digest = said_digest(payload.digest)
    decisions.request_changes(plan_to_read(user, plan_id), by=user, digest=digest, comment=payload.comment, via=_VIA)
    return plan_out(plan_to_read(user, plan_id))


@router.post("/{plan_id}/extend", response=PlanOut, auth=_MAY_DECIDE, operation_id="extend_intent_plan")
def extend(request: ApiRequest, plan_id: str, payload: Annotated[Nothing | None, Body()] = None) -> PlanOut:
    """Let a plan with a time limit wait for another hour."""
    user = request.auth.user
    deadlines.extend(plan_to_read(user, plan_id), by=user)
    return plan_out(plan_to_read(user, plan_id))


@router.post("/{plan_id}/assign", response=PlanOut, auth=_MAY_DECIDE, operation_id="assign_intent_plan")
def assign(request: ApiRequest, plan_id: str, payload: queued.AssignIn) -> PlanOut:
    """Say who means to decide the plan. Other reviewers can still decide it."""
    user = request.auth.user
    queued.assign(plan_to_read(user, plan_id), payload.to, user)
    return plan_out(plan_to_read(user, plan_id))


@router.patch("/{plan_id}/intents/{position}", response=PlanOut, auth=_MAY_DECIDE, operation_id="edit_intent")
def edit(request: ApiRequest, plan_id: str, position: int, payload: EditIn) -> PlanOut:
    """Change the values of an intent: returns the new revision, which awaits a decision."""
    user = request.auth.user
    plan, digest = plan_to_read(user, plan_id), said_digest(payload.digest)
    made = editing.edit(plan, by=user, digest=digest, position=position, params=payload.params, via=_VIA)
    return plan_out(plan_to_read(user, str(made.pk)))


def _approve(user: User, plan_id: str, payload: ApproveIn) -> IntentPlan:
    """The plan that will run: the one that was read, or the revision with the chosen part of it."""
    plan = plan_to_read(user, plan_id)
    digest = said_digest(payload.digest)
    granted = [(one.intent, one.alternative) for one in payload.alternatives]
    if digest == plan.digest and not rights.why_not(user, plan):
        endangers.check_stands(plan)
        if payload.danger not in ("", now := listing.told(plan.queue_entry).sentence):
            raise StaleDigest(f"The danger is another one than you read: {now}. Nothing was approved.")
    if payload.intents is None or digest != plan.digest:
        return decisions.approve(plan, by=user, digest=digest, comment=payload.comment, via=_VIA, alternatives=granted)
    main = {intent.position for intent in plan.intents.all() if intent.phase == Intent.Phase.MAIN}
    everything = {intent.position for intent in plan.intents.all()}
    if set(payload.intents) in (main, everything):
        return decisions.approve(plan, by=user, digest=digest, comment=payload.comment, via=_VIA, alternatives=granted)
    return editing.approve_part(
        plan,
        by=user,
        digest=digest,
        intents=payload.intents,
        reason=payload.reason,
        rest=payload.rest,
        comment=payload.comment,
        via=_VIA,
        alternatives=granted,
    )


def plan_out(plan: IntentPlan) -> PlanOut:
    """A plan as the API shows it, from the stored bytes that were, or will be, approved."""
    data = bytes(plan.document)
    document = _document(data)
    rows = {intent.position: intent for intent in plan.intents.all()}
    specs = document.all_intents if document is not None else ()
    return PlanOut(
        id=str(plan.pk),
        goal=str(plan.goal_id),
        revision=plan.revision,
        digest=plan.digest,
        state=plan.state,
        reason=plan.reason,
        risk=plan.risk.level if hasattr(plan, "risk") else _RISK_UNKNOWN,
        danger=listing.told(plan.queue_entry).sentence,
        source=plan.plan.source,
        workspace=plan.workspace.name,
        base=document.base if document is not None else "",
        intact=document is not None and documents.digest_of(data) == plan.digest,
        **_place(plan),
        due_at=plan.clock.due_at if hasattr(plan, "clock") else None,
        created_at=plan.created_at,
        ended_at=plan.ended_at,
        checks=checks_out(
            outcome_evaluation.checks_of(plan, document) if document is not None else (), plan.check_results
        ),
        made_tools=[_made_tool_out(one) for one in made_tools.behind(document)] if document is not None else [],
        intents=[_intent_out(spec, rows[spec.position]) for spec in specs if spec.position in rows],
    )


def _made_tool_out(one: Behind) -> MadeToolOut:
    version = one.version
    return MadeToolOut(
        name=one.name,
        version=version.version if version is not None else None,
        text=version.body if version is not None else None,
    )


def _place(plan: IntentPlan) -> dict[str, Any]:
    entry = plan.queue_entry
    place = f"{entry.level} risk, {listing.reason(entry)}" if entry.waits else ""
    to = entry.assigned_to.username if entry.assigned_to is not None else None
    group = entry.group if entry.waits else ""
    return {
        "place": place,
        "shape": entry.shape,
        "shadow_outcome": entry.outcome,
        "group": group,
        "assigned_to": to,
    }


def _document(data: bytes) -> Document | None:
    """The document in these bytes; None if somebody changed them so that they are no document."""
    try:
        return documents.read(data)
    except ValueError:
        return None


def _intent_out(spec: IntentSpec, row: Intent) -> IntentOut:
    return IntentOut(
        id=str(row.pk),
        position=spec.position,
        phase=spec.phase,
        tool=spec.tool,
        command=spec.command,
        sentence=spec.sentence,
        params=dict(spec.params),
        parameters=[
            ParameterOut(
                name=parameter.name,
                value=parameter.value,
                origin=parameter.origin,
                original=parameter.original,
                span=parameter.span,
                note=parameter.note,
            )
            for parameter in spec.parameters
        ],
        justification=spec.justification,
        effect=spec.effect,
        limits=dict(spec.limits),
        depends_on=list(spec.depends_on),
        condition=dict(spec.condition) if spec.condition is not None else None,
        hosts=list(spec.hosts),
        asks=_models_out(spec),
        alternatives=[_alternative_out(number, other) for number, other in enumerate(spec.alternatives, 1)],
        branch=spec.branch,
        retries=spec.retries,
        rule=spec.rule,
        state=row.state,
        reason=row.reason,
        result=row.result,
    )


def _alternative_out(number: int, spec: IntentSpec) -> AlternativeOut:
    return AlternativeOut(
        number=number,
        tool=spec.tool,
        command=spec.command,
        sentence=spec.sentence,
        params=dict(spec.params),
        effect=spec.effect,
        hosts=list(spec.hosts),
        asks=_models_out(spec),
        justification=spec.justification,
    )


def _models_out(spec: IntentSpec) -> list[ModelOut] | None:
    """None for a step that sends no text to a language model; an empty list if no model was set up for it."""
    return None if spec.asks is None else [ModelOut(name=m.name, at=m.at, price=m.price) for m in spec.asks.models]


def _readable(user: User) -> QuerySet[IntentPlan]:
    """Visible plans with their steps, always in two queries."""
    return queued.whole(selectors.plans_visible_to(user))


def plan_to_read(user: User, plan_id: str) -> IntentPlan:
    """The plan, if this person may read it. Raises the 404 problem otherwise."""
    plan = _readable(user).filter(pk=found_id(plan_id, not_found("intent plan"))).first()
    if plan is None:
        raise not_found("intent plan")
    return plan
