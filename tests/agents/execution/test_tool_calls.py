"""Goals that are one call of a tool: shown before they run, answered once, and failures are the caller's to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from agents.cycle import cycle
from agents.goals import tool_calls
from agents.goals.component_goals import Terms
from agents.goals.tool_calls import CallAnswer, ToolCall
from agents.models import Goal, IntentPlan
from agents.plans.tool_call_plans import Caller, caller_of
from agents.record import signals
from agents.record.errors import PlanInvalid
from agents.states import GoalState, PlanState
from people.models import User
from review.deciding import decisions

pytestmark = pytest.mark.django_db(transaction=True)
CALLER = Caller("modular", "a modular agent", "7")


def _propose(by: User, command: str, params: Mapping[str, Any], **terms: Any) -> IntentPlan:
    return tool_calls.propose(ToolCall("simple_coder", command, params), Terms(by, **terms), CALLER)


def _carried_out(plan: IntentPlan, reviewer: User) -> CallAnswer:
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(plan.goal_id)
    answer = tool_calls.answer_of(Goal.objects.get(pk=plan.goal_id))
    assert answer is not None
    return answer


def test_a_call_awaits_review_with_every_value_and_runs_when_it_is_approved(owner: User, reviewer: User) -> None:
    plan = _propose(owner, "write", {"path": "a.txt", "content": "moon"}, key="step 1")
    cycle.work(plan.goal_id)
    plan.refresh_from_db()
    assert (plan.state, plan.goal.text) == (
        PlanState.AWAITING_REVIEW,
        "Write moon to the file a.txt",
    )
    assert (caller_of(plan), tool_calls.answer_of(plan.goal)) == (CALLER, None)
    heard: list[int] = []
    signals.goal_ended.connect(lambda goal_id, **_: heard.append(goal_id), weak=False, dispatch_uid="test")
    assert _carried_out(plan, reviewer).succeeded
    signals.goal_ended.disconnect(dispatch_uid="test")
    assert heard == [plan.goal_id]
    read = _propose(owner, "read", {"path": "a.txt"}, workspace=plan.workspace)
    assert _carried_out(read, reviewer).result["content"] == "moon"


def test_a_call_that_fails_is_answered_and_asks_nobody(owner: User, reviewer: User) -> None:
    plan = _propose(owner, "read", {"path": "missing.txt"})
    answer = _carried_out(plan, reviewer)
    assert (answer.state, answer.succeeded) == (GoalState.FAILED, False)
    assert "missing.txt" in answer.reason
    assert not plan.goal.hand_items.exists()


def test_a_rejected_call_is_answered_with_the_reason(owner: User, reviewer: User) -> None:
    plan = _propose(owner, "read", {"path": "a.txt"})
    decisions.reject(plan, by=reviewer, digest=plan.digest, reason="not this file", via="api")
    answer = tool_calls.answer_of(Goal.objects.get(pk=plan.goal_id))
    assert answer == CallAnswer(GoalState.DROPPED, {}, "rejected: not this file")


def test_the_same_key_is_the_same_call(owner: User) -> None:
    first, again = (_propose(owner, "read", {"path": "a.txt"}, key="step-3") for _ in range(2))
    assert (first.pk, Goal.objects.count()) == (again.pk, 1)


@pytest.mark.parametrize(
    ("command", "params"), [("no_such", {}), ("read", {}), ("read", {"path": "../../etc/passwd"}), ("read", {"pth": 1})]
)
def test_a_call_that_cannot_be_made_leaves_no_goal(command: str, params: Mapping[str, Any], owner: User) -> None:
    with pytest.raises(PlanInvalid):
        _propose(owner, command, params)
    assert not Goal.objects.exists()


def test_a_call_is_part_of_a_goal_and_goes_with_it(owner: User, make_goal: Callable[..., Goal]) -> None:
    whole = make_goal(owner)
    plan = tool_calls.propose(ToolCall("simple_coder", "read", {"path": "a.txt"}), Terms(owner), CALLER, parent=whole)
    assert plan.goal.parent_id == whole.pk
