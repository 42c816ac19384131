"""What may be planned of a goal of which a part has no plan, with the rules that ship."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.bdi.recovery.simpler_goal import SIMPLIFIED
from agents.cycle import cycle
from agents.models import Goal
from people.models import User
from review.deciding import decisions

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    "text",
    [
        "first back up old, then delete old",
        "wait 10 minutes, then delete old",
        "if the tests pass, then delete old",
        "verify the backup, then delete old",
        "send old to Bob, then delete old",
        "delete old, then restore it",
        "verify the backup, then move draft.txt to old",
        "verify the backup, then overwrite draft.txt with “x”",
        "verify the backup, then run python draft.txt",
    ],
)
def test_nothing_is_taken_changed_or_run_without_the_part_that_guards_it(ask: Callable[[str], Goal], text: str) -> None:
    goal = ask(text)
    assert [plan.plan.steps for plan in goal.intent_plans.all()] == []


def test_what_takes_something_is_left_out_too_and_a_part_is_not_the_whole(
    ask: Callable[[str], Goal], reviewer: User
) -> None:
    goal = ask("Reconcile the ledger. Create the folder spring. Delete old.")
    plan = goal.intent_plans.get()
    left_out = ["“Reconcile the ledger”", "“Delete old”"]
    assert plan.plan.evidence[SIMPLIFIED]["left_out"] == left_out
    assert [step["command"] for step in plan.plan.steps] == ["mkdir"]
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert (goal.state, goal.outcome) == ("achieved", "not_checked")
