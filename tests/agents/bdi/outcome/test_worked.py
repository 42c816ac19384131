"""What counts as worked and what as failed, of goals and of the plans that were made for them."""

from __future__ import annotations

import pytest

from agents.bdi.outcome.worked import goal_worked, plan_worked


@pytest.mark.parametrize(
    ("state", "outcome", "failed", "worked"),
    [
        ("achieved", "achieved", False, True),
        ("achieved", "not_checked", False, True),
        ("achieved", "nothing_changed", False, False),
        ("achieved", "check_failed", False, False),
        # People were asked, and nothing was done yet.
        ("achieved", "handed_over", False, None),
        # A person left out what had failed, and said so: the goal is achieved by that person's word.
        ("achieved", "not_checked", True, True),
        ("failed", "", False, False),
        # It waits for a person: because a step failed, or for another reason.
        ("manual", "", True, False),
        ("manual", "", False, None),
        # Cancelled: what had failed before stays so.
        ("dropped", "", True, False),
        ("dropped", "", False, None),
        # mindX goes on by itself.
        ("recovering", "", True, None),
        ("pending", "", True, None),
        ("awaiting_review", "", True, None),
    ],
)
def test_a_goal(state: str, outcome: str, failed: bool, worked: bool | None) -> None:
    assert goal_worked(state, outcome, failed=failed) is worked


@pytest.mark.parametrize(
    ("plan", "goal", "outcome", "failed", "asked", "worked"),
    [
        ("complete", "achieved", "achieved", False, False, True),
        ("complete", "achieved", "check_failed", False, False, False),
        ("complete", "achieved", "handed_over", False, False, None),
        # Its sub-goals failed.
        ("complete", "failed", "", False, False, False),
        ("failed", "failed", "", False, False, False),
        # What a person repaired is the person's work, whatever came of it, and also while it waits.
        ("complete", "achieved", "achieved", False, True, False),
        ("executing", "manual", "", True, True, False),
        # Another plan took its place because a step of it had failed, and that one worked.
        ("superseded", "achieved", "achieved", True, False, False),
        ("superseded", "achieved", "achieved", False, False, None),
        ("cancelled", "dropped", "", True, False, False),
        ("cancelled", "dropped", "", False, False, None),
        ("rejected", "dropped", "", False, False, None),
        ("executing", "recovering", "", True, False, None),
    ],
)
def test_a_plan(plan: str, goal: str, outcome: str, failed: bool, asked: bool, worked: bool | None) -> None:
    assert plan_worked(plan, goal, outcome, failed=failed, asked=asked) is worked
