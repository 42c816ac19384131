"""`inbox`: programs of other frameworks ask people about a tool call, and wait for the decision."""

from __future__ import annotations

import threading
import time
from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpResponse
from ninja import Body, Query, Router, Schema
from ninja.responses import Status
from pydantic import Field

from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, found_id, newest_first
from mindx_web.api.protocol.problems import Problem, invalid, not_found
from mindx_web.api.protocol.shapes import Moment, Nothing, Strict, said_digest
from people.models import User
from people.scopes import Scope
from review.errors import DecisionRefused, NotNow, WordsRefused
from review.inbox import requests
from review.inbox.requests import Sent, Verdict
from review.models import InboxRequest

router = Router(tags=["inbox"])
_MAY_READ, _MAY_WRITE = BearerToken(Scope.GOALS_READ), BearerToken(Scope.GOALS_WRITE)
_MAY_DECIDE = BearerToken(Scope.REVIEW_DECIDE)
WAIT_MOST_S = 30
_LOOKS_EVERY_S = 0.5
# Each waiting request occupies a thread; further ones are answered at once and have to ask again.
_waiting = threading.BoundedSemaphore(16)


class InboxIn(Strict):
    """A call that a program wants to make, in its own words, and the decisions that it accepts."""

    source: str = Field(description="which program asks, as people know it")
    tool: str
    arguments: dict[str, Any]
    description: str = ""
    thread: str = Field("", description="the program's own reference")
    allowed: list[Literal["approve", "edit", "reject", "respond"]] = ["approve", "reject"]
    answer_schema: dict[str, Any] | None = Field(None, description="JSON Schema of edited arguments or a response")
    expires_at: Moment | None = Field(None, description="by default a day from now; 30 s to 30 days")


class InboxOut(Schema):
    """A request as it was received, and its decision. `digest` covers all that is shown; a decision names it.

    `answer` is the arguments after an edit, or the response; `answer_digest` covers request, decision and answer.
    Only `decided` with `approve` or `edit` approves anything.
    """

    id: str
    state: str
    source: str
    thread: str
    tool: str
    arguments: dict[str, Any]
    description: str
    allowed: list[str]
    answer_schema: dict[str, Any] | None
    digest: str
    by: str
    created_at: datetime
    expires_at: datetime
    decision: str
    answer: Any
    answer_digest: str
    reason: str
    decided_by: str | None
    decided_at: datetime | None
    page: str


class InboxPage(Schema):
    """Requests, newest first."""

    items: list[InboxOut]
    next: str | None


class DecisionIn(Strict):
    """A decision on exactly what was shown. `answer`: the new arguments of an edit, or the response."""

    digest: Annotated[Any, Field(description="the digest of the request that you were shown")] = ""
    decision: Literal["approve", "edit", "reject", "respond"]
    answer: Any = None
    reason: str = ""


@router.post("", response={201: InboxOut}, auth=_MAY_WRITE, operation_id="ask_inbox")
def ask(request: ApiRequest, response: HttpResponse, payload: InboxIn) -> Status[InboxOut]:
    """Ask people about a call. mindX does not run it."""
    sent = Sent(
        payload.source,
        payload.tool,
        payload.arguments,
        payload.description,
        payload.thread,
        payload.allowed,
        payload.answer_schema,
        payload.expires_at,
    )
    try:
        row = requests.take_in(sent, by=request.auth.user)
    except DecisionRefused as refused:
        raise _refused(refused) from refused
    response.headers["Location"] = f"/api/v1/inbox/{row.pk}"
    return Status(201, _out(row))


@router.get("", response=InboxPage, auth=_MAY_READ, operation_id="list_inbox")
def page(
    request: ApiRequest,
    state: Annotated[InboxRequest.State | None, Query(description="only requests in this state")] = None,
    after: After = "",
    limit: Limit = 20,
) -> InboxPage:
    """Your requests; for reviewers, operators and admins all."""
    found = requests.visible_to(request.auth.user)
    if state is not None:
        found = found.filter(state=state.value)
    rows, following = newest_first(found, after, limit)
    return InboxPage(items=[_out(row) for row in requests.as_told(rows)], next=following)


@router.get("/{request_id}", response=InboxOut, auth=_MAY_READ, operation_id="read_inbox")
def read(
    request: ApiRequest,
    request_id: str,
    wait: Annotated[int, Query(ge=0, le=WAIT_MOST_S, description="seconds to wait for its end")] = 0,
) -> InboxOut:
    """A request and its decision, as soon as there is one."""
    row = _found(request.auth.user, request_id)
    if wait and row.state == InboxRequest.State.WAITING and _waiting.acquire(blocking=False):
        try:
            row = _ended(row, time.monotonic() + wait)
        finally:
            _waiting.release()
    [row] = requests.as_told([row])
    return _out(row)


def _ended(row: InboxRequest, until: float) -> InboxRequest:
    """The request when it has ended, or when the time is over."""
    while requests.state_of(row) == InboxRequest.State.WAITING and (left := until - time.monotonic()) > 0:
        time.sleep(min(_LOOKS_EVERY_S, left))
        row.refresh_from_db()
    return row


@router.post("/{request_id}/decide", response=InboxOut, auth=_MAY_DECIDE, operation_id="decide_inbox")
def decide(request: ApiRequest, request_id: str, payload: DecisionIn) -> InboxOut:
    """Decide a request, once, on exactly what you were shown."""
    row = _found(request.auth.user, request_id)
    verdict = Verdict(payload.decision, payload.answer, payload.reason)
    try:
        return _out(requests.decide(row, verdict, by=request.auth.user, digest=said_digest(payload.digest)))
    except DecisionRefused as refused:
        raise _refused(refused) from refused


@router.post("/{request_id}/cancel", response=InboxOut, auth=_MAY_WRITE, operation_id="cancel_inbox")
def cancel(request: ApiRequest, request_id: str, payload: Annotated[Nothing | None, Body()] = None) -> InboxOut:
    """Withdraw a request of yours."""
    try:
        return _out(requests.cancel(_found(request.auth.user, request_id), by=request.auth.user))
    except DecisionRefused as refused:
        raise _refused(refused) from refused


def _found(user: User, request_id: str) -> InboxRequest:
    missing = not_found("There is no such request.")
    row = requests.visible_to(user).filter(pk=found_id(request_id, missing)).first()
    if row is None:
        raise missing
    return row


def _refused(refused: DecisionRefused) -> Problem:
    if isinstance(refused, WordsRefused):
        return invalid(refused.field, str(refused))
    if isinstance(refused, NotNow):
        return Problem(409, str(refused), kind="not_possible")
    return Problem(403, str(refused), kind="forbidden")


def _out(row: InboxRequest) -> InboxOut:
    return InboxOut(
        id=str(row.pk),
        state=requests.state_of(row),
        source=row.source,
        thread=row.thread,
        tool=row.tool,
        arguments=row.arguments,
        description=row.description,
        allowed=row.allowed,
        answer_schema=row.answer_schema,
        digest=row.digest,
        by=row.by.username,
        created_at=row.created_at,
        expires_at=row.expires_at,
        decision=row.decision,
        answer=row.answer,
        answer_digest=row.answer_digest,
        reason=row.reason,
        decided_by=row.decided_by.username if row.decided_by is not None else None,
        decided_at=row.decided_at,
        page=row.get_absolute_url(),
    )
