"""Each failure class × each strategy, really run: real tools in the real jail fail by what is wrong around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents.bdi.recovery.failures import FailureClass
from agents.bdi.recovery.strategies import (
    ABORT,
    AGINT,
    ALTERNATIVE,
    COOLED,
    MANUAL,
    REEXTRACTED,
    RETRY,
    SIMPLER,
    Way,
)
from agents.cycle import cycle
from agents.hands import hand_items
from agents.models import (
    Attempt,
    FailureRecord,
    Goal,
    HandItem,
    IntentPlan,
    RecoveryStatistic,
    Workspace,
)
from agents.recovery import recovery_learning
from agents.states import GoalState, PlanState
from agents.workspaces import base_files
from people.models import User
from review.deciding import decisions
from tests.agents.execution.conftest import run, write
from tests.agents.execution.recovery import test_planning_failures
from tests.agents.execution.recovery.worlds import FURTHER, WORLDS, World
from tests.agents.toolkit.answering import answering, status
from tests.deep import DEEP

pytestmark = pytest.mark.django_db(transaction=True)
DELAY_S, COOL_S = 60.0, 120.0


@dataclass(frozen=True)
class Ended:
    """What really was done, where the goal stood then, where it stood in the end, and what the recovery counts as."""

    way: Way
    waits: GoalState
    ended: GoalState
    succeeded: bool


# AGInt is asked first: it looks at how the tool did lately. Cooling is last: others would wait with it.
EXPECTED = {
    AGINT: Ended(AGINT, GoalState.RECOVERING, GoalState.ACHIEVED, succeeded=True),
    RETRY: Ended(RETRY, GoalState.RECOVERING, GoalState.ACHIEVED, succeeded=True),
    ALTERNATIVE: Ended(ALTERNATIVE, GoalState.AWAITING_REVIEW, GoalState.ACHIEVED, succeeded=True),
    SIMPLER: Ended(SIMPLER, GoalState.AWAITING_REVIEW, GoalState.ACHIEVED, succeeded=True),
    REEXTRACTED: Ended(REEXTRACTED, GoalState.AWAITING_REVIEW, GoalState.ACHIEVED, succeeded=True),
    MANUAL: Ended(MANUAL, GoalState.MANUAL, GoalState.ACHIEVED, succeeded=True),
    ABORT: Ended(ABORT, GoalState.FAILED, GoalState.FAILED, succeeded=False),
    COOLED: Ended(COOLED, GoalState.RECOVERING, GoalState.ACHIEVED, succeeded=True),
}
# Where another try comes to the same end, and no model can plan, AGInt finds nothing to do: the class's next way.
INSTEAD: Mapping[tuple[FailureClass, Way], Ended] = {
    (FailureClass.INVALID_PARAMETERS, AGINT): EXPECTED[SIMPLER],
    (FailureClass.PERMISSION_ERROR, AGINT): EXPECTED[MANUAL],
}


@pytest.fixture(autouse=True)
def _usual(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long waits, which the tests end; and nothing is chosen by what was learned."""
    values = {"retry_delay_seconds": DELAY_S, "cool_down_seconds": COOL_S, "usual_order_up_to": 1000.0}
    for name, value in values.items():
        monkeypatch.setitem(recovery_learning._USUAL, name, value)


@pytest.fixture
def cell(
    approved: Callable[..., IntentPlan], owner: User, operator: User, reviewer: User, make_workspace: Any
) -> Callable[[World, Way], Ended]:
    """`cell(world, way)`: the strategy is pinned, a plan fails in that world, which is healed then; how it ended."""

    def made(world: World, way: Way) -> Ended:
        world.fail()
        recovery_learning.save_policy(world.failure_class, world.tool, pinned=str(way), banned=[], by=operator)
        declared = {"alternatives": [write("instead.txt")]} if way == ALTERNATIVE else {}
        steps = [write("before.txt"), *world.before, {**world.step, **declared}, write("after.txt")]
        position = len(steps) - 1
        workspace = make_workspace(owner)
        if world.quota_bytes:
            Workspace.objects.filter(pk=workspace.pk).update(quota_bytes=world.quota_bytes)
            workspace.refresh_from_db()
        plan = approved(steps, [write("cleaned.txt")], text=world.text, workspace=workspace)
        began = timezone.now()
        cycle.work(plan.goal_id)
        (kept,) = FailureRecord.objects.filter(goal=plan.goal_id)
        _check_facts(world, kept, position)
        waits = GoalState(_goal(plan).state)
        if waits is not GoalState.FAILED:
            assert kept.succeeded is None
            recovery_learning.settle()
            assert not _counted(kept), "it counts when the step has ended, not when it was set up"
        world.heal()
        match waits:
            case GoalState.RECOVERING:
                wake_at = _goal(plan).wake_at
                assert wake_at is not None
                least_s = max(COOL_S if way == COOLED else DELAY_S, world.least_wait_s)
                assert least_s <= (wake_at - began).total_seconds() <= least_s * 1.25 + 60
                assert (kept.cools_until is not None) is (way == COOLED)
                Goal.objects.filter(pk=plan.goal_id).update(wake_at=None)
            case GoalState.AWAITING_REVIEW:
                _approve_the_delta(plan, position, reviewer)
            case GoalState.MANUAL:
                assert hand_items.again(HandItem.objects.get(goal=plan.goal_id), by=reviewer) is None
        cycle.work(plan.goal_id)
        recovery_learning.settle()
        kept.refresh_from_db()
        assert kept.settled_at is not None
        assert _counted(kept) == ("1" if kept.succeeded else "0")
        done = Ended(_way(kept), waits, GoalState(_goal(plan).state), bool(kept.succeeded))
        _check_files(plan, done)
        _check_said(plan, kept, way)
        return done

    return made


def _goal(plan: IntentPlan) -> Goal:
    return Goal.objects.get(pk=plan.goal_id)


def _way(kept: FailureRecord) -> Way:
    return next(way for way in EXPECTED if str(way) == kept.cell_strategy)


def _counted(kept: FailureRecord) -> str:
    """How the failure counts in the statistics of its class, tool and strategy; "" when it does not."""
    cell = {"failure_class": kept.failure_class, "tool": kept.tool, "strategy": kept.cell_strategy}
    row = RecoveryStatistic.objects.filter(**cell).first()
    return dict(zip(row.ids, row.recent, strict=True)).get(kept.pk, "") if row is not None else ""


def _check_facts(world: World, kept: FailureRecord, position: int) -> None:
    assert kept.failure_class == world.failure_class, kept.reason
    assert {name: kept.facts.get(name) for name in world.facts} == world.facts
    assert world.reason in kept.reason
    assert (kept.stage, kept.tool, kept.position) == ("execution", world.tool, position)


def _approve_the_delta(plan: IntentPlan, position: int, reviewer: User) -> None:
    """What changes an approved step is a revision that is reviewed; nothing of it has run."""
    plan.refresh_from_db()
    assert plan.state == PlanState.SUPERSEDED
    tries = Attempt.objects.filter(intent__intent_plan__goal=plan.goal_id).count()
    cycle.work(plan.goal_id)
    assert Attempt.objects.filter(intent__intent_plan__goal=plan.goal_id).count() == tries == position
    revision = IntentPlan.objects.get(goal=plan.goal_id, state=PlanState.AWAITING_REVIEW)
    delta = revision.plan.evidence["delta"]
    assert (delta["kind"], delta["position"]) == ("recovery", position)
    decisions.approve(revision, by=reviewer, digest=revision.digest)


def _check_files(plan: IntentPlan, done: Ended) -> None:
    paths = {entry.path for entry in base_files.entries_of(Workspace.objects.get(pk=plan.workspace_id).head)}
    assert "before.txt" in paths
    assert ("after.txt" in paths) is (done.ended is GoalState.ACHIEVED)
    assert ("cleaned.txt" in paths) is (done.ended is GoalState.FAILED)
    assert ("instead.txt" in paths) is (done.way == ALTERNATIVE)


def _check_said(plan: IntentPlan, kept: FailureRecord, pinned: Way) -> None:
    """What was not open says why, in the log and with the failure."""
    said = "\n".join(plan.goal.log_lines.values_list("text", flat=True))
    assert f"failure class {kept.failure_class}: " in said
    assert f"recovery: {_way(kept).words}, " in said
    if _way(kept) != pinned:
        assert "AGInt found nothing to do; " in kept.why
        assert kept.weighed["agint"]["decision"] == "nothing"


def _ways(number: int) -> list[Way]:
    """AGInt, which ends otherwise in some classes, and in the usual run every second of the others, in turn."""
    others = [way for way in EXPECTED if way != AGINT]
    return [AGINT, *(others if DEEP else others[number % 2 :: 2])]


@pytest.mark.parametrize("failure_class", WORLDS)
def test_each_strategy_ends_as_the_policy_says(
    failure_class: FailureClass, cell: Callable[[World, Way], Ended]
) -> None:
    ways = _ways(list(WORLDS).index(failure_class))
    with WORLDS[failure_class]() as world:
        ended = {way: cell(world, way) for way in ways}
    assert ended == {way: INSTEAD.get((failure_class, way), EXPECTED[way]) for way in ways}


@pytest.mark.parametrize("fault", FURTHER)
def test_what_the_sandbox_itself_stands_against_ends_as_the_policy_of_its_class_says(
    fault: str, cell: Callable[[World, Way], Ended]
) -> None:
    ways = _ways(list(FURTHER).index(fault))
    with FURTHER[fault]() as world:
        ended = {way: cell(world, way) for way in ways}
    assert ended == {way: INSTEAD.get((world.failure_class, way), EXPECTED[way]) for way in ways}


def test_the_table_of_the_documentation_is_what_is_run() -> None:
    lines = (Path(__file__).parents[4] / "docs" / "recovery.md").read_text().splitlines()
    order = [RETRY, COOLED, ALTERNATIVE, SIMPLER, REEXTRACTED, AGINT, MANUAL, ABORT]
    told = {}
    for line in lines:
        cells = [cell.strip().rstrip(" ¹²³") for cell in line.strip("|").split("|")]
        if len(cells) == len(order) + 1 and cells[0] in set(FailureClass):
            told[cells[0]] = dict(zip(order, cells[1:], strict=True))
    said = {"recovering": "again", "pending": "again", "awaiting_review": "asks", "manual": "hand", "failed": "ends"}
    ran = {
        name.value: {way: said[INSTEAD.get((name, way), one).waits] for way, one in EXPECTED.items()} for name in WORLDS
    }
    ran |= {
        name.value: {way: said[one.waits] for way, one in test_planning_failures.expected(name).items()}
        for name in test_planning_failures.TEXTS
    }
    assert told == ran


@pytest.mark.parametrize("pinned", [RETRY, COOLED, ALTERNATIVE, SIMPLER, REEXTRACTED, AGINT])
def test_a_step_that_must_run_once_is_never_repeated_whatever_is_pinned(
    approved: Callable[..., IntentPlan], operator: User, pinned: Way
) -> None:
    with answering() as server:
        server.answers["/once"] = status("503 Service Unavailable", b"no")
        recovery_learning.save_policy(
            FailureClass.NETWORK_ERROR, "http_request", pinned=str(pinned), banned=[], by=operator
        )
        step = {"tool": "http_request", "command": "post", "params": {"url": f"{server.address}/once", "content": "x"}}
        plan = approved([step, write("after.txt")], text=f"post x to {server.address}/other")
        cycle.work(plan.goal_id)
        assert len(server.requests) == 1
    (kept,) = FailureRecord.objects.filter(goal=plan.goal_id)
    assert (kept.failure_class, kept.cell_strategy) == ("NETWORK_ERROR", str(ABORT))
    assert f"{pinned.words} is pinned and not open (a step of class once is never repeated automatically)" in kept.why
    assert _goal(plan).state == GoalState.FAILED


def test_what_a_pinned_strategy_lacks_is_said_and_the_usual_order_holds(
    approved: Callable[..., IntentPlan], operator: User, make_workspace: Any, owner: User
) -> None:
    lacks = {
        ALTERNATIVE: "none is declared",
        SIMPLER: "the plan cannot be simplified further",
        REEXTRACTED: "no other values were found in the goal",
    }
    for pinned, why in lacks.items():
        recovery_learning.save_policy(
            FailureClass.TOOL_EXECUTION_ERROR, "simple_coder", pinned=str(pinned), banned=[], by=operator
        )
        plan = approved([run("python -c 'raise SystemExit(3)'")], workspace=make_workspace(owner))
        cycle.work(plan.goal_id)
        (kept,) = FailureRecord.objects.filter(goal=plan.goal_id)
        assert kept.cell_strategy == str(RETRY)
        assert f"{pinned.words} is pinned and not open ({why}); primary strategy" in kept.why
        assert _goal(plan).state == GoalState.RECOVERING
