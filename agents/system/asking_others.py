"""A step of an approved plan that asks on the bus: made once, and taken up again with the answer.

While others work on it, no worker waits: the step says so (`StepWaits`), the goal stands still, and the end of the
request wakes it. What an agent or a tool is asked for is a goal of the same person, with a review of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from agents.actors.step_model_calls import Means
from agents.bdi.bus.remembering import spoken
from agents.bdi.recovery.failures import FailureClass
from agents.bus import goal_providers, requests, routing
from agents.models import Attempt, BusMember, BusRequest, FailureRecord, Goal, Workspace
from agents.record import bus_answers
from agents.record.errors import AskedInVain, GoalRefused, RequestRefused, StepWaits
from agents.states import GoalState, RequestState
from agents.system import acting, asking_now
from agents.toolkit import canonical
from agents.toolkit.command import Params
from agents.toolkit.tools.system_agent import NAME, REQUEST_AGENT
from people.models import User

# What a result holds of an answer; all of it stays with the request.
_TEXT_MAX, _ANSWER_MAX = 50_000, 50_000
_OUTCOME_UNKNOWN = "outcome_unknown"
# Why a request is refused at once, by the field that it names; every other one is about what was said.
_REFUSED = {
    "capability": FailureClass.TOOL_UNAVAILABLE,
    "min_confidence": FailureClass.TOOL_UNAVAILABLE,
    # Agents that would call each other for ever.
    "within": FailureClass.PERMISSION_ERROR,
    "parent": FailureClass.PERMISSION_ERROR,
}


def request_agent(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """The answer of a request below this goal.

    Raises StepWaits as long as there is none, AskedInVain when there will not be one.
    """

    def ask(goal: Goal, by: User, key: str) -> dict[str, Any]:
        asked = _earlier(goal, by, key) or _asked(params, goal, by, key)
        if _is_answered_here(asked):
            asking_now.answer(asked)
        if not asked.has_ended:
            raise StepWaits(_waits(asked), lambda: _has_ended(asked.pk))
        if why := bus_answers.why_forged(asked):
            raise AskedInVain(f"request {asked.pk}: {why}", FailureClass.UNKNOWN_ERROR)
        if asked.state != RequestState.ANSWERED:
            raise _in_vain(asked)
        return _result(asked)

    return acting.once(REQUEST_AGENT, params, means, ask)


def _earlier(goal: Goal, by: User, key: str) -> BusRequest | None:
    """What the step has asked already, as long as it stands for this try.

    A try that failed may ask anew, but not where nobody knows what the first request did.
    """
    mine = BusRequest.objects.filter(by=by, parent=goal, submission_key__startswith=f"{key}:").order_by("-pk")
    last = mine.select_related("goal", "member", "offered").first()
    if last is None:
        return None
    stands = last.state in (RequestState.ANSWERED, *_open()) or last.reason.startswith(_OUTCOME_UNKNOWN)
    return last if stands or last.submission_key == _key(goal, key) else None


def _open() -> tuple[RequestState, ...]:
    return RequestState.WAITING, RequestState.RUNNING, RequestState.WITH_GOAL


def _key(goal: Goal, key: str) -> str:
    """Another one for each try that was recorded as failed: a worker that dies before that asks for nothing new."""
    tries = Attempt.objects.filter(
        intent__intent_plan__goal=goal, intent__tool=NAME, intent__command=REQUEST_AGENT, outcome="failed"
    )
    return f"{key}:{tries.count()}"


def _asked(params: Params, goal: Goal, by: User, key: str) -> BusRequest:
    content = acting.json_of(str(params.get("content", "")), "content")
    try:
        return requests.request(
            by=by,
            capability=str(params.get("capability", "")),
            task=str(params.get("task", "")),
            content=content or None,
            why=str(params.get("why", "")),
            strategy=str(params.get("strategy", "confidence")),
            deadline=timezone.now() + timedelta(minutes=int(params.get("minutes", 1_440))),
            workspace=_workspace(goal, str(params.get("workspace", ""))),
            parent=goal,
            key=_key(goal, key),
        )
    except RequestRefused as refused:
        raise AskedInVain(refused.message, _REFUSED.get(refused.field, FailureClass.INVALID_PARAMETERS)) from refused


def _workspace(goal: Goal, name: str) -> Workspace | None:
    """The files that it is done with. Those of this goal are held by its plan, which waits: nothing could run there."""
    if not name:
        return None
    found = Workspace.objects.filter(name=name).first()
    if found is None:
        raise GoalRefused("workspace", "No workspace of yours has this name.")
    if found.pk == goal.workspace_id:
        raise GoalRefused("workspace", "This plan holds its own files while it waits. Name another workspace.")
    return found


def _is_answered_here(asked: BusRequest) -> bool:
    """Whether only parts of mindX offer it: they read and answer in moments, so that nobody need wait."""
    if asked.state != RequestState.WAITING or not asked.capability:
        return False
    offered = routing.offers_of(asked.capability)
    return bool(offered) and all(one.member.kind == BusMember.Kind.SYSTEM for one in offered)


def _has_ended(pk: int) -> bool:
    return BusRequest.objects.filter(pk=pk, ended_at__isnull=False).exists()


def _waits(asked: BusRequest) -> str:
    what = f"for {asked.capability}" if asked.capability else "whoever suits the task"
    until = f" until {asked.deadline:%Y-%m-%d %H:%M} UTC" if asked.deadline is not None else ""
    return f"request {asked.pk} asks {what} and is waited for{until}"


def _in_vain(asked: BusRequest) -> AskedInVain:
    """Why there is no answer, and what that means for another try."""
    reason = f"request {asked.pk} ended as {asked.state}: {asked.reason or 'no reason was given'}"
    goal = asked.goal
    if asked.reason.startswith(_OUTCOME_UNKNOWN):
        return AskedInVain(reason, FailureClass.UNKNOWN_ERROR)
    if asked.state == RequestState.EXPIRED:
        return AskedInVain(reason, FailureClass.TOOL_UNAVAILABLE)
    if asked.state == RequestState.CANCELLED or (goal is not None and goal.state == GoalState.DROPPED):
        # People have said no; asking once more would be asking them again.
        return AskedInVain(reason, FailureClass.PERMISSION_ERROR)
    if goal is not None and goal_providers.is_well(goal) is False:
        last = FailureRecord.objects.filter(goal=goal).order_by("-pk").values_list("failure_class", flat=True).first()
        return AskedInVain(reason, FailureClass(last or FailureClass.TOOL_EXECUTION_ERROR))
    return AskedInVain(reason, FailureClass.TOOL_EXECUTION_ERROR)


def _result(asked: BusRequest) -> dict[str, Any]:
    """What later steps may refer to. The words of an answer are as untrusted as any output."""
    answer = dict(asked.answer or {})
    whole = canonical.dumps(answer).decode()
    member = asked.member.name if asked.member is not None else "a member of the bus"
    return {
        "message": f"request {asked.pk} was answered by {member}",
        "request": str(asked.pk),
        "state": asked.state,
        "goal": str(asked.goal_id or ""),
        "text": spoken(answer)[:_TEXT_MAX],
        "answer": answer if len(whole) <= _ANSWER_MAX else {"is_cut": True},
    }
