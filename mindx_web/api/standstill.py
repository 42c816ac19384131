"""`standstill`: pausing everything, for everybody at once."""

from __future__ import annotations

from datetime import datetime

from ninja import Router, Schema
from pydantic import Field

from agents.actors import pauses
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.problems import Problem
from people.roles import Role
from people.scopes import Scope

router = Router(tags=["agents"])

_MAY_WRITE = BearerToken(Scope.AGENTS_WRITE)


class StandstillIn(Schema):
    """Why everything is paused; every page shows it at the top."""

    reason: str = Field(min_length=1, max_length=300)


class StandstillOut(Schema):
    """Whether everything is paused. Then no planning, step, trial or typed command starts."""

    stands_still: bool
    reason: str = ""
    by: str = ""
    since: datetime | None = None


@router.post("", response=StandstillOut, auth=_MAY_WRITE, operation_id="stand_still")
def stand_still(request: ApiRequest, body: StandstillIn) -> StandstillOut:
    """Pause everything: running steps finish, and nothing new starts. Asking twice changes nothing."""
    _check(request)
    found = pauses.stop_all(by=request.auth.user, reason=body.reason)
    return StandstillOut(stands_still=True, reason=found.reason, by=found.by.username, since=found.since)


@router.post("/end", response=StandstillOut, auth=_MAY_WRITE, operation_id="end_standstill")
def end(request: ApiRequest) -> StandstillOut:
    """Resume everything where it stopped."""
    _check(request)
    pauses.go_on(by=request.auth.user)
    return StandstillOut(stands_still=False)


def _check(request: ApiRequest) -> None:
    if not request.auth.user.has_role(Role.OPERATOR):
        raise Problem(403, "Stopping everything needs the role operator.", kind="forbidden")
