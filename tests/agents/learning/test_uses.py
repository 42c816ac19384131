"""A goal that failed counts as failed wherever anything is counted, also while it waits and after it was cancelled."""

from __future__ import annotations

import io

import pytest
from django.utils import timezone

from agents import upkeep
from agents.cycle import cycle
from agents.evolution.auditing import reading
from agents.evolution.replays import cases
from agents.goals import goals
from agents.hands import hand_items
from agents.models import CountedUse, FailureRecord, Goal, HandItem
from agents.record import worked
from agents.recovery import recovery_learning
from agents.states import GoalState
from agents.workspaces import workspaces
from library.models import ComponentVersion, Experience
from mindx_web.insights import overview
from people.models import User
from review.deciding import decisions
from tests.agents.evolution.conftest import Totalled
from tests.agents.evolution.conftest import strict as strict
from tests.agents.evolution.conftest import totalled as totalled
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)
BLANK = "1\n\n2\n"


def record_of(version: ComponentVersion) -> tuple[int, int, int]:
    """Uses, successes and failures."""
    version.refresh_from_db()
    return version.uses, version.successes, version.failures


@pytest.fixture
def waits(totalled: Totalled, strict: ComponentVersion) -> Goal:
    """A goal whose only step failed, and that waits for a person."""
    goal: Goal = totalled(BLANK, give_it_up=False)
    assert (goal.state, record_of(strict)) == (GoalState.MANUAL, (0, 0, 0))
    return goal


def test_one_that_waits_for_a_person_counts_in_the_record_of_its_rule_once(
    waits: Goal, totalled: Totalled, strict: ComponentVersion, owner: User
) -> None:
    totalled("1\n2\n")
    cycle.work(Goal.objects.latest("pk").pk)
    assert record_of(strict) == (1, 1, 0)
    upkeep.sweep()
    upkeep.sweep()
    assert record_of(strict) == (2, 1, 1)
    # Its end is no second use, however well the person did it.
    hand_items.done(HandItem.objects.get(), by=owner)
    cycle.work(waits.pk)
    waits.refresh_from_db()
    assert (waits.state, waits.learned_at is None) == (GoalState.ACHIEVED, False)
    assert record_of(strict) == (2, 1, 1)


def test_what_works_after_a_person_repaired_it_is_a_failure_of_the_rule_too(
    waits: Goal, strict: ComponentVersion, owner: User, reviewer: User
) -> None:
    workspaces.put_file(waits.workspace, by=owner, path="numbers.txt", source=io.BytesIO(b"1"))
    # The files are others than those that were approved.
    revision = hand_items.again(HandItem.objects.get(), by=owner)
    assert revision is not None
    decisions.approve(revision, by=reviewer, digest=revision.digest)
    cycle.work(waits.pk)
    waits.refresh_from_db()
    assert (waits.shown_state, CountedUse.objects.exists()) == ("achieved", False)
    assert record_of(strict) == (1, 0, 1)


def test_a_rule_whose_plan_was_replaced_after_a_failure_has_failed(
    waits: Goal, strict: ComponentVersion, owner: User, reviewer: User
) -> None:
    plan = goals.supply_plan(waits, by=owner, steps=[write("total.txt")])
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    cycle.work(waits.pk)
    waits.refresh_from_db()
    assert waits.state == GoalState.ACHIEVED
    assert record_of(strict) == (1, 0, 1)


def test_the_gate_the_audit_the_insights_and_the_backlog_see_the_same_failure(
    waits: Goal, strict: ComponentVersion, owner: User
) -> None:
    (found,) = cases.of(strict.component)
    assert (found.goal, found.succeeded) == (waits, False)
    (past,) = reading.facts().pasts
    assert (past.goal, past.worked) == (waits.pk, False)
    (today,) = [day for day in overview.how_it_went(owner).days if day.total]
    assert (today.day, today.failed) == (timezone.localdate(), 1)
    assert list(worked.failed_goals(Goal.objects.all())) == [waits]


def test_what_was_tried_before_a_person_was_asked_did_not_help(waits: Goal) -> None:
    last = FailureRecord.objects.latest("pk")
    tried = last.attempt
    assert tried is not None
    tried.pk, tried.number = None, 2
    tried.save()
    earlier = FailureRecord.objects.get(pk=last.pk)
    earlier.pk, earlier.attempt = None, tried
    earlier.strategy, earlier.overtaken_by = "retry_with_delay", last.cell_strategy
    earlier.save()
    recovery_learning.settle()
    earlier.refresh_from_db()
    last.refresh_from_db()
    assert (earlier.succeeded, last.succeeded) == (False, None), "only what the person does is open"


def test_a_cancel_keeps_the_error_that_came_before_it(waits: Goal, strict: ComponentVersion, owner: User) -> None:
    goals.cancel(waits, by=owner)
    cycle.work(waits.pk)
    waits.refresh_from_db()
    assert waits.state == GoalState.DROPPED
    assert waits.reason.startswith("cancelled_by_person: step 1 had failed: exit code 1")
    kept = Experience.objects.get(kind="goal")
    assert (kept.final_outcome, "step 1 had failed" in kept.output_summary) == ("failure", True)
    assert record_of(strict) == (1, 0, 1)
    (found,) = cases.of(strict.component)
    (past,) = reading.facts().pasts
    assert (found.succeeded, past.worked) == (False, False)


def test_a_cancel_before_anything_failed_says_nothing(owner: User, make_goal: object, strict: ComponentVersion) -> None:
    goal = goals.submit(by=owner, text="total the list numbers.txt")
    cycle.work(goal.pk)
    goals.cancel(goal, by=owner)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert (goal.state, goal.reason) == (GoalState.DROPPED, "cancelled_by_person")
    assert Experience.objects.get().final_outcome == "abandoned"
    assert record_of(strict) == (0, 0, 0)
    assert not list(worked.failed_goals(Goal.objects.all()))
