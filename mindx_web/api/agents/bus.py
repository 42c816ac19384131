"""`bus`: members, found by capability or by a task in words; requests, each answered once."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpResponse
from ninja import Query, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.bdi.bus.routing import Strategy
from agents.bus import discovery, in_step, requests
from agents.models import BusMember, BusRequest, Goal, Workspace
from agents.record import bus_answers, selectors
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, found_id, oldest_first
from mindx_web.api.protocol.problems import Problem, invalid, not_found
from mindx_web.api.protocol.shapes import Moment, Nothing, Strict
from people.models import User
from people.scopes import Scope

router = Router(tags=["bus"])
_MAY_READ = BearerToken(Scope.GOALS_READ)
_MAY_WRITE = BearerToken(Scope.GOALS_WRITE)


class CapabilityOut(Schema):
    """`confidence` is what the member claims, `earned` what its record supports; both 0 to 1."""

    name: str
    description: str
    takes: dict[str, Any] = Field(description="JSON schema of the content")
    gives: dict[str, Any] = Field(description="JSON schema of the answer")
    confidence: float
    earned: float
    effect: str
    succeeded: int
    failed: int


class MemberOut(Schema):
    """A member of the bus. `why_not` says why it cannot be asked now; empty: it can."""

    id: str
    name: str
    kind: str
    description: str
    status: str
    breaker: str
    is_usable: bool
    why_not: str
    registered_at: datetime
    last_seen: datetime
    capabilities: list[CapabilityOut]


class MemberPage(Schema):
    """Members, oldest first; ask again with `after=next` for more."""

    items: list[MemberOut]
    next: str | None


class FoundOut(Schema):
    """A member, a component of the library, or one that is both. `task` and `content` are similarities from -1 to 1."""

    name: str
    kind: str
    summary: str
    task: float | None
    content: float | None
    total: float
    member: str | None
    component: str | None
    is_usable: bool
    why_not: str


class FoundPage(Schema):
    """Best first. `by_words` says why meaning could not be compared."""

    items: list[FoundOut]
    by_words: str
    next: str | None = None


class RequestIn(Strict):
    """What is asked: a capability with its content, or a task in words. A task needs no content."""

    capability: str = Field("", max_length=130)
    task: str = ""
    content: dict[str, Any] | None = None
    deadline: Moment | None = Field(None, description="an answer after it is refused")
    min_confidence: float = Field(0.0, ge=0, le=1, strict=False, description="of what a member has earned")
    strategy: Strategy = Field(Strategy.CONFIDENCE, strict=False, description="how one of several members is chosen")
    why: str = Field("", max_length=300, description="stands in the log and with the step")
    workspace: str | None = Field(None, description="name of a workspace of yours")
    parent: str | None = Field(None, description="id of a goal of yours that this is a part of")


class RequestOut(Schema):
    """A request. `answer` is untrusted text from the member; null before its end."""

    id: str
    state: str
    reason: str
    capability: str
    task: str
    content: dict[str, Any]
    member: str | None
    goal: str | None = Field(description="id of the goal that answers it, which is reviewed like any")
    answer: dict[str, Any] | None
    by: str
    caller: str | None
    within: str | None
    replay_of: str | None
    attempts: int
    deadline: datetime | None
    created_at: datetime
    ended_at: datetime | None


@router.get("/agents", response=MemberPage, auth=_MAY_READ, operation_id="list_bus_members")
def members(
    request: ApiRequest, capability: str = "", kind: str = "", after: After = "", limit: Limit = 50
) -> MemberPage:
    """All members; with a capability only those that offer it."""
    in_step.refresh()
    rows = BusMember.objects.select_related("agent", "breaker").prefetch_related("capabilities")
    if capability:
        rows = rows.filter(capabilities__name=_named(capability), capabilities__is_gone=False)
    if kind:
        if kind not in BusMember.Kind.values:
            raise invalid("kind", f"Choose one of {', '.join(BusMember.Kind.values)}.")
        rows = rows.filter(kind=kind)
    found, following = oldest_first(rows, after, limit)
    return MemberPage(items=[_member_out(row) for row in found], next=following)


@router.get("/search", response=FoundPage, auth=_MAY_READ, operation_id="search_bus")
def search(
    request: ApiRequest, task: Annotated[str, Query(min_length=1, max_length=4_000)], limit: Limit = 20
) -> FoundPage:
    """Members and components of the library that suit a task in words, in one list with both scores."""
    results = discovery.search(task, by=request.auth.user, limit=limit)
    return FoundPage(items=[_found_out(one) for one in results.items], by_words=results.by_words)


@router.post("/requests", response={202: RequestOut}, auth=_MAY_WRITE, operation_id="request_on_bus")
def ask(request: ApiRequest, response: HttpResponse, payload: RequestIn) -> Status[RequestOut]:
    """Send a request. The answer comes later; with an Idempotency-Key a repeated request is the same one."""
    user = request.auth.user
    key = request.headers.get("Idempotency-Key", "")
    asked = requests.request(
        by=user,
        capability=payload.capability,
        task=payload.task,
        content=payload.content,
        deadline=payload.deadline,
        min_confidence=payload.min_confidence,
        strategy=payload.strategy,
        why=payload.why,
        workspace=_workspace(user, payload.workspace),
        parent=_parent(user, payload.parent),
        key=f"api:{key}" if key else "",
    )
    response.headers["Location"] = f"/api/v1/bus/requests/{asked.pk}"
    return Status(202, _out(_found(user, str(asked.pk))))


@router.get("/requests/{request_id}", response=RequestOut, auth=_MAY_READ, operation_id="read_bus_request")
def read(request: ApiRequest, request_id: str) -> RequestOut:
    """One request, with its answer if there is one already."""
    return _out(_found(request.auth.user, request_id))


@router.post("/requests/{request_id}/cancel", response=RequestOut, auth=_MAY_WRITE, operation_id="cancel_bus_request")
def cancel(request: ApiRequest, request_id: str, payload: Nothing | None = None) -> RequestOut:
    """Cancel a request and the goal that answers it."""
    requests.cancel(_found(request.auth.user, request_id), by=request.auth.user)
    return _out(_found(request.auth.user, request_id))


@router.post(
    "/requests/{request_id}/replay", response={202: RequestOut}, auth=_MAY_WRITE, operation_id="replay_bus_request"
)
def replay(
    request: ApiRequest, response: HttpResponse, request_id: str, payload: Nothing | None = None
) -> Status[RequestOut]:
    """Send the same request to the same member again, in a copy of the files that it had."""
    user = request.auth.user
    again = requests.replay(_found(user, request_id), by=user)
    response.headers["Location"] = f"/api/v1/bus/requests/{again.pk}"
    return Status(202, _out(_found(user, str(again.pk))))


def _named(capability: str) -> str:
    if "\0" in capability or len(capability) > 130:
        raise invalid("capability", "No capability has this name.")
    return capability


def _workspace(user: User, name: str | None) -> Workspace | None:
    if name is None:
        return None
    found = selectors.workspaces_writable_by(user).filter(name=name.replace("\0", "")).first()
    if found is None:
        raise invalid("workspace", "There is no workspace of yours with this name.")
    return found


def _parent(user: User, goal_id: str | None) -> Goal | None:
    if goal_id is None:
        return None
    wrong = invalid("parent", "There is no goal of yours with this id.")
    found = selectors.goals_visible_to(user).filter(pk=found_id(goal_id, wrong)).first()
    if found is None:
        raise wrong
    return found


def _found(user: User, request_id: str) -> BusRequest:
    """Somebody else's request is 404, like one that does not exist."""
    missing: Problem = not_found("request")
    found = requests.visible_to(user).filter(pk=found_id(request_id, missing)).first()
    if found is None:
        raise missing
    return found


def _member_out(row: BusMember) -> MemberOut:
    why = discovery.why_not(row)
    return MemberOut(
        id=str(row.pk),
        name=row.name,
        kind=row.kind,
        description=row.description,
        status=row.status,
        breaker=discovery.breaker_of(row),
        is_usable=not why,
        why_not=why,
        registered_at=row.registered_at,
        last_seen=row.last_seen,
        capabilities=[CapabilityOut.from_orm(one) for one in row.capabilities.all() if not one.is_gone],
    )


def _found_out(one: discovery.Found) -> FoundOut:
    return FoundOut(
        name=one.name,
        kind=one.kind,
        summary=one.summary,
        task=one.task,
        content=one.content,
        total=one.total,
        member=str(one.member.pk) if one.member is not None else None,
        component=str(one.version.component_id) if one.version is not None else None,
        is_usable=one.is_usable,
        why_not=one.why_not,
    )


def _out(asked: BusRequest) -> RequestOut:
    [asked] = bus_answers.as_told([asked])
    return RequestOut(
        id=str(asked.pk),
        state=asked.state,
        reason=asked.reason,
        capability=asked.offered.name if asked.offered is not None else asked.capability,
        task=asked.task,
        content=asked.content,
        member=asked.member.name if asked.member is not None else None,
        goal=_id(asked.goal_id),
        answer=asked.answer,
        by=asked.by.username,
        caller=asked.caller.name if asked.caller is not None else None,
        within=_id(asked.within_id),
        replay_of=_id(asked.replay_of_id),
        attempts=asked.attempts,
        deadline=asked.deadline,
        created_at=asked.created_at,
        ended_at=asked.ended_at,
    )


def _id(number: int | None) -> str | None:
    return None if number is None else str(number)
