"""Waiting for a goal on behalf of a client: it is told that it is worked on, has ended, or needs a person."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.urls import reverse

from agents.states import GoalState
from mindx_web.api.review import waiting as places
from mindx_web.mcp import state
from mindx_web.mcp.calling import Answer, Caller, aside, ask, token
from mindx_web.mcp.state import Waiting
from people import tokens
from people.scopes import Scope

INPUT_REQUIRED = "input_required"
# How a client of the protocol calls what a goal's state means; every other state is still being worked on.
_STATUS = {
    GoalState.ACHIEVED: "completed",
    GoalState.FAILED: "failed",
    GoalState.DROPPED: "cancelled",
    GoalState.AWAITING_REVIEW: INPUT_REQUIRED,
    GoalState.MANUAL: INPUT_REQUIRED,
}
_DEFAULT_S = 20.0
_FIRST_LOOK_S = 0.1
_CALMEST_LOOK_S = 1.0


async def wait(caller: Caller, given: Mapping[str, Any]) -> Answer:
    """The goal with its `status`, when it has ended or needs a person, or after the seconds.

    With a state the client has shown the plan already, so the same plan's waiting is waited out. Raises Problem and
    StateRefused.
    """
    who = await aside(token, caller)
    seen = state.read(given["state"], token=who.pk, goal=given["goal"]) if "state" in given else None
    deadline = time.monotonic() + float(given.get("seconds", _DEFAULT_S))
    pause = _FIRST_LOOK_S
    with places.place(who.user_id):
        while True:
            goal = await aside(ask, caller, "GET", f"goals/{given['goal']}")
            left = deadline - time.monotonic()
            if goal.refused or left <= 0 or _is_news(goal.data, seen):
                break
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 1.5, _CALMEST_LOOK_S)
    return goal if goal.refused else await aside(_told, caller, goal.data, seen)


def _is_news(goal: Mapping[str, Any], seen: Waiting | None) -> bool:
    status = _STATUS.get(goal["state"], "working")
    if status != INPUT_REQUIRED:
        return status != "working"
    return seen is None or seen.plan != (goal["intent_plan"] or "")


def _told(caller: Caller, goal: Mapping[str, Any], seen: Waiting | None) -> Answer:
    status = _STATUS.get(goal["state"], "working")
    told: dict[str, Any] = {"status": status, "goal": goal}
    if status == INPUT_REQUIRED:
        told["waiting"] = _waiting(caller, goal)
        if seen is not None:
            told["plan_changed"] = seen.plan != (goal["intent_plan"] or "")
    return Answer(200, told)


def _waiting(caller: Caller, goal: Mapping[str, Any]) -> dict[str, Any]:
    """Who has to do what, where, and the state for the next call."""
    who = token(caller)
    plan = goal["intent_plan"] if goal["state"] == GoalState.AWAITING_REVIEW else None
    path = reverse("review-plan", args=[plan]) if plan else reverse("goal", args=[goal["id"]])
    # Who may not read plans learns that there is one, not what is in it.
    readable = plan is not None and tokens.allows(who, Scope.REVIEW_READ)
    read = ask(caller, "GET", f"intent-plans/{plan}") if readable else None
    digest = read.data["digest"] if read is not None and not read.refused else ""
    given = Waiting(token=who.pk, goal=goal["id"], plan=plan or "", digest=digest)
    return {
        "for": "a decision on its plan" if plan else "a person, who sees on this page what is needed",
        "address": f"{settings.PUBLIC_URL}{path}",
        "plan": plan,
        "digest": digest or None,
        "state": state.give(given),
        "state_expires_in_s": int(state.LIVES.total_seconds()),
    }
