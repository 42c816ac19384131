"""A step that would need another sandbox than the program beside it: a fault of the plan, found while it runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.bdi.plans import validation
from agents.cycle import cycle
from agents.models import Attempt, FailureRecord, Goal, IntentPlan, ToolLimit
from agents.states import GoalState
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)
NOTE = {"tool": "note_taking", "command": "write_note", "params": {"name": "one", "text": "a line"}}
STARTED = {"tool": "simple_coder", "command": "start", "params": {"name": "idle", "command_line": "sleep 60"}}


def test_it_is_a_planning_error_in_the_middle_of_the_plan_and_nothing_after_it_runs(
    approved: Callable[..., IntentPlan], file_of: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validation, "_beside", lambda *_: ())  # as for a plan that was approved before this was asked
    ToolLimit.objects.create(tool="note_taking", processes=9)
    plan = approved([STARTED, write("before.txt"), NOTE, write("after.txt")])
    cycle.work(plan.goal_id)
    kept = FailureRecord.objects.get(goal=plan.goal_id)
    assert (kept.failure_class, kept.stage, kept.position) == ("PLANNING_ERROR", "execution", 3)
    assert "it needs another sandbox than idle, which is running; stop it before this step" in kept.reason
    assert Attempt.objects.filter(intent__intent_plan=plan, intent__position=3).count() == 1, "it cannot end otherwise"
    # Without the step, or with smaller ones: what its class begins with, and a person sees it first.
    assert kept.strategy == "simplified_approach"
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.AWAITING_REVIEW
    assert file_of(plan, "before.txt") == b"x"
    with pytest.raises(KeyError):
        file_of(plan, "after.txt")
