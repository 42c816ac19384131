"""`goals/{id}/commands`: type a command into the goal's session, follow it, stop it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpResponse
from ninja import Body, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.hands import hand_commands
from agents.models import HandCommand
from agents.states import HandState
from mindx_web.api.goals.goals import readable
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, found_id, newest_first
from mindx_web.api.protocol.problems import not_found
from mindx_web.api.protocol.shapes import Nothing, Strict
from people.models import User
from people.scopes import Scope
from sandbox.gate.hosts import MOST_ENTRIES

router = Router(tags=["goals"])

_MAY_READ = BearerToken(Scope.GOALS_READ)
_MAY_TYPE = BearerToken(Scope.SESSION_WRITE)


class CommandIn(Strict):
    """A command of `python -m sandbox`, for example `run pytest -q`.

    `hosts` and `timeout_s` are for `run`. They may also be in the line, before the program: `run hosts=packages
    timeout_s=60 pip install httpx`.
    """

    text: str
    autonomous: bool = Field(False, description="this one command may delete what it did not make")
    hosts: list[str] = Field(
        default_factory=list,
        max_length=MOST_ENTRIES,
        description="what the program may reach: names or IPv4 addresses, with a port where it is none of the web's, or"
        " `packages`, the package index",
    )
    timeout_s: int | None = Field(None, ge=1, description="the program's time in seconds; the usual time when left out")


class CommandOut(Schema):
    """A typed command. `result` is its answer; `snapshot_after` differs if it changed files.

    `text` is the whole command in normalised spelling; `hosts` is all that its programs may reach.
    """

    id: str
    goal: str
    workspace: str
    by: str
    text: str
    command: str
    params: dict[str, Any]
    hosts: list[str]
    autonomous: bool
    state: HandState
    reason: str
    cancel_requested: bool
    snapshot_before: str
    snapshot_after: str
    result: dict[str, Any] | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class CommandPage(Schema):
    """Typed commands, newest first; ask again with `after=next` for older ones."""

    items: list[CommandOut]
    next: str | None


@router.post("/{goal_id}/commands", response={202: CommandOut}, auth=_MAY_TYPE, operation_id="type_command")
def type_in(request: ApiRequest, response: HttpResponse, goal_id: str, payload: CommandIn) -> Status[CommandOut]:
    """Type a command: a worker runs it. For operators in their own workspaces, and admins.

    A command that a policy forbids is refused (422), and so is one with hosts if a policy requires a review.
    """
    user = request.auth.user
    goal = readable(user, goal_id)
    command = hand_commands.submit(
        goal,
        user,
        payload.text,
        autonomous=payload.autonomous,
        hosts=payload.hosts,
        timeout_s=payload.timeout_s,
    )
    response.headers["Location"] = f"/api/v1/goals/{goal.pk}/commands/{command.pk}"
    return Status(202, command_out(command))


@router.get("/{goal_id}/commands", response=CommandPage, auth=_MAY_READ, operation_id="list_commands")
def page(request: ApiRequest, goal_id: str, after: After = "", limit: Limit = 50) -> CommandPage:
    """What people typed into the goal's session, newest first."""
    typed = readable(request.auth.user, goal_id).hand_commands.select_related("workspace", "by")
    rows, following = newest_first(typed, after, limit)
    return CommandPage(items=[command_out(row) for row in rows], next=following)


@router.get("/{goal_id}/commands/{command_id}", response=CommandOut, auth=_MAY_READ, operation_id="read_command")
def read(request: ApiRequest, goal_id: str, command_id: str) -> CommandOut:
    """One typed command."""
    return command_out(_command(request.auth.user, goal_id, command_id))


@router.post(
    "/{goal_id}/commands/{command_id}/cancel", response=CommandOut, auth=_MAY_TYPE, operation_id="cancel_command"
)
def cancel(
    request: ApiRequest, goal_id: str, command_id: str, payload: Annotated[Nothing | None, Body()] = None
) -> CommandOut:
    """Stop a command. A running one is `cancelled` within seconds, and its changes are discarded."""
    user = request.auth.user
    hand_commands.cancel(_command(user, goal_id, command_id), user)
    return command_out(_command(user, goal_id, command_id))


def command_out(row: HandCommand) -> CommandOut:
    """A typed command as the API shows it."""
    return CommandOut(
        id=str(row.pk),
        goal=str(row.goal_id),
        workspace=row.workspace.name,
        by=row.by.username,
        text=row.text,
        command=row.command,
        params=row.params,
        hosts=row.params.get("hosts", []),
        autonomous=row.session_before.get("autonomous") is True,
        state=HandState(row.state),
        reason=row.reason,
        cancel_requested=row.cancel_requested,
        snapshot_before=row.snapshot_before,
        snapshot_after=row.snapshot_after,
        result=row.result,
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def _command(user: User, goal_id: str, command_id: str) -> HandCommand:
    rows = HandCommand.objects.select_related("goal", "workspace", "by").filter(goal=readable(user, goal_id))
    row = rows.filter(pk=found_id(command_id, not_found("command"))).first()
    if row is None:
        raise not_found("command")
    return row
