"""`backlog`: list, read, add, decide, merge, split and start items; the rules that stop it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpResponse
from ninja import Body, Query, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.components import known_components
from agents.coordinator import backlog, backlog_list, backlog_taking
from agents.coordinator.backlog import Wish
from agents.coordinator.backlog_list import SEARCH_MAX, ItemFilter
from agents.coordinator.backlog_overview import overview
from agents.mastermind import components
from agents.mastermind.stops import Rules
from agents.models import BacklogItem, BacklogTry
from agents.states import BacklogState
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, after_id, found_id, next_after
from mindx_web.api.protocol.problems import invalid, not_found
from mindx_web.api.protocol.shapes import Nothing, Strict
from people.models import User
from people.scopes import Scope

router = Router(tags=["backlog"])

_MAY_READ = BearerToken(Scope.BACKLOG_READ)
_MAY_WRITE = BearerToken(Scope.BACKLOG_WRITE)
_MAY_MAKE_GOALS = BearerToken(Scope.GOALS_WRITE)
_MOST_AT_ONCE = 50


class TryOut(Schema):
    """A goal that was started for the item. `outcome` is what was measured, empty while the goal runs."""

    goal: str
    begun_at: datetime
    ended_at: datetime | None
    outcome: str
    words: str


class ItemOut(Schema):
    """A wish about a component. `count`: how often it was made; `failures`: in a row; `merged_into`: the wish with the
    same meaning, and `likeness` how similar it is.
    """

    id: str
    component: str
    suggestion: str
    priority: int
    critical: bool
    source: str
    by: str | None
    state: str
    reason: str
    count: int
    merged_into: str | None
    likeness: float | None
    tries: int
    failures: int
    outcome: str
    outcome_words: str
    created_at: datetime


class WholeItemOut(ItemOut):
    """An item with its tries, the newest first, and the wishes that were merged into it."""

    attempts: list[TryOut]
    merged: list[ItemOut]


class ItemPage(Schema):
    """Items, the most urgent first. `stopped` says why none is started at the moment."""

    items: list[ItemOut]
    next: str | None
    stopped: str | None


class WishIn(Strict):
    """A wish. The component is named as in a command: `summarization`, `tool:summarization`, `the git tool`, a path."""

    component: str = Field(max_length=300)
    suggestion: str
    priority: int = Field(3, ge=1, le=5)
    critical: bool = False


class ReasonIn(Strict):
    """Why; optional for an approval."""

    reason: str = ""


class IntoIn(Strict):
    """The item with the same meaning."""

    into: str


class ProcessIn(Strict):
    """The most items to start."""

    number: int = Field(backlog_taking.USUAL_NUMBER, ge=1, le=_MOST_AT_ONCE)


class BegunOut(Schema):
    """An item and the goal that was started for it."""

    item: str
    goal: str


class RefusedOut(Schema):
    """An item that could not be started."""

    item: str
    why: str


class TakenOut(Schema):
    """What was started and what was not; `stopped`: the rule that stops the rest."""

    begun: list[BegunOut]
    refused: list[RefusedOut]
    stopped: str | None


class RulesIn(Strict):
    """The rules that stop the backlog; see docs/mastermind.md."""

    failures_of_one: int
    without_success: int
    per_day: int
    near_enough: float
    note: str = ""


class RulesOut(Schema):
    """The current rules, and why nothing is started at the moment."""

    failures_of_one: int
    without_success: int
    per_day: int
    near_enough: float
    stopped: str | None


@router.get("", response=ItemPage, auth=_MAY_READ, operation_id="list_backlog")
def page(
    request: ApiRequest,
    state: Annotated[BacklogState | Literal["open"] | None, Query(description="only items in this state")] = None,
    component: Annotated[str, Query(max_length=300, description="only of this one, as in tool:git_tool")] = "",
    source: Annotated[Literal["person", "analysis", "failures"] | None, Query()] = None,
    critical: Annotated[bool, Query(description="only critical ones")] = False,
    q: Annotated[str, Query(max_length=SEARCH_MAX, description="words")] = "",
    after: After = "",
    limit: Limit = 40,
) -> ItemPage:
    """What you added (reviewers, operators and developers: everything), the most urgent first."""
    wanted = ItemFilter(str(state or ""), component, source or "", q.strip(), critical, after_id(after))
    found = backlog_list.find(request.auth.user, wanted, limit)
    return ItemPage(
        items=[_out(item) for item in found.items],
        next=next_after(found.older),
        stopped=backlog_taking.why_stopped(request.auth.user) or None,
    )


@router.get("/rules", response=RulesOut, auth=_MAY_READ, operation_id="read_backlog_rules")
def read_rules(request: ApiRequest) -> RulesOut:
    """The rules that stop the backlog."""
    return _rules(request.auth.user)


@router.post("/rules", response=RulesOut, auth=_MAY_WRITE, operation_id="write_backlog_rules")
def write_rules(request: ApiRequest, payload: RulesIn) -> RulesOut:
    """Set the rules (operators). They apply from the next decision on; every version is stored."""
    wanted = Rules(payload.failures_of_one, payload.without_success, payload.per_day)
    backlog_taking.save_rules(wanted, payload.near_enough, by=request.auth.user, note=payload.note)
    return _rules(request.auth.user)


@router.post("/lift", response=RulesOut, auth=_MAY_WRITE, operation_id="lift_backlog")
def lift(request: ApiRequest, payload: ReasonIn) -> RulesOut:
    """Resume the backlog although a rule stopped it (operators), with the reason."""
    backlog_taking.lift(by=request.auth.user, reason=payload.reason)
    return _rules(request.auth.user)


@router.post("/process", response=TakenOut, auth=_MAY_MAKE_GOALS, operation_id="process_backlog")
def process(request: ApiRequest, payload: Annotated[ProcessIn | None, Body()] = None) -> TakenOut:
    """Start approved items as your goals (operators)."""
    taken = backlog_taking.process(
        by=request.auth.user, most=payload.number if payload is not None else backlog_taking.USUAL_NUMBER
    )
    return TakenOut(
        begun=[BegunOut(item=str(item.pk), goal=str(goal.pk)) for item, goal in taken.begun],
        refused=[RefusedOut(item=str(item.pk), why=why) for item, why in taken.refused],
        stopped=taken.stopped or None,
    )


@router.post("", response={200: ItemOut, 201: ItemOut}, auth=_MAY_WRITE, operation_id="add_to_backlog")
def add(request: ApiRequest, response: HttpResponse, payload: WishIn) -> Status[ItemOut]:
    """Add a wish: 201 if it is new, 200 with the existing item if there is one with the same meaning."""
    known = known_components.known()
    named = next((one for one in known if one.key == payload.component), None)
    match = components.find(payload.component, known)
    found = named or match.component
    if found is None and "/" in payload.component:
        found = components.Component("path", payload.component.strip("/"))
    if found is None:
        near = components.suggestion_words(match.suggestions)
        raise invalid("component", f"There is no such component; {near}" if near else "There is no such component.")
    user = request.auth.user
    wish = Wish(found, payload.suggestion, by=user, priority=payload.priority, critical=payload.critical)
    added = backlog.add(wish)
    response.headers["Location"] = f"/api/v1/backlog/{added.item.pk}"
    return Status(201 if added.is_new else 200, _out(_joined(added.item.pk)))


@router.get("/{item_id}", response=WholeItemOut, auth=_MAY_READ, operation_id="read_backlog_item")
def read(request: ApiRequest, item_id: str) -> WholeItemOut:
    """One item with what was tried and what was merged."""
    item = _read(request.auth.user, item_id)
    merged = item.merged.select_related("by").defer("embedding").order_by("pk")[:100]
    return WholeItemOut(
        **_out(item).dict(),
        attempts=[_try_out(one) for one in item.attempts.all()[:100]],
        merged=[_out(one) for one in merged],
    )


@router.post("/{item_id}/approve", response=ItemOut, auth=_MAY_WRITE, operation_id="approve_backlog_item")
def approve(request: ApiRequest, item_id: str, payload: Annotated[ReasonIn | None, Body()] = None) -> ItemOut:
    """Approve it, so that it can be started (operators and reviewers; a critical one: reviewers)."""
    user = request.auth.user
    reason = payload.reason if payload is not None else ""
    return _out(_joined(backlog.approve(_read(user, item_id), by=user, reason=reason).pk))


@router.post("/{item_id}/reject", response=ItemOut, auth=_MAY_WRITE, operation_id="reject_backlog_item")
def reject(request: ApiRequest, item_id: str, payload: ReasonIn) -> ItemOut:
    """Reject it, with the reason."""
    user = request.auth.user
    return _out(_joined(backlog.reject(_read(user, item_id), by=user, reason=payload.reason).pk))


@router.post("/{item_id}/reopen", response=ItemOut, auth=_MAY_WRITE, operation_id="reopen_backlog_item")
def reopen(request: ApiRequest, item_id: str, payload: Annotated[Nothing | None, Body()] = None) -> ItemOut:
    """Reopen a rejected item."""
    user = request.auth.user
    return _out(_joined(backlog.reopen(_read(user, item_id), by=user).pk))


@router.post("/{item_id}/merge", response=ItemOut, auth=_MAY_WRITE, operation_id="merge_backlog_item")
def merge(request: ApiRequest, item_id: str, payload: IntoIn) -> ItemOut:
    """Merge it into another item with the same meaning; answers with that one."""
    user = request.auth.user
    return _out(_joined(backlog.merge(_read(user, item_id), _read(user, payload.into), by=user).pk))


@router.post("/{item_id}/split", response=ItemOut, auth=_MAY_WRITE, operation_id="split_backlog_item")
def split(request: ApiRequest, item_id: str, payload: Annotated[Nothing | None, Body()] = None) -> ItemOut:
    """Split a merged item off again."""
    user = request.auth.user
    return _out(_joined(backlog.split(_read(user, item_id), by=user).pk))


def _read(user: User, item_id: str) -> BacklogItem:
    missing = not_found("item")
    found = backlog.visible_to(user).select_related("by").filter(pk=found_id(item_id, missing)).first()
    if found is None:
        raise missing
    return found


def _joined(pk: int) -> BacklogItem:
    return BacklogItem.objects.select_related("by").defer("embedding").get(pk=pk)


def _rules(user: User) -> RulesOut:
    found = overview(user, days=0)
    return RulesOut(
        failures_of_one=found.rules.failures_of_one,
        without_success=found.rules.without_success,
        per_day=found.rules.per_day,
        near_enough=found.near_enough,
        stopped=found.stopped or None,
    )


def _out(item: BacklogItem) -> ItemOut:
    shown: dict[str, Any] = {
        name: getattr(item, name)
        for name in (
            *("suggestion", "priority", "critical", "source", "state", "reason", "count", "likeness", "tries"),
            *("failures", "outcome", "outcome_words", "created_at"),
        )
    }
    return ItemOut(
        id=str(item.pk),
        component=item.target,
        by=item.by.username if item.by else None,
        merged_into=str(item.merged_into_id) if item.merged_into_id else None,
        **shown,
    )


def _try_out(one: BacklogTry) -> TryOut:
    return TryOut(
        goal=str(one.goal_id), begun_at=one.begun_at, ended_at=one.ended_at, outcome=one.outcome, words=one.words
    )
