"""People change how urgent an open goal is, until when it is wanted, and its place among others; the agent reacts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.cycle import cycle
from agents.goals import goal_terms, goals
from agents.models import Goal
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.record.lease import claim, claimable
from agents.states import GoalState
from people.models import User
from review.models import AuditEntry

pytestmark = pytest.mark.django_db(transaction=True)

MakeGoal = Callable[..., Goal]


def test_a_goal_made_more_urgent_is_claimed_first_and_the_log_says_who_did_it(owner: User, make_goal: MakeGoal) -> None:
    first, second = make_goal(owner), make_goal(owner)
    assert claimable(2) == [first.pk, second.pk]
    goal_terms.change(second, by=owner, priority=1)
    assert claimable(2) == [second.pk, first.pk]
    line = second.log_lines.get(stage="deliberate")
    assert (line.text, line.data["priority"]) == (
        f"{owner.username} changes priority from 3 to 1",
        {"before": 3, "after": 1},
    )
    event = AuditEntry.objects.get(event="goal")
    assert (event.by, event.subject) == (owner, f"goal:{second.pk}")
    assert (event.data["before"], event.data["after"]) == ({"priority": 3}, {"priority": 1})


def test_what_is_so_already_changes_nothing_and_leaves_no_trace(owner: User, make_goal: MakeGoal) -> None:
    until = timezone.now() + timedelta(days=1)
    goal = make_goal(owner, deadline=until)
    goal_terms.change(goal, by=owner, priority=3, deadline=until, parent=None, depends_on=[])
    assert not AuditEntry.objects.filter(event="goal").exists()
    assert not goal.log_lines.filter(stage="deliberate").exists()


def test_only_its_submitter_and_operators_change_it(
    owner: User, reviewer: User, outsider: User, operator: User, make_goal: MakeGoal
) -> None:
    goal = make_goal(owner)
    for who in (reviewer, outsider):
        with pytest.raises(NotYours):
            goal_terms.change(goal, by=who, priority=1)
    goal.refresh_from_db()
    assert goal.priority == 3
    assert goal_terms.change(goal, by=operator, priority=1).priority == 1


def test_a_goal_that_has_ended_keeps_what_it_had(owner: User, make_goal: MakeGoal) -> None:
    goal = goals.cancel(make_goal(owner), by=owner)
    with pytest.raises(NotPossibleNow, match="has ended"):
        goal_terms.change(goal, by=owner, priority=1)


@pytest.mark.parametrize(
    ("field", "wanted"),
    [
        ("priority", {"priority": 0}),
        ("priority", {"priority": 6}),
        ("priority", {"priority": True}),
        ("deadline", {"deadline": timezone.now() - timedelta(seconds=1)}),
    ],
)
def test_what_no_goal_can_have_is_refused_at_its_field(
    field: str, wanted: dict[str, Any], owner: User, make_goal: MakeGoal
) -> None:
    goal = make_goal(owner)
    with pytest.raises(GoalRefused) as refused:
        goal_terms.change(goal, by=owner, **wanted)
    assert refused.value.field == field
    goal.refresh_from_db()
    assert (goal.priority, goal.deadline) == (3, None)


def test_a_goal_whose_deadline_had_passed_is_planned_again_when_it_gets_another(
    owner: User, make_goal: MakeGoal
) -> None:
    goal = make_goal(owner, "Reconcile the ledger")
    Goal.objects.filter(pk=goal.pk).update(deadline="2020-01-01T00:00:00Z")
    cycle.one(goal.pk)
    goal.refresh_from_db()
    assert goal.reason.startswith("deadline_passed")
    later = timezone.now() + timedelta(days=1)
    goal = goal_terms.change(goal, by=owner, deadline=later)
    assert (goal.state, goal.deadline) == (GoalState.PENDING, later)
    cycle.one(goal.pk)
    goal.refresh_from_db()
    assert goal.reason.startswith("no_relevant_rule: "), "it was begun"


def test_a_part_whose_whole_ended_while_it_was_claimed_is_dropped_and_not_begun(
    owner: User, make_goal: MakeGoal
) -> None:
    whole = make_goal(owner)
    part = make_goal(owner, "Reconcile the ledger", parent=whole)
    lease = claim(part.pk)
    assert lease is not None
    Goal.objects.filter(pk=whole.pk).update(state=GoalState.ACHIEVED.value, ended_at=timezone.now())
    cycle.turn(lease)
    part.refresh_from_db()
    assert part.state == GoalState.DROPPED
    assert part.reason == f"superseded: goal {whole.pk}, which it is a part of, is achieved"
    assert part.log_lines.filter(text__startswith="not adopted: goal").exists()


def test_a_goal_that_was_asked_for_by_itself_says_so_when_others_are_more_urgent(
    owner: User, make_goal: MakeGoal
) -> None:
    usual, urgent = make_goal(owner, "Reconcile the ledger"), make_goal(owner, "Reconcile it now", priority=1)
    cycle.one(usual.pk)
    line = usual.log_lines.get(text__startswith="adopted goal")
    assert line.text == f"adopted goal {usual.pk}: priority 3, it was just woken"
    assert line.data["before"] == [urgent.pk]
    cycle.one(urgent.pk)
    line = urgent.log_lines.get(text__startswith="adopted goal")
    assert line.text == f"adopted goal {urgent.pk}: priority 1, and no other goal is waiting"


def test_a_pending_goal_waits_for_another_and_starts_when_nothing_is_left_to_wait_for(
    owner: User, make_goal: MakeGoal
) -> None:
    first, second = make_goal(owner), make_goal(owner)
    second = goal_terms.change(second, by=owner, depends_on=[first])
    assert (second.state, second.reason) == (GoalState.BLOCKED, f"waits for goal {first.pk}")
    assert claimable(5) == [first.pk]
    second = goal_terms.change(second, by=owner, depends_on=[])
    assert (second.state, second.reason) == (GoalState.PENDING, "")
    assert claimable(5) == [first.pk, second.pk]


def test_what_it_waits_for_is_not_changed_under_a_worker_or_once_it_was_begun(owner: User, make_goal: MakeGoal) -> None:
    first, second = make_goal(owner), make_goal(owner, "Reconcile the ledger")
    held = claim(second.pk)
    assert held is not None
    with pytest.raises(NotPossibleNow, match="before it starts"):
        goal_terms.change(second, by=owner, depends_on=[first])
    Goal.objects.filter(pk=second.pk).update(lease_until=None, lease_owner="")
    cycle.one(second.pk)
    second.refresh_from_db()
    assert second.state == GoalState.MANUAL
    with pytest.raises(NotPossibleNow, match="before it starts"):
        goal_terms.change(second, by=owner, depends_on=[first])


def test_a_goal_never_comes_to_wait_for_what_waits_for_it_nor_for_its_whole(owner: User, make_goal: MakeGoal) -> None:
    first = make_goal(owner)
    second = make_goal(owner, depends_on=[first])
    third = make_goal(owner, depends_on=[second])
    with pytest.raises(GoalRefused, match=f"Goal {third.pk} waits for goal {first.pk} already"):
        goal_terms.change(first, by=owner, depends_on=[third])
    part = make_goal(owner, parent=first)
    with pytest.raises(GoalRefused, match="which it is a part of"):
        goal_terms.change(part, by=owner, depends_on=[first])
    with pytest.raises(GoalRefused, match="which it is a part of"):
        make_goal(owner, parent=first, depends_on=[first])
    with pytest.raises(GoalRefused, match="itself a part of"):
        goal_terms.change(first, by=owner, parent=part)
    assert goal_terms.change(first, by=owner, depends_on=[part]).state == GoalState.BLOCKED, "a whole waits for a part"


def test_a_goal_becomes_a_part_only_of_ones_own_that_goes_on(owner: User, outsider: User, make_goal: MakeGoal) -> None:
    goal, foreign, over = make_goal(owner), make_goal(outsider), goals.cancel(make_goal(owner), by=owner)
    for whole in (foreign, over):
        with pytest.raises(GoalRefused) as refused:
            goal_terms.change(goal, by=owner, parent=whole)
        assert refused.value.field == "parent"
    for other in (foreign, over):
        with pytest.raises(GoalRefused) as refused:
            goal_terms.change(goal, by=owner, depends_on=[other])
        assert refused.value.field == "depends_on"
    whole = make_goal(owner)
    assert goal_terms.change(goal, by=owner, parent=whole).parent_id == whole.pk
    assert goal_terms.change(goal, by=owner, parent=None).parent_id is None
