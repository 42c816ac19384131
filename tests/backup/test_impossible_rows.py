"""A restore mends or reports rows that no move of mindX leaves together, each with a line, and goes on."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from itertools import product
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db.models.functions import Now
from django.utils import timezone

from agents.cycle import cycle
from agents.models import Attempt, Goal, HandCommand, IntentPlan
from agents.plans import renewals
from agents.states import GOAL_ENDED, PLAN_ENDED, GoalState, HandState, IntentState, PlanState
from mindx_web.backup import settling
from mindx_web.backup.settled import Settled
from mindx_web.backup.settling import settle
from people.models import User
from review.deciding import decisions
from review.models import HeldDecision

AS_OF = "2026-01-31T12:00:00+00:00"
OPEN = sorted(set(PlanState) - PLAN_ENDED)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]

Propose = Callable[..., IntentPlan]


def found() -> tuple[dict[str, Settled], str]:
    """What was done, by its words, and every sentence about a row."""
    done = {one.words: one for one in settle(AS_OF)}
    return done, "\n".join(row for one in done.values() for row in (*one.rows, *one.unsettled))


def force(plan: IntentPlan, goal: GoalState, state: PlanState, attempt: str = "") -> None:
    """Rows as no move leaves them; `attempt` is the outcome of the first step's try, "open" for one without an end."""
    Goal.objects.filter(pk=plan.goal_id).update(
        state=goal.value,
        ended_at=timezone.now() if goal in GOAL_ENDED else None,
        lease_owner="gone",
        lease_until=timezone.now(),
        learned_at=timezone.now(),
    )
    runs = state in (PlanState.APPROVED, PlanState.EXECUTING, PlanState.COMPLETE)
    IntentPlan.objects.filter(pk=plan.pk).update(state=state.value, approved_digest=plan.digest if runs else "")
    if attempt:
        plan.intents.filter(position=1).update(state=IntentState.RUNNING.value)
        is_open = attempt == "open"
        Attempt.objects.create(
            intent=plan.intents.get(position=1),
            number=1,
            fence=1,
            worker="gone",
            started=timezone.now(),
            finished=None if is_open else timezone.now(),
            outcome="" if is_open else attempt,
        )


@pytest.mark.parametrize("attempt", ["", "open", "failed"])
def test_every_pair_of_goal_and_open_plan_is_settled(
    attempt: str, propose_plan: Propose, owner: User, reviewer: User, make_goal: Callable[..., Goal]
) -> None:
    pairs = list(product(GoalState, OPEN))
    plans = {pair: propose_plan(owner) for pair in pairs}
    for (goal, state), plan in plans.items():
        force(plan, goal, state, attempt if state == PlanState.EXECUTING else "")
    done, said = found()
    assert not any(one.unsettled for one in done.values()), said
    for (goal, state), plan in plans.items():
        plan.refresh_from_db()
        now = Goal.objects.get(pk=plan.goal_id)
        at = f"a plan that was {state} under a goal that was {goal}"
        assert plan.state not in (PlanState.APPROVED, PlanState.EXECUTING), at
        open_ones = now.intent_plans.exclude(state__in=sorted(PLAN_ENDED))
        if goal in GOAL_ENDED | {GoalState.PENDING, GoalState.BLOCKED}:
            assert (now.state, open_ones.count()) == (goal, 0), at
            assert f"goal {now.pk}: " in said, at
        else:
            assert (now.state, open_ones.get().state) == (GoalState.AWAITING_REVIEW, PlanState.AWAITING_REVIEW), at
        assert not Attempt.objects.filter(intent__intent_plan=plan, finished=None).exists(), at
        assert not plan.intents.filter(state=IntentState.RUNNING.value).exists(), at
    # And the system is of use: in every one of these workspaces the next plan runs.
    for plan in list(plans.values())[:: len(OPEN)]:
        again = propose_plan(make_goal(owner, workspace=plan.workspace))
        decisions.approve(again, by=reviewer, digest=again.digest, via="api")
        cycle.work(again.goal_id)
        assert Goal.objects.get(pk=again.goal_id).state == GoalState.ACHIEVED
    assert found()[1] == "", "there is nothing left to mend"


@pytest.mark.parametrize("state", sorted(PLAN_ENDED))
def test_a_try_without_an_end_under_an_ended_plan_is_closed(
    state: PlanState, propose_plan: Propose, owner: User
) -> None:
    plan = propose_plan(owner)
    force(plan, GoalState.FAILED, state, "open")
    _, said = found()
    attempt = Attempt.objects.get()
    assert (attempt.outcome, attempt.intent.state) == ("lost", IntentState.FAILED)
    assert f"goal {plan.goal_id}: " in said


@pytest.mark.parametrize("goal", [GoalState.AWAITING_REVIEW, GoalState.EXECUTING, GoalState.RECOVERING])
def test_a_goal_under_way_without_a_plan_asks_a_person(goal: GoalState, propose_plan: Propose, owner: User) -> None:
    plan = propose_plan(owner)
    force(plan, goal, PlanState.SUPERSEDED)
    _, said = found()
    now = Goal.objects.get(pk=plan.goal_id)
    assert (now.state, now.reason) == (GoalState.MANUAL, "no_plan_is_open")
    assert f"goal {plan.goal_id}: " in said


@pytest.mark.parametrize("state", sorted(PlanState))
def test_a_held_decision_is_dropped_whatever_became_of_its_plan(
    state: PlanState, propose_plan: Propose, owner: User, reviewer: User
) -> None:
    plan = propose_plan(owner)
    HeldDecision.objects.create(
        intent_plan=plan, by=reviewer, digest=plan.digest, verdict="approve", ruling={}, due_at=Now()
    )
    force(plan, GoalState.DROPPED, state)
    done, _ = found()
    assert done["decisions that had not taken effect yet were dropped"].count == 1
    assert not HeldDecision.objects.filter(dropped="").exists()


@pytest.mark.parametrize("goal", sorted(GoalState))
def test_a_typed_command_without_its_worker_is_lost(goal: GoalState, propose_plan: Propose, owner: User) -> None:
    plan = propose_plan(owner)
    command = HandCommand.objects.create(
        goal=plan.goal,
        workspace=plan.workspace,
        by=owner,
        text="ls",
        params={},
        limits={},
        session_before={},
        state=HandState.RUNNING.value,
        lease_owner="gone",
        lease_until=timezone.now(),
        started_at=timezone.now(),
    )
    force(plan, goal, PlanState.CANCELLED)
    done, _ = found()
    assert done["typed commands were ended"].count == 1
    command.refresh_from_db()
    assert command.state == HandState.LOST


@pytest.mark.parametrize("goal", sorted(set(GoalState) - GOAL_ENDED))
@pytest.mark.parametrize("state", [PlanState.APPROVED, PlanState.EXECUTING])
def test_a_plan_that_cannot_be_read_ends_whatever_its_goal_is(
    goal: GoalState, state: PlanState, propose_plan: Propose, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = propose_plan(owner)
    force(plan, goal, state, "open")

    def unreadable(data: bytes) -> Any:
        raise ValueError("no document")

    monkeypatch.setattr("mindx_web.backup.settling.documents.read", unreadable)
    done, said = found()
    assert not any(one.unsettled for one in done.values()), said
    plan.refresh_from_db()
    assert plan.state in PLAN_ENDED


def test_a_plan_that_cannot_be_asked_about_again_is_ended_and_the_next_ones_are_settled(
    propose_plan: Propose, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, whole = propose_plan(owner), propose_plan(owner)
    for plan in (broken, whole):
        force(plan, GoalState.EXECUTING, PlanState.EXECUTING)
    really = renewals.ask_again

    def fails(goal: Goal, plan: IntentPlan, *args: Any, **also: Any) -> Any:
        if plan.pk == broken.pk:
            raise TypeError("evidence is no mapping")
        return really(goal, plan, *args, **also)

    monkeypatch.setattr(renewals, "ask_again", fails)
    done, said = found()
    assert not any(one.unsettled for one in done.values())
    assert f"goal {broken.goal_id}: " in said
    assert "evidence is no mapping" in said
    now = Goal.objects.get(pk=broken.goal_id)
    assert (now.state, now.reason) == (GoalState.MANUAL, "no_plan_is_open")
    assert Goal.objects.get(pk=whole.goal_id).state == GoalState.AWAITING_REVIEW


def test_what_cannot_be_settled_at_all_is_said_at_the_end_and_all_else_is_done(
    propose_plan: Propose, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = propose_plan(owner)
    force(plan, GoalState.EXECUTING, PlanState.EXECUTING)

    def fails(*args: Any, **also: Any) -> Any:
        raise RuntimeError("the row cannot be written")

    monkeypatch.setattr(settling, "move_plan", fails)
    monkeypatch.setattr(renewals, "ask_again", fails)
    out = StringIO()
    with pytest.raises(CommandError, match="1 row could not be settled"):
        call_command("settle_restored", "--as-of", AS_OF, stdout=out)
    assert f"goal {plan.goal_id}: " in out.getvalue()
    assert "sessions were ended" in out.getvalue()
