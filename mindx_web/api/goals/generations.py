"""`goals/{id}/generations`: the requests to language models for a goal, and their results."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ninja import Router, Schema

from agents.models import Generation
from library.models import ModelCall
from mindx_web.api.goals.goals import readable
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, found_id, newest_first
from mindx_web.api.protocol.problems import not_found
from people.scopes import Scope

router = Router(tags=["goals"])

_MAY_READ = BearerToken(Scope.GOALS_READ)


class PlanProblemOut(Schema):
    """What was wrong with a plan; `position` counts steps from 1, clean-up after the others; 0 is the whole plan."""

    position: int
    field: str
    message: str


class GenerationOut(Schema):
    """One call of a model. `turn` and `attempt` are null if it gave no answer, or one that was not a plan.

    `state` is asked, answered, cached or failed; `failure` then says why in a word and `detail` in a sentence.
    `cannot` is the model's own statement that it finds no plan. Text from models is data, never markup.
    """

    id: str
    at: datetime
    purpose: str
    state: str
    turn: int | None
    attempt: int | None
    problems: list[PlanProblemOut]
    cannot: str
    firmware: str
    model: str
    answered_by: str
    answer: str
    failure: str
    detail: str
    requests: int
    tokens_in: int
    tokens_out: int
    cost_usd: str | None
    latency_ms: int | None


class MessageOut(Schema):
    """One part of a prompt, as it was sent."""

    role: str
    content: str


class WholeGenerationOut(GenerationOut):
    """A call with its whole prompt."""

    prompt: list[MessageOut]


class GenerationPage(Schema):
    """Calls, newest first; ask again with `after=next` for older ones."""

    items: list[GenerationOut]
    next: str | None


@router.get("/{goal_id}/generations", response=GenerationPage, auth=_MAY_READ, operation_id="list_generations")
def page(request: ApiRequest, goal_id: str, after: After = "", limit: Limit = 50) -> GenerationPage:
    """The requests to models for a goal: every attempt at its plan, and every call without an answer."""
    goal = readable(request.auth.user, goal_id)
    # Calls that were repeated only to compare are listed with the original call.
    rows = ModelCall.objects.filter(goal=str(goal.pk), replay_of=None).defer("messages", "asked_with")
    calls, following = newest_first(rows, after, limit)
    attempts = _attempts(calls)
    return GenerationPage(items=[GenerationOut(**_out(call, attempts.get(call.pk))) for call in calls], next=following)


@router.get(
    "/{goal_id}/generations/{generation_id}",
    response=WholeGenerationOut,
    auth=_MAY_READ,
    operation_id="read_generation",
)
def read(request: ApiRequest, goal_id: str, generation_id: str) -> WholeGenerationOut:
    """One call of a model for a goal, with the prompt."""
    goal = readable(request.auth.user, goal_id)
    missing = not_found("generation")
    call = ModelCall.objects.filter(goal=str(goal.pk), pk=found_id(generation_id, missing)).first()
    if call is None:
        raise missing
    prompt = [MessageOut(role=one["role"], content=one["content"]) for one in call.messages]
    return WholeGenerationOut(**_out(call, _attempts([call]).get(call.pk)), prompt=prompt)


def _attempts(calls: Sequence[ModelCall]) -> dict[int, Generation]:
    return {one.call_id: one for one in Generation.objects.filter(call__in=[call.pk for call in calls])}


def _out(call: ModelCall, attempt: Generation | None) -> dict[str, Any]:
    problems = attempt.problems if attempt else []
    return {
        "id": str(call.pk),
        "at": call.at,
        "purpose": call.purpose,
        "state": call.state,
        "turn": attempt.turn if attempt else None,
        "attempt": attempt.attempt if attempt else None,
        "problems": [PlanProblemOut(**{name: one[name] for name in PlanProblemOut.model_fields}) for one in problems],
        "cannot": attempt.cannot if attempt else "",
        "firmware": attempt.firmware if attempt else "",
        "model": call.model,
        "answered_by": call.answered_by,
        "answer": call.answer,
        "failure": call.failure,
        "detail": call.detail,
        "requests": call.tries,
        "tokens_in": call.tokens_in,
        "tokens_out": call.tokens_out,
        "cost_usd": None if call.cost is None else str(call.cost),
        "latency_ms": call.latency_ms,
    }
