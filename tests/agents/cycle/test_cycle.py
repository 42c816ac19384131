"""The cycle of a goal up to its review: adopted, planned by a rule or left to a person, blocked and unblocked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db.models import F

from agents.cycle import cycle
from agents.goals import goals
from agents.models import Agent, Goal
from agents.planning import planning
from agents.record import draining
from agents.record.errors import GoalRefused
from agents.record.lease import LeaseLost, Turn, claim, claimable
from agents.states import GoalState, PlanState
from people.models import User
from review.deciding import decisions

pytestmark = pytest.mark.django_db(transaction=True)

PROJECT = "Create a Python project named tides"


@pytest.fixture(autouse=True)
def starters(transactional_db: None) -> None:
    """The rules that ship with mindX."""
    call_command("load_starters", verbosity=0)


def _after_work(goal: Goal) -> Goal:
    cycle.work(goal.pk)
    return Goal.objects.get(pk=goal.pk)


def test_a_goal_that_a_rule_knows_awaits_review(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = _after_work(make_goal(owner, PROJECT))
    assert goal.state == GoalState.AWAITING_REVIEW
    plan = goal.intent_plans.get()
    assert plan.plan.evidence["rule"]["name"] == "start a python project"
    assert plan.digest
    assert goal.beliefs.filter(source="perception", retracted_by="").exists()
    assert goal.lease_until is None
    moves = list(goal.transitions.order_by("pk").values_list("old", "new"))
    assert moves == [("pending", "planning"), ("planning", "awaiting_review")]


def test_a_goal_that_no_rule_knows_waits_for_a_person(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = _after_work(make_goal(owner, "Reconcile the ledger"))
    assert (goal.state, goal.reason.partition(":")[0]) == (GoalState.MANUAL, "no_relevant_rule")
    assert goal.plans.get().problems == ["no_relevant_rule"]


def test_a_rule_whose_conditions_do_not_hold_is_not_used(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = _after_work(make_goal(owner, "Remove the folder archive"))
    assert (goal.state, goal.reason) == (GoalState.MANUAL, "no_applicable_rule")


def test_the_same_plan_is_not_shown_twice_after_it_was_sent_back(
    owner: User, reviewer: User, make_goal: Callable[..., Goal]
) -> None:
    goal = _after_work(make_goal(owner, PROJECT))
    plan = goal.intent_plans.get()
    decisions.request_changes(plan, by=reviewer, digest=plan.digest, comment="Name it currents")
    goal = _after_work(goal)
    assert (goal.state, goal.reason) == (GoalState.MANUAL, "same_plan_again")
    plan.refresh_from_db()
    assert plan.state == PlanState.SUPERSEDED
    assert goal.beliefs.filter(source="person", sentence="Name it currents").exists()


def test_a_worker_that_died_while_planning_strands_nothing(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = make_goal(owner, PROJECT)
    dead = claim(goal.pk)
    assert dead is not None
    planning.adopt(dead)
    assert claim(goal.pk) is None
    Goal.objects.filter(pk=goal.pk).update(lease_until="2020-01-01T00:00:00Z")
    assert _after_work(goal).state == GoalState.AWAITING_REVIEW
    with pytest.raises(LeaseLost):
        planning.plan_goal(dead)


def test_a_goal_waits_for_the_goal_it_depends_on_and_starts_by_itself(
    owner: User, reviewer: User, make_goal: Callable[..., Goal]
) -> None:
    first = make_goal(owner, "Write a note named one saying first")
    second = make_goal(owner, "Write a note named two saying second", depends_on=[first])
    assert second.state == GoalState.BLOCKED
    assert second.pk not in claimable(10)
    plan = _after_work(first).intent_plans.get()
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    assert _after_work(first).state == GoalState.ACHIEVED
    assert _after_work(second).state == GoalState.AWAITING_REVIEW


def test_a_goal_fails_and_says_so_when_the_one_it_waits_for_does(owner: User, make_goal: Callable[..., Goal]) -> None:
    first = make_goal(owner, "Reconcile the ledger")
    second = make_goal(owner, "Write a note named two saying second", depends_on=[first])
    goals.cancel(first, by=owner)
    second = _after_work(second)
    assert second.state == GoalState.FAILED
    assert f"goal {first.pk}" in second.reason


def test_nothing_can_wait_for_a_goal_that_has_failed(owner: User, make_goal: Callable[..., Goal]) -> None:
    first = make_goal(owner, "Reconcile the ledger")
    goals.cancel(first, by=owner)
    with pytest.raises(GoalRefused, match="could never start"):
        make_goal(owner, "Write a note named two saying second", depends_on=[Goal.objects.get(pk=first.pk)])


def test_a_paused_agent_does_nothing(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = make_goal(owner, PROJECT)
    Agent.objects.update(paused=True)
    assert _after_work(goal).state == GoalState.PENDING
    Agent.objects.update(paused=False)
    assert _after_work(goal).state == GoalState.AWAITING_REVIEW


def test_the_most_urgent_goal_is_adopted_first(owner: User, make_goal: Callable[..., Goal]) -> None:
    later = make_goal(owner, PROJECT, priority=4)
    sooner = make_goal(owner, PROJECT, priority=1)
    assert claimable(10) == [sooner.pk, later.pk]
    taken = claim()
    assert taken is not None
    assert taken.goal_id == sooner.pk


def test_an_error_inside_a_turn_pauses_the_goal_and_says_so(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = make_goal(owner, PROJECT)

    def broken(*_: object) -> None:
        raise ValueError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(planning, "plan_goal", broken)
        cycle.work(goal.pk)
    assert claim(goal.pk) is None
    assert goal.log_lines.filter(text__contains="failed inside mindX").exists()
    Goal.objects.filter(pk=goal.pk).update(lease_until=None)
    assert _after_work(goal).state == GoalState.AWAITING_REVIEW


def test_a_turn_that_fails_because_another_worker_has_the_goal_says_nothing_about_the_goal(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = make_goal(owner, PROJECT)

    def taken_over(*_: object) -> None:
        Goal.objects.filter(pk=goal.pk).update(lease_fence=F("lease_fence") + 1)
        raise FileNotFoundError("its checkout was removed")

    with monkeypatch.context() as patch:
        patch.setattr(planning, "plan_goal", taken_over)
        lease = claim(goal.pk)
        assert lease is not None
        cycle.turn(lease)
    assert not goal.log_lines.filter(text__contains="failed inside mindX").exists()


@pytest.mark.parametrize("state", [GoalState.EXECUTING, GoalState.RECOVERING])
def test_a_goal_under_way_without_a_plan_is_answered_once_and_a_person_leads_it_out(
    owner: User, make_goal: Callable[..., Goal], state: GoalState, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = make_goal(owner, PROJECT)
    Goal.objects.filter(pk=goal.pk).update(state=state.value)
    # A worker that takes it up for nothing gives up after three turns here, not after its 30 seconds.
    turns: list[int | None] = []
    one = cycle.one

    def counted(goal_id: int | None = None, of: Turn = Turn.ANY) -> int | None:
        turns.append(goal_id)
        return one(goal_id, of)

    monkeypatch.setattr(draining, "is_asked", lambda: len(turns) > 3)
    monkeypatch.setattr(cycle, "one", counted)
    goal = _after_work(goal)
    assert (goal.state, goal.reason, goal.lease_until) == (GoalState.MANUAL, "no_plan_is_open", None)
    # One turn of it, one that finds it in no need of another, one that finds nothing else.
    assert len(turns) == 3
    assert list(goal.transitions.values_list("old", "new")) == [(state.value, "manual")]
    said = goal.log_lines.get(level="error")
    assert said.text == f"the goal was {state}, but none of its plans is approved or runs; a person must say how"
    planning.plan_again(goal, by=owner)
    assert _after_work(goal).state == GoalState.AWAITING_REVIEW
    assert goals.cancel(goal, by=owner).state == GoalState.DROPPED


def test_a_goal_under_way_whose_plan_awaits_review_waits_with_it(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = _after_work(make_goal(owner, PROJECT))
    Goal.objects.filter(pk=goal.pk).update(state=GoalState.RECOVERING.value)
    goal = _after_work(goal)
    assert goal.state == GoalState.AWAITING_REVIEW
    assert goal.intent_plans.get().state == PlanState.AWAITING_REVIEW


def test_a_goal_under_way_whose_plan_only_waits_for_its_turn_is_left_to_it(
    owner: User, reviewer: User, make_goal: Callable[..., Goal]
) -> None:
    goal = _after_work(make_goal(owner, PROJECT))
    plan = goal.intent_plans.get()
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    Goal.objects.filter(pk=goal.pk).update(state=GoalState.EXECUTING.value)
    lease = claim(goal.pk)
    assert lease is not None
    cycle.turn(lease, lambda: None)
    assert Goal.objects.get(pk=goal.pk).state == GoalState.EXECUTING


def test_an_ended_goal_becomes_an_experience_once(owner: User, make_goal: Callable[..., Goal]) -> None:
    from library.models import Experience

    goal = make_goal(owner, "Reconcile the ledger")
    goals.cancel(goal, by=owner)
    _after_work(goal)
    cycle.work(goal.pk)
    experience = Experience.objects.get(goal_ref=str(goal.pk))
    assert (experience.final_outcome, experience.owner) == ("abandoned", owner)
