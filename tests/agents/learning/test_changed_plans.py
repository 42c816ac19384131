"""A plan that followed memory and was changed by a person: what it had followed says so from then on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from agents.cycle import cycle
from agents.models import Goal, IntentPlan, Plan
from agents.plans import proposals
from agents.record.moves import move_goal
from agents.states import GoalState
from library.memory import services
from library.models import Experience, ExperienceCorrection
from people.models import User
from review.deciding import decisions
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)
WISH = "What Kolmi sends goes into the folder new"


def remember(owner: User, ref: str, steps: str) -> Experience:
    return services.record(
        owner=owner,
        goal_ref=ref,
        primary_goal_description=f"store the figures of {ref}",
        sub_task_description=steps,
        final_outcome="success",
        timestamp=timezone.now(),
        initiating_agent_id="mindx",
    )


def proposed(goal: Goal, path: str, known: list[Any]) -> IntentPlan:
    """A plan as a model makes one that was told of these experiences."""
    draft, problems = proposals.draft_by_hand(goal, [write(path, "7")], (), by=goal.submitted_by)
    assert problems == []
    with transaction.atomic():
        locked = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
        if locked.state != GoalState.PLANNING:
            move_goal(locked, GoalState.PLANNING, by="a test")
        plan = proposals.propose(locked, draft, by=goal.submitted_by)
    taken = [{"kind": "experience", "id": str(one.pk), "tokens": 9, "why": "near"} for one in known]
    Plan.objects.filter(pk=plan.plan_id).update(evidence={"model": {"memory": {"taken": taken}}})
    return plan


@pytest.fixture
def goal(owner: User, make_goal: Callable[..., Goal]) -> Goal:
    return make_goal(owner, text="Store the figures of Kolmi for week 7")


def ended(goal: Goal, known: list[Experience], reviewer: User, *, last: str = "new/week7.txt") -> Experience:
    """The first plan is sent back, the second one approved, run and remembered."""
    first = proposed(goal, "old/week7.txt", known)
    decisions.request_changes(first, by=reviewer, digest=first.digest, comment=WISH, via="api")
    second = proposed(goal, last, known)
    decisions.approve(second, by=reviewer, digest=second.digest, via="api")
    cycle.work(goal.pk)
    return Experience.objects.get(goal_ref=str(goal.pk), part="")


def test_what_a_changed_plan_had_followed_is_marked(goal: Goal, owner: User, reviewer: User, client: Client) -> None:
    old, new = remember(owner, "Kolmi", "Write old/week3.txt."), remember(owner, "Barten", "Write new/week3.txt.")
    untold = remember(owner, "Roshi", "Write old/week4.txt.")
    done = ended(goal, [old, new], reviewer)
    (mark,) = ExperienceCorrection.objects.all()
    assert (mark.experience, mark.by, mark.said) == (old, done, f"changes requested: {WISH}")
    client.force_login(owner)
    page = client.get(f"/memory/{old.pk}/").content.decode()
    assert "People changed plans that had followed it" in page
    assert WISH in page
    for other in (new, untold, done):
        assert "People changed plans" not in client.get(f"/memory/{other.pk}/").content.decode()


def test_a_plan_that_did_not_work_teaches_nothing(goal: Goal, owner: User, reviewer: User) -> None:
    old = remember(owner, "Kolmi", "Write old/week3.txt.")
    first = proposed(goal, "old/week7.txt", [old])
    decisions.request_changes(first, by=reviewer, digest=first.digest, comment=WISH, via="api")
    second = proposed(goal, "new/week7.txt", [old])
    decisions.reject(second, by=reviewer, digest=second.digest, reason="no more", via="api")
    cycle.work(goal.pk)
    assert not ExperienceCorrection.objects.exists()


def test_what_was_forgotten_meanwhile_is_not_marked(goal: Goal, owner: User, reviewer: User) -> None:
    old = remember(owner, "Kolmi", "Write old/week3.txt.")
    ghost = Experience(pk=old.pk)
    services.forget(old, owner)
    ended(goal, [ghost], reviewer)
    assert not ExperienceCorrection.objects.exists()
