"""A plan whose document a newer mindX wrote and approved, executed by one that does not know its format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.models import Attempt, Goal, IntentPlan
from tests.agents.execution.conftest import write


@pytest.fixture
def from_a_newer_one(approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch) -> IntentPlan:
    """Approved under a valid seal, in format 2."""
    with monkeypatch.context() as newer:
        wrote = documents.write
        newer.setattr(documents, "FORMAT", 2)
        newer.setattr(documents, "write", lambda document: wrote(replace(document, format=2)))
        return approved([write("a"), write("b")], cleanup=[write("c")])


def test_an_unknown_format_stops_that_plan_with_a_reason_and_no_other(
    from_a_newer_one: IntentPlan, approved: Callable[..., IntentPlan]
) -> None:
    other = approved([write("a")])
    cycle.work()
    plan, goal = IntentPlan.objects.get(pk=from_a_newer_one.pk), Goal.objects.get(pk=from_a_newer_one.goal_id)
    assert (plan.state, goal.state) == ("failed", "failed")
    assert "it is written in format 2, and this mindX reads format 1" in goal.reason
    assert not Attempt.objects.filter(intent__intent_plan=plan).exists()
    assert Goal.objects.get(pk=other.goal_id).state == "achieved"
