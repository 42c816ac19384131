"""`model-calls`: one recorded request to a language model with its answer, and sending it again to compare."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Field, Router, Schema
from ninja.responses import Status

from agents.evolution.replays import asking_again
from agents.record.errors import NotPossibleNow, NotYours
from library.models import ModelCall
from mindx_web.api.goals.generations import MessageOut
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import found_id
from mindx_web.api.protocol.problems import Problem, not_found
from people.models import User
from people.scopes import Scope

router = Router(tags=["insights"])


class ReplayIn(Schema):
    """What to use; empty: the version of its prompt that is in use, and the same model."""

    prompt_version: str = Field("", max_length=32)
    model: str = Field("", max_length=200)


class CallOut(Schema):
    """A request to a model and its result, without its texts. `state`: asked, answered, cached or failed.

    `prompts` are those in it, each with its version. `replay_of`: the call whose request this one sent again.
    """

    id: str
    at: datetime
    goal: str | None
    purpose: str
    state: str
    prompts: list[str]
    model: str
    answered_by: str
    failure: str
    detail: str
    requests: int
    tokens_in: int
    tokens_out: int
    tokens_are_guessed: bool
    cost_usd: str | None
    latency_ms: int | None
    replay_of: str | None


class WholeCallOut(CallOut):
    """The same with its texts, in which placeholders replace secrets. All text is data, never markup.

    `hidden` names the kinds of secrets; `replays` are the calls that sent it again, newest first.
    """

    messages: list[MessageOut]
    answer: str
    hidden: list[str]
    replays: list[str]


@router.get("/{call_id}", response=WholeCallOut, auth=BearerToken(Scope.GOALS_READ), operation_id="read_model_call")
def read(request: ApiRequest, call_id: str) -> WholeCallOut:
    """One call; for whoever may see its goal, and for operators."""
    call = _seen(request.auth.user, call_id)
    replays = ModelCall.objects.filter(replay_of=call).order_by("-pk").values_list("pk", flat=True)[:100]
    return WholeCallOut(
        **_out(call),
        messages=[MessageOut(role=one["role"], content=one["content"]) for one in call.messages],
        answer=call.answer,
        hidden=call.masked.split(", ") if call.masked else [],
        replays=[str(pk) for pk in replays],
    )


@router.post(
    "/{call_id}/replay",
    response={201: CallOut},
    auth=BearerToken(Scope.LIBRARY_WRITE),
    operation_id="replay_model_call",
)
def replay(request: ApiRequest, call_id: str, payload: ReplayIn) -> Status[CallOut]:
    """Send the recorded request again, for operators; the answer comes when the model has given it.

    Nothing acts on the answer. The call can be read whether it was answered or failed; 409 says why nothing could be
    sent.
    """
    user = request.auth.user
    call = _seen(user, call_id)
    try:
        made = asking_again.again(call, by=user, version=payload.prompt_version, model=payload.model)
    except NotYours as refused:
        raise Problem(403, str(refused), kind="forbidden") from refused
    except NotPossibleNow as refused:
        raise Problem(409, str(refused), kind="not_possible") from refused
    return Status(201, CallOut(**_out(made)))


def _seen(user: User, call_id: str) -> ModelCall:
    missing = not_found("call")
    call = ModelCall.objects.filter(pk=found_id(call_id, missing)).first()
    if call is None or not asking_again.may_see(user, call):
        raise missing
    return call


def _out(call: ModelCall) -> dict[str, Any]:
    return {
        "id": str(call.pk),
        "at": call.at,
        "goal": call.goal or None,
        "purpose": call.purpose,
        "state": call.state,
        "prompts": call.prompts,
        "model": call.model,
        "answered_by": call.answered_by,
        "failure": call.failure,
        "detail": call.detail,
        "requests": call.tries,
        "tokens_in": call.tokens_in,
        "tokens_out": call.tokens_out,
        "tokens_are_guessed": call.tokens_are_guessed,
        "cost_usd": None if call.cost is None else str(call.cost),
        "latency_ms": call.latency_ms,
        "replay_of": None if call.replay_of_id is None else str(call.replay_of_id),
    }
