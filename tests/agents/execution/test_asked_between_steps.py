"""Before every step the executor asks the gate: what was changed on the way stops the rest. In a real jail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from agents.cycle import cycle
from agents.models import Attempt, Goal, IntentPlan, Workspace
from agents.plans import reporting
from agents.states import GoalState
from agents.workspaces import base_files
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("agents_intentplan", "document", b"{}"),
        ("review_approval", "mac", "0" * 64),
        ("review_approval", "envelope", '{"tries": 5}'),
        ("review_decision", "comment", "something else"),
    ],
)
def test_what_is_changed_while_a_step_runs_stops_the_next_one(
    approved: Callable[..., IntentPlan],
    monkeypatch: pytest.MonkeyPatch,
    table: str,
    column: str,
    value: str | bytes,
) -> None:
    plan = approved([write("a.txt"), write("b.txt")], [write("undone.txt")])
    advance = reporting.advance

    def change_first(*args: Any, **also: Any) -> Any:
        key = "id" if table == "agents_intentplan" else "intent_plan_id"
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            cursor.execute(f"UPDATE {table} SET {column} = %s WHERE {key} = %s", [value, plan.pk])
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
        return advance(*args, **also)

    monkeypatch.setattr(reporting, "advance", change_first)
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert (goal.state, goal.reason.split(":")[0]) == (GoalState.FAILED, "refused_by_gate")
    states = list(plan.intents.order_by("position").values_list("state", flat=True))
    assert states == ["succeeded", "failed", "skipped"], "the next step, and what was to clean up, never ran"
    assert Attempt.objects.get(intent__position=2).outcome == "refused"
    names = [entry.path for entry in base_files.entries_of(Workspace.objects.get(pk=plan.workspace_id).head)]
    assert names == ["a.txt"]
