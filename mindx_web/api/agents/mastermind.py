"""`mastermind`: one line as a command. The same reading, services and rights as at the terminal and on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ninja import Router, Schema
from pydantic import Field

from agents.components import known_components
from agents.coordinator import commanding
from agents.coordinator.commanding import Given
from agents.mastermind.answers import Answer, Outcome
from agents.mastermind.reading import MOST_CHARS, read
from agents.models import GivenCommand
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.problems import FieldError, Problem
from mindx_web.api.protocol.shapes import Strict
from people import tokens
from people.scopes import Scope

router = Router(tags=["mastermind"])

_MAY_COMMAND = BearerToken(Scope.MASTERMIND)
# A command needs the same scope as the address that does the same, so this address opens nothing else.
SCOPES: Mapping[str, tuple[Scope, ...]] = {
    "evolve": (Scope.GOALS_WRITE,),
    "deploy": (Scope.GOALS_WRITE,),
    "introspect": (Scope.GOALS_READ,),
    "status": (Scope.GOALS_READ,),
    "agent_create": (Scope.AGENTS_WRITE, Scope.GOALS_WRITE),
    "agent_list": (),
    "agent_evolve": (Scope.AGENTS_WRITE, Scope.GOALS_WRITE, Scope.BACKLOG_WRITE),
    "agent_delete": (Scope.AGENTS_WRITE, Scope.GOALS_WRITE),
    "coord_query": (Scope.MEMORY_READ,),
    "coord_analyze": (Scope.GOALS_WRITE,),
    "coord_improve": (Scope.BACKLOG_WRITE,),
    "coord_backlog": (Scope.BACKLOG_READ,),
    "coord_process_backlog": (Scope.GOALS_WRITE,),
    "coord_approve": (Scope.BACKLOG_WRITE,),
    "coord_reject": (Scope.BACKLOG_WRITE,),
    "help": (),
}


class CommandIn(Strict):
    """A line, and the workspace and agent for its goals: by default a new workspace and the first agent."""

    command: str = Field(max_length=MOST_CHARS, description="as in: evolve the summarization tool")
    workspace: str = Field("", max_length=80)
    agent: str = Field("", max_length=64)
    priority: int = Field(3, ge=1, le=5, description="1 is adopted first, 5 last")


class AnswerOut(Schema):
    """The result of a line. `understood` is the complete command, `goals` and `items` are what it created or is about;
    `said` is for people, `data` for programs.
    """

    outcome: str
    command: str
    understood: str
    said: list[str]
    goals: list[str]
    items: list[str]
    suggestions: list[str]
    data: dict[str, Any]


@router.post("", response=AnswerOut, auth=_MAY_COMMAND, operation_id="command")
def command(request: ApiRequest, payload: CommandIn) -> AnswerOut:
    """Carry out one line. A line that is not understood is 422; its `errors` suggest lines that you may have meant."""
    _check_scopes(request, payload.command)
    key = request.headers.get("Idempotency-Key", "")
    answer = commanding.carry_out(
        Given(
            payload.command,
            request.auth.user,
            GivenCommand.Via.API.value,
            workspace=payload.workspace,
            agent=payload.agent,
            priority=payload.priority,
            # Per token: the same key with another token is another request.
            key=f"api:{request.auth.pk}:{key}" if key else "",
        )
    )
    if not answer.is_done:
        raise _problem(answer)
    return AnswerOut(**answer.as_json())


def _check_scopes(request: ApiRequest, line: str) -> None:
    reading = read(line, known_components.known())
    missing = [scope for scope in SCOPES.get(reading.command, ()) if not tokens.allows(request.auth, scope)]
    if reading.is_understood and missing:
        said = f"This token has no scope {missing[0]}, which {reading.command} takes."
        raise Problem(403, said, kind="insufficient_scope")


def _problem(answer: Answer) -> Problem:
    said = " ".join(answer.said)
    if answer.outcome is Outcome.NOT_ALLOWED:
        return Problem(403, said, kind="forbidden")
    if answer.outcome is Outcome.NOT_POSSIBLE:
        return Problem(409, said, kind="not_possible_now")
    tried = [FieldError("suggestion", suggestion) for suggestion in answer.suggestions]
    return Problem(422, said, kind="not_understood", errors=[FieldError("command", said), *tried])
