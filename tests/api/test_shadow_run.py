"""A plan's dry run by the API: its findings and files, for those who may read the plan."""

from __future__ import annotations

from typing import Any

import pytest

from agents.execution import shadow
from agents.models import IntentPlan
from agents.plans import shadowing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def plan(propose_plan: Any, owner: Any) -> IntentPlan:
    """A plan of the owner's that awaits review."""
    return propose_plan(owner)


def test_what_a_plan_did_to_a_copy_can_be_read(api_of: Any, owner: Any, plan: IntentPlan) -> None:
    if shadowing.latest(plan) is None:
        shadowing.ask(plan)
    waiting = api_of(owner).get(f"intent-plans/{plan.pk}/diff").json()
    assert (waiting["state"], waiting["files"], waiting["intents"]) == ("waiting", [], [])
    shadow.one()
    done = api_of(owner).get(f"intent-plans/{plan.pk}/diff").json()
    assert (done["state"], done["stale"], done["next"], done["surprises"]) == ("done", False, None, None)
    assert [finding["proof"] for finding in done["intents"]] == ["done"] * plan.intents.filter(phase="main").count()
    new = [file for file in done["files"] if file["change"] == "new"]
    assert done["counts"] == {"new": len(new)}
    assert any(line["kind"] == "a" for file in new for line in file["lines"])


def test_who_may_not_see_the_plan_learns_nothing(api_of: Any, outsider: Any, reviewer: Any, plan: IntentPlan) -> None:
    shadowing.ask(plan)
    assert api_of(outsider).get(f"intent-plans/{plan.pk}/diff").status_code == 404
    assert api_of(reviewer).get(f"intent-plans/{plan.pk}/diff").status_code == 200
    for start in ("-1", "x", "99999999999999999999"):
        assert api_of(reviewer).get(f"intent-plans/{plan.pk}/diff?start={start}").status_code == 422
