"""`policies`: list, read, write versions, replay, enable, disable; the same services and rights as the pages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpResponse
from ninja import Body, Query, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.components import made_tools
from agents.components.made_tools import InUse
from agents.record.errors import NotPossibleNow
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, found_id, newest_first
from mindx_web.api.protocol.problems import Problem, invalid, not_found
from mindx_web.api.protocol.shapes import Nothing, Strict
from people.models import User
from people.scopes import Scope
from review.models import PolicyVersion, ReviewPolicy
from review.policies import tool_bodies, writing
from review.policies.writing import Draft
from review.policy.conditions import Conditions, ConditionsRefused
from review.policy.states import PolicyState
from review.policy.verdict import Action

router = Router(tags=["policies"])

_MAY_READ = BearerToken(Scope.POLICIES_READ)
_MAY_WRITE = BearerToken(Scope.POLICIES_WRITE)


class VersionOut(Schema):
    """One version of a policy, which never changes. `budget`, `expires_at`, `sampling_percent`: only if it approves."""

    number: int
    action: str
    conditions: dict[str, Any]
    budget: int
    expires_at: datetime | None
    sampling_percent: int
    owner: str
    note: str
    at: datetime


class PolicyToolOut(Schema):
    """A tool that people made or that others serve, and that the policy is about, if it approves.

    `version` and `digest` (SHA-256 of its text) are those in use, null if none is. `looked_at`: versions that its owner
    looked at; only these are approved. `is_approved`: whether the one in use is among them.
    """

    tool: str
    version: str | None
    digest: str | None
    is_approved: bool
    looked_at: list[str]


class PolicyOut(Schema):
    """A policy. `number` is its newest version, which applies; `replayed` the one last replayed on history, and
    `replay` where that version would have decided differently from people.
    """

    id: str
    name: str
    state: str
    reason: str
    number: int
    replayed: int
    replay: dict[str, Any]
    enabled_at: datetime | None
    versions: list[VersionOut]
    tools: list[PolicyToolOut] = []


class PolicyPage(Schema):
    """Policies, newest first."""

    items: list[PolicyOut]
    next: str | None


class VersionIn(Strict):
    """A new version. All conditions must be true of a step; conditions that are left out match every step."""

    action: Literal["forbid", "require_two", "require_review", "auto_approve"]
    conditions: dict[str, Any] = {}
    budget: int = Field(0, description="plans a day, of one that approves")
    expires_at: str | None = Field(None, description="a moment with a time zone, of one that approves")
    sampling_percent: int = Field(0, description="the percentage that a person still reviews")
    note: str = ""


class PolicyIn(VersionIn):
    """A new policy with its first version."""

    name: str


class EnableIn(Strict):
    """The version that was read and replayed; if there is a newer one, the request is refused.

    `tools`: the digest of each tool that you looked at; the request is refused if others are in use.
    """

    version: int
    tools: dict[str, str] | None = None


class ConfirmIn(Strict):
    """The digest of each tool that you looked at; the request is refused if another is in use."""

    tools: dict[str, str] = Field(min_length=1)


class DisableIn(Strict):
    """Why it is disabled."""

    reason: str = ""


@router.get("", response=PolicyPage, auth=_MAY_READ, operation_id="list_policies")
def page(
    request: ApiRequest,
    state: Annotated[PolicyState | None, Query(description="only policies in this state")] = None,
    after: After = "",
    limit: Limit = 20,
) -> PolicyPage:
    """All policies, newest first (reviewers and operators)."""
    _check_may_read(request.auth.user)
    found = ReviewPolicy.objects.prefetch_related("versions__owner")
    if state is not None:
        found = found.filter(state=state.value)
    rows, following = newest_first(found, after, limit)
    tools = made_tools.in_use() if rows else []
    return PolicyPage(items=[_out(row, tools) for row in rows], next=following)


@router.get("/{policy_id}", response=PolicyOut, auth=_MAY_READ, operation_id="read_policy")
def read(request: ApiRequest, policy_id: str) -> PolicyOut:
    """One policy with all its versions, newest first."""
    return _out(_read(request.auth.user, policy_id))


@router.post("", response={201: PolicyOut}, auth=_MAY_WRITE, operation_id="write_policy")
def write(request: ApiRequest, response: HttpResponse, payload: PolicyIn) -> Status[PolicyOut]:
    """Write a policy. It is inactive until it was replayed on history and enabled (operators)."""
    user = request.auth.user
    policy = writing.write(_draft(payload, payload.name), by=user)
    response.headers["Location"] = f"/api/v1/policies/{policy.pk}"
    return Status(201, _out(_read(user, str(policy.pk))))


@router.post("/{policy_id}/versions", response={201: PolicyOut}, auth=_MAY_WRITE, operation_id="write_policy_version")
def write_version(request: ApiRequest, policy_id: str, payload: VersionIn) -> Status[PolicyOut]:
    """Write the next version; the policy is inactive until that version was replayed and enabled."""
    user = request.auth.user
    policy = _read(user, policy_id)
    writing.write(_draft(payload, policy.name), by=user, policy=policy)
    return Status(201, _out(_read(user, policy_id)))


@router.post("/{policy_id}/replay", response=PolicyOut, auth=_MAY_WRITE, operation_id="replay_policy")
def replay(request: ApiRequest, policy_id: str, payload: Annotated[Nothing | None, Body()] = None) -> PolicyOut:
    """Show what the newest version would have decided on the last plans; only then can it be enabled."""
    user = request.auth.user
    writing.replay(_read(user, policy_id), by=user)
    return _out(_read(user, policy_id))


@router.post("/{policy_id}/enable", response=PolicyOut, auth=_MAY_WRITE, operation_id="enable_policy")
def enable(request: ApiRequest, policy_id: str, payload: EnableIn) -> PolicyOut:
    """Enable the replayed version. Only its owner can enable one that approves; it approves tools as they are now."""
    user = request.auth.user
    writing.enable(_read(user, policy_id), by=user, number=payload.version, seen=payload.tools)
    return _out(_read(user, policy_id))


@router.post("/{policy_id}/confirm", response=PolicyOut, auth=_MAY_WRITE, operation_id="confirm_policy")
def confirm(request: ApiRequest, policy_id: str, payload: ConfirmIn) -> PolicyOut:
    """Let it approve tools in the versions in use, too, which changed since its owner looked. Only its owner can."""
    user = request.auth.user
    writing.confirm(_read(user, policy_id), by=user, seen=payload.tools)
    return _out(_read(user, policy_id))


@router.post("/{policy_id}/disable", response=PolicyOut, auth=_MAY_WRITE, operation_id="disable_policy")
def disable(request: ApiRequest, policy_id: str, payload: Annotated[DisableIn | None, Body()] = None) -> PolicyOut:
    """Disable the policy. It can be enabled again."""
    user = request.auth.user
    reason = (payload.reason if payload is not None else "").strip() or f"by {user.display_name}"
    if not writing.suspend(_read(user, policy_id), by=user, reason=reason):
        raise NotPossibleNow("This policy is not in force. Nothing was changed.")
    return _out(_read(user, policy_id))


def _draft(payload: VersionIn, name: str) -> Draft:
    try:
        conditions = Conditions.read(payload.conditions)
    except ConditionsRefused as wrong:
        raise invalid(f"conditions.{wrong.field}", str(wrong)) from wrong
    if payload.action != Action.AUTO_APPROVE and (payload.budget or payload.expires_at or payload.sampling_percent):
        raise invalid("action", "Only a policy that approves has a budget, an end and a share for people.")
    return Draft(
        name,
        Action(payload.action),
        conditions,
        budget=payload.budget,
        expires_at=_moment(payload.expires_at),
        sampling_percent=payload.sampling_percent,
        note=payload.note,
    )


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise invalid("expires_at", "This is a moment with a time zone, as in 2026-01-31T12:00:00Z.")
    return at


def _check_may_read(user: User) -> None:
    if not writing.may_read(user):
        raise Problem(403, "Only reviewers and operators can see policies.", kind="forbidden")


def _read(user: User, policy_id: str) -> ReviewPolicy:
    _check_may_read(user)
    found = ReviewPolicy.objects.prefetch_related("versions__owner")
    policy = found.filter(pk=found_id(policy_id, not_found("policy"))).first()
    if policy is None:
        raise not_found("policy")
    return policy


def _out(policy: ReviewPolicy, tools: list[InUse] | None = None) -> PolicyOut:
    newest = next(version for version in policy.versions.all() if version.number == policy.number)
    return PolicyOut(
        id=str(policy.pk),
        name=policy.name,
        state=policy.state,
        reason=policy.reason,
        number=policy.number,
        replayed=policy.replayed,
        replay=policy.replay,
        enabled_at=policy.enabled_at,
        versions=[_version_out(version) for version in policy.versions.all()],
        tools=[_tool_out(row) for row in tool_bodies.rows(policy, newest, tools)],
    )


def _tool_out(row: tool_bodies.Row) -> PolicyToolOut:
    return PolicyToolOut(
        tool=row.tool,
        version=row.body.version if row.body is not None else None,
        digest=row.body.digest if row.body is not None else None,
        is_approved=row.is_known,
        looked_at=list(row.looked_at),
    )


def _version_out(version: PolicyVersion) -> VersionOut:
    return VersionOut(
        number=version.number,
        action=version.action,
        conditions=version.conditions,
        budget=version.budget,
        expires_at=version.expires_at,
        sampling_percent=version.sampling_percent,
        owner=version.owner.username,
        note=version.note,
        at=version.at,
    )
