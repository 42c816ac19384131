"""What recovery proposes to do without is not what made the rest safe, and the rest is not the whole goal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.bdi.plans import document as documents
from agents.bdi.recovery.strategies import SIMPLER
from agents.cycle import cycle
from agents.models import Goal, IntentPlan, RecoveryPolicy
from people.models import User
from review.deciding import decisions
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)
FAILS = run("python -c 'raise SystemExit(1)'")
ON = {"tool": "simple_coder", "command": "toggle_autonomous_mode", "params": {"on": True}}


def after_its_failure(approved: Callable[..., IntentPlan], operator: User, *behind: dict[str, Any]) -> IntentPlan:
    """The newest plan of a goal whose first step failed, where operators have it simplified."""
    RecoveryPolicy.objects.create(failure_class="TOOL_EXECUTION_ERROR", number=1, pinned=str(SIMPLER), by=operator)
    plan = approved([FAILS, *behind])
    cycle.work(plan.goal_id)
    return IntentPlan.objects.filter(goal=plan.goal_id).latest("revision")


@pytest.mark.parametrize(
    "behind",
    [
        [write("old.txt"), ON, {"tool": "simple_coder", "command": "rm", "params": {"path": "old.txt"}}],
        [write("a.txt"), {"tool": "simple_coder", "command": "mv", "params": {"path": "a.txt", "to": "b.txt"}}],
    ],
    ids=["deletes", "moves"],
)
def test_a_step_before_one_that_takes_something_away_is_not_done_without(
    behind: list[dict[str, Any]], approved: Callable[..., IntentPlan], operator: User
) -> None:
    plan = after_its_failure(approved, operator, *behind)
    assert plan.revision == 1
    assert "is left out" not in "\n".join(plan.goal.log_lines.values_list("text", flat=True))


def test_the_rest_of_a_plan_is_not_the_whole_goal(
    approved: Callable[..., IntentPlan], operator: User, reviewer: User
) -> None:
    plan = after_its_failure(approved, operator, write("a.txt"))
    assert plan.revision == 2
    checks = documents.read(bytes(plan.document)).checks
    assert [one.kind.value for one in checks] == ["exists", "left_out"]
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).outcome == "not_checked"
