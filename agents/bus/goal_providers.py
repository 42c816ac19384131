"""Agents and tools of mindX as members: a request becomes a goal of whoever asked, planned, reviewed and run as any.

The goal's key is the request's number, so that a request that is begun twice has one goal.
"""

from __future__ import annotations

from typing import Any

from agents.bus import in_step
from agents.goals import goals, tool_calls
from agents.goals.component_goals import Terms
from agents.goals.tool_calls import ToolCall
from agents.models import BusCapability, BusMember, BusRequest, FailureRecord, Goal
from agents.plans.tool_call_plans import Caller
from agents.states import GoalState

KINDS = (BusMember.Kind.AGENT.value, BusMember.Kind.TOOL.value)
# Failures that say that the member is not well, not that what was asked cannot be done.
_UNWELL = frozenset({"TOOL_UNAVAILABLE", "RATE_LIMIT_ERROR", "NETWORK_ERROR"})


def begin(request: BusRequest, offered: BusCapability) -> Goal:
    """The goal that answers the request. Raises AgentsError where it cannot be made of what was asked."""
    if (goal := _made_for(request)) is not None:
        return goal
    if offered.name == in_step.ACHIEVE and offered.member.agent is not None:
        return goals.submit(
            by=request.by,
            text=str(request.content.get("text", "")),
            workspace=request.workspace,
            agent=offered.member.agent,
            parent=request.parent,
            deadline=request.deadline,
            submission_key=_key(request),
        )
    tool, _, command = offered.name.partition(".")
    call = ToolCall(tool, command, request.content, request.why)
    terms = Terms(request.by, request.workspace, key=_key(request))
    return tool_calls.propose(call, terms, _caller(request), parent=request.parent).goal


def adopt(request: BusRequest) -> None:
    """Have a request that has ended know its goal, so that the goal is ended too: its worker died between the two."""
    if request.goal_id is None and (goal := _made_for(request)) is not None:
        BusRequest.objects.filter(pk=request.pk, goal=None).update(goal=goal)
        request.goal = goal


def _made_for(request: BusRequest) -> Goal | None:
    return Goal.objects.filter(submitted_by=request.by_id, submission_key=_key(request)).first()


def _key(request: BusRequest) -> str:
    return f"bus:{request.pk}"


def _caller(request: BusRequest) -> Caller:
    name = request.caller.name if request.caller is not None else request.by.username
    return Caller("bus", name, str(request.pk))


def is_well(goal: Goal) -> bool | None:
    """What a goal that has ended says of the member: it answered, it was not able to, or nothing.

    A plan that people rejected or cancelled says nothing, and neither does a goal that could not be done as asked.
    """
    if goal.state == GoalState.ACHIEVED:
        return True
    if goal.state == GoalState.DROPPED:
        return None
    last = FailureRecord.objects.filter(goal=goal).order_by("-pk").values_list("failure_class", flat=True).first()
    return False if last in _UNWELL else None


def result_of(goal: Goal) -> dict[str, Any]:
    """The answer of a goal that has ended: where to read about it, and what its last step returned. Untrusted text."""
    answer = tool_calls.answer_of(goal)
    return {"goal": str(goal.pk), "result": dict(answer.result) if answer is not None else {}}


def reason_of(goal: Goal) -> str:
    """Why a goal that has ended was not achieved; empty when it was."""
    if goal.has_missed:
        return f"the goal ended as {goal.shown_state.replace('_', ' ')}"
    answer = tool_calls.answer_of(goal)
    return answer.reason if answer is not None else ""
