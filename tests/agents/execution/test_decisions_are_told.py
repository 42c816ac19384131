"""Every decision of the cycle is one sentence in the goal's log, with its data: all of them are really taken here."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from agents.bdi.intentions.cycle import DECISIONS, Decision
from agents.bdi.recovery.strategies import ABORT, AGINT, MANUAL, Way
from agents.cycle import cycle
from agents.execution.watching import Watch
from agents.goals import goals
from agents.models import Goal, Intent, IntentPlan, LogLine, RecoveryPolicy
from agents.planning import planning
from agents.plans import goal_families, reporting
from agents.record.lease import claim
from agents.recovery import told_beliefs
from agents.workspaces import workspaces
from people.models import User
from tests.agents.execution.conftest import run, write
from tests.agents.execution.taking import take_up

D = Decision
FAILS = run("python -c 'raise SystemExit(3)'")
PROJECT = "Create a Python project named tides"


@dataclass
class World:
    """What a scenario needs."""

    owner: User
    reviewer: User
    operator: User
    make_goal: Callable[..., Goal]
    approved: Callable[..., IntentPlan]
    patch: pytest.MonkeyPatch

    def pinned(self, way: Way) -> IntentPlan:
        """A step that fails, and what operators have pinned for it."""
        RecoveryPolicy.objects.create(failure_class="TOOL_EXECUTION_ERROR", number=1, pinned=str(way), by=self.operator)
        plan = self.approved([FAILS])
        cycle.work(plan.goal_id)
        return plan


def understood(world: World) -> None:
    goal = world.make_goal(world.owner, "could you please shwo me the file path/to/README")
    workspaces.put_file(goal.workspace, by=world.owner, path="README.md", source=io.BytesIO(b"# one\n"))
    cycle.work(goal.pk)


def not_understood(world: World) -> None:
    cycle.work(world.make_goal(world.owner, "Reconcile the ledger").pk)


def waits_for_others(world: World) -> None:
    first, second = world.approved([write("one")]), world.make_goal(world.owner, "Reconcile the ledger")
    third = world.make_goal(world.owner, PROJECT, depends_on=[first.goal])
    fourth = world.make_goal(world.owner, PROJECT, depends_on=[second])
    cycle.work(first.goal_id)
    goals.cancel(second, by=world.owner)
    for goal in (third, fourth):
        cycle.work(goal.pk)


def told_meanwhile(world: World) -> None:
    goal = world.make_goal(world.owner, PROJECT)
    real, once = planning._find, [True]

    def interrupted(*rest: Any) -> Any:
        if once:
            once.pop()
            told_beliefs.tell(Goal.objects.get(pk=goal.pk), by=world.owner, sentence="The tide is high.")
        return real(*rest)

    world.patch.setattr(planning, "_find", interrupted)
    cycle.one(goal.pk)


def told_otherwise(world: World) -> None:
    goal = world.make_goal(world.owner, PROJECT)
    cycle.one(goal.pk)
    until = timezone.now() + timedelta(minutes=5)
    told_beliefs.tell(goal, by=world.owner, sentence="There is a folder named tides.", expires_at=until)
    goal.beliefs.filter(source="person").update(expires_at=timezone.now() - timedelta(seconds=1))
    told_beliefs.expire()


def part_of_what_has_ended(world: World) -> None:
    whole = world.make_goal(world.owner, "Reconcile the ledger")
    world.make_goal(world.owner, PROJECT, parent=whole)
    goals.cancel(whole, by=world.owner)
    goal_families.drop_orphans()


def files_changed_after_the_approval(world: World) -> None:
    plan = world.approved([write("one")])
    workspaces.put_file(plan.workspace, by=world.owner, path="one", source=io.BytesIO(b"x"))
    cycle.work(plan.goal_id)


def another_goal_goes_first(world: World) -> None:
    long = world.approved([write("a"), write("b")])
    world.approved([write("d")], priority=1)
    real = Watch.first

    def first(watch: Watch) -> Any:
        for _ in range(4):
            watch.is_cancelled()  # as the companion does once a second
        return real(watch)

    world.patch.setattr(Watch, "first", first)
    cycle.work(long.goal_id)


def interrupted_once(world: World) -> None:
    plan = world.approved([write("sent")])
    Intent.objects.filter(intent_plan=plan).update(effect="once")
    dead = claim(plan.goal_id)
    assert dead is not None
    taken = take_up(dead)
    assert taken is not None
    reporting.begin(taken, dead, 1)
    Goal.objects.filter(pk=plan.goal_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    cycle.work(plan.goal_id)


SCENARIOS: dict[Callable[[World], object], tuple[Decision, ...]] = {
    understood: (D.ADOPT, D.TAKE_IN, D.CORRECT, D.CHOOSE_PLAN),
    not_understood: (D.FIND_NO_PLAN,),
    waits_for_others: (D.BEGIN, D.DO_NOT_ADOPT),
    told_meanwhile: (D.PLAN_LATER,),
    told_otherwise: (D.LET_GO_OF_BELIEF, D.RECONSIDER),
    part_of_what_has_ended: (D.DROP,),
    files_changed_after_the_approval: (D.ASK_AGAIN,),
    another_goal_goes_first: (D.YIELD,),
    interrupted_once: (D.ASK_FOR_OUTCOME,),
    lambda world: world.pinned(AGINT): (D.ESCALATE,),
    lambda world: world.pinned(MANUAL): (D.CLASSIFY, D.CHOOSE_STRATEGY, D.ASK_FOR_HAND),
    lambda world: world.pinned(ABORT): (D.GIVE_UP,),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: "_".join(SCENARIOS[each]))
def test_a_decision_is_one_sentence_in_the_log_with_its_data(
    scenario: Callable[[World], object],
    owner: User,
    reviewer: User,
    operator: User,
    make_goal: Callable[..., Goal],
    approved: Callable[..., IntentPlan],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call_command("load_starters", verbosity=0)
    scenario(World(owner, reviewer, operator, make_goal, approved, monkeypatch))
    lines = list(LogLine.objects.exclude(data__decision=None))
    for decision in SCENARIOS[scenario]:
        said = [line for line in lines if line.data["decision"] == decision.value]
        assert said, f"nothing in the log says: {decision}"
        for line in said:
            assert line.source == ("worker" if decision is D.YIELD else "bdi_agent")
            assert " " in line.text.strip(), line.text
            assert "\n" not in line.text
            assert DECISIONS[decision].data <= set(line.data), f"{decision}: {line.data}"
    # Whatever else was decided on the way is told as fully.
    for line in lines:
        assert DECISIONS[Decision(line.data["decision"])].data <= set(line.data), line.data


def test_every_decision_is_taken_here() -> None:
    assert {decision for each in SCENARIOS.values() for decision in each} == set(Decision)
