"""Planning that finds no plan × each strategy: kept, mended and counted like a failure of a step."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from agents.actors import commitments
from agents.bdi.intentions.commitment import Commitment
from agents.bdi.recovery.failures import FailureClass
from agents.bdi.recovery.strategies import ABORT, AGINT, ALTERNATIVE, COOLED, MANUAL, REEXTRACTED, RETRY, SIMPLER, Way
from agents.components import rule_writing
from agents.cycle import cycle
from agents.hands import hand_items
from agents.models import Attempt, FailureRecord, Goal, HandItem, IntentPlan, RecoveryStatistic, Workspace
from agents.planning import planning
from agents.plans import renewals
from agents.recovery import recovery_learning, told_beliefs
from agents.states import GoalState, PlanState
from agents.workspaces import base_files
from library.components import services as components
from library.models import Component, ComponentVersion
from people.models import User
from review.deciding import decisions
from tests.agents.toolkit.answering import answering, ok

pytestmark = pytest.mark.django_db(transaction=True)
DELAY_S, COOL_S = 60.0, 120.0
PARSE, PLAN = FailureClass.GOAL_PARSE_ERROR, FailureClass.PLANNING_ERROR
# What is known before, and what a person teaches afterwards: with the second the whole goal has a plan.
JOURNAL = """RULE begin a journal
IF your task is to begin the journal {name}
THEN:
  create the folder {name}
"""
LEDGER = """RULE reconcile and begin
IF your task is to reconcile the ledger then begin the journal {name}
THEN:
  create the folder {name}
  write reconciled to the file {name}/ledger.txt
"""
# A step that wants more time than any may have here.
FAULTY = """RULE make a folder
IF your task is to create the folder {name}
THEN:
  create the folder {name}
  run the program true within 3600 seconds
"""
SOUND = """RULE make a folder
IF your task is to create the folder {name}
THEN:
  create the folder {name}
  write made to the file {name}/about.txt
"""
TEXTS = {PARSE: "Reconcile the ledger then begin the journal spring", PLAN: "Create the folder spring"}


@dataclass(frozen=True)
class Ended:
    """What was done, where the goal stood then, in which file of the workspace it ended, and what it counts as."""

    way: Way
    waits: GoalState
    made: frozenset[str]
    succeeded: bool


def _ended(way: Way, waits: GoalState, *made: str) -> Ended:
    return Ended(way, waits, frozenset(made), succeeded=bool(made))


WHOLE = {PARSE: ("spring", "spring/ledger.txt"), PLAN: ("spring", "spring/about.txt")}
SIMPLE = _ended(SIMPLER, GoalState.AWAITING_REVIEW, "spring")


def expected(name: FailureClass) -> dict[Way, Ended]:
    return {
        RETRY: _ended(RETRY, GoalState.PENDING, *WHOLE[name]),
        COOLED: _ended(COOLED, GoalState.PENDING, *WHOLE[name]),
        # There is no step yet that could have an alternative; and without a model AGInt finds nothing to do.
        ALTERNATIVE: SIMPLE,
        SIMPLER: SIMPLE,
        # Of a goal that no rule reads the words have been read already.
        REEXTRACTED: SIMPLE if name is PARSE else _ended(REEXTRACTED, GoalState.AWAITING_REVIEW, "spring"),
        AGINT: SIMPLE,
        MANUAL: _ended(MANUAL, GoalState.MANUAL, *WHOLE[name]),
        ABORT: _ended(ABORT, GoalState.FAILED),
    }


@pytest.fixture(autouse=True)
def _usual(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"retry_delay_seconds": DELAY_S, "cool_down_seconds": COOL_S, "usual_order_up_to": 1000.0}
    for name, value in values.items():
        monkeypatch.setitem(recovery_learning._USUAL, name, value)


def _teach(text: str, admin: User) -> None:
    of = Component.objects.filter(kind="rule", name=text.splitlines()[0].removeprefix("RULE ")).first()
    known = of.versions.filter(body=text).first() if of is not None else None
    if known is not None and known.status != ComponentVersion.Status.ACTIVE:
        components.activate(known, admin)
    elif known is None:
        rule_writing.save(text, by=admin, of=of, activate=True)


def _forget(name: str, admin: User) -> None:
    for version in ComponentVersion.objects.filter(component__name=name, status=ComponentVersion.Status.ACTIVE):
        components.retire(version, admin)


# A plan that runs until a step of it finds that what it stands on is no longer so; then only the other rule is left.
BEGUN = """RULE begin the folder
IF your task is to create the folder {{name}}
CONSIDERING the network is up
THEN:
  write begun to the file begun.txt
  get the address "{url}"
  create the folder {{name}}
"""
UP = "The network is up."


@pytest.fixture
def cell(
    owner: User, operator: User, reviewer: User, admin: User, make_goal: Callable[..., Goal], make_workspace: Any
) -> Callable[..., Ended]:
    """`cell(class, way)`: the strategy is pinned, planning fails, a person teaches what was missing; how it ended.

    `first(goal)` comes before: it has a plan approved of which so many steps `done` are done when planning fails.
    """

    def made(name: FailureClass, way: Way, first: Callable[[Goal], object] = lambda goal: None, done: int = 0) -> Ended:
        _forget("reconcile and begin", admin)
        _teach(JOURNAL if name is PARSE else FAULTY, admin)
        recovery_learning.save_policy(name, "", pinned=str(way), banned=[], by=operator)
        goal = make_goal(owner, TEXTS[name], workspace=make_workspace(owner))
        first(goal)
        began = timezone.now()
        cycle.work(goal.pk)
        goal.refresh_from_db()
        (kept,) = goal.failures.all()
        waits = GoalState(goal.state)
        assert (kept.failure_class, kept.stage, kept.tool, kept.attempt) == (name, "planning", "", None)
        assert kept.facts["no_plan"] == {PARSE: "no_relevant_rule", PLAN: "invalid_plan"}[name]
        assert (kept.succeeded is None) or waits is GoalState.FAILED
        recovery_learning.settle()
        assert _counted(kept) == ("0" if waits is GoalState.FAILED else "")
        _teach(LEDGER if name is PARSE else SOUND, admin)
        match waits:
            case GoalState.PENDING:
                assert goal.wake_at is not None
                least_s = COOL_S if way == COOLED else DELAY_S
                assert least_s <= (goal.wake_at - began).total_seconds() <= least_s * 1.25 + 60
                assert not goal.intent_plans.exclude(state=PlanState.SUPERSEDED).exists()
                Goal.objects.filter(pk=goal.pk).update(wake_at=None)
                cycle.work(goal.pk)
            case GoalState.MANUAL:
                (item,) = hand_items.open_for(owner)
                assert (item.goal_id, item.intent_plan, item.failure_id) == (goal.pk, None, kept.pk)
                planning.plan_again(goal, by=owner)
                cycle.work(goal.pk)
                assert not HandItem.objects.filter(answered_at=None).exists()
            case GoalState.AWAITING_REVIEW:
                assert Attempt.objects.filter(intent__intent_plan__goal=goal).count() == done
        if waits is not GoalState.FAILED:
            revision = IntentPlan.objects.get(goal=goal, state=PlanState.AWAITING_REVIEW)
            decisions.approve(revision, by=reviewer, digest=revision.digest)
            cycle.work(goal.pk)
        goal.refresh_from_db()
        kept.refresh_from_db()
        recovery_learning.settle()
        kept.refresh_from_db()
        assert _counted(kept) == ("1" if kept.succeeded else "0")
        assert goal.state == (GoalState.ACHIEVED if kept.succeeded else GoalState.FAILED)
        ran = next(one for one in expected(name) if str(one) == kept.cell_strategy)
        _check_said(goal, kept, ran, way)
        paths = frozenset(one.path for one in base_files.entries_of(Workspace.objects.get(pk=goal.workspace_id).head))
        return Ended(ran, waits, paths, bool(kept.succeeded))

    return made


def _counted(kept: FailureRecord) -> str:
    cell = {"failure_class": kept.failure_class, "tool": kept.tool, "strategy": kept.cell_strategy}
    row = RecoveryStatistic.objects.filter(**cell).first()
    return dict(zip(row.ids, row.recent, strict=True)).get(kept.pk, "") if row is not None else ""


def _check_said(goal: Goal, kept: FailureRecord, ran: Way, pinned: Way) -> None:
    said = "\n".join(goal.log_lines.values_list("text", flat=True))
    assert f"failure class {kept.failure_class}: " in said
    assert f"recovery: {ran.words}, " in said
    if ran != pinned:
        assert f"{pinned.words} is pinned and not open" in kept.why


@pytest.mark.parametrize("failure_class", [PARSE, PLAN])
def test_planning_that_fails_ends_as_the_policy_says(
    failure_class: FailureClass, cell: Callable[[FailureClass, Way], Ended]
) -> None:
    ways = expected(failure_class)
    assert {way: cell(failure_class, way) for way in ways} == ways


def test_planning_that_fails_in_the_middle_of_a_plan_ends_as_the_policy_says(
    cell: Callable[..., Ended], owner: User, operator: User, reviewer: User, admin: User
) -> None:
    with answering() as server:
        _teach(BEGUN.format(url=f"{server.address}/tide"), admin)

        def begun(goal: Goal) -> None:
            """Half of its plan runs when the network goes down, which an open-minded agent takes to heart."""
            _teach(FAULTY, admin)
            said, _ = told_beliefs.tell(goal, by=owner, sentence=UP)
            commitments.set_to(goal.agent, Commitment.OPEN_MINDED, by=operator)

            def down(asked: socket.socket) -> None:
                told_beliefs.retract(goal, by=owner, belief_id=said.pk)
                connection.close()  # of this thread
                asked.sendall(ok(b"low"))

            server.answers["/tide"] = down
            cycle.one(goal.pk)
            plan = goal.intent_plans.get()
            decisions.approve(plan, by=reviewer, digest=plan.digest)

        ways = expected(PLAN)
        ended = {way: cell(PLAN, way, begun, 2) for way in ways}
        assert len(server.requests) == len(ways), "what was done is not done again"
    # What was done stays, whatever becomes of the goal.
    assert ended == {way: replace(one, made=one.made | {"begun.txt"}) for way, one in ways.items()}


def test_a_part_of_a_goal_says_what_it_leaves_out_and_needs_a_person(
    owner: User, reviewer: User, admin: User, make_goal: Callable[..., Goal], client_of: Callable[[User], Client]
) -> None:
    _teach(JOURNAL, admin)
    goal = make_goal(owner, TEXTS[PARSE])
    cycle.work(goal.pk)
    plan = goal.intent_plans.get()
    assert renewals.needs_a_person(plan), "no policy approves it"
    page = client_of(reviewer).get(plan.get_absolute_url()).content.decode()
    assert "This covers only part of the goal." in page
    assert "“Reconcile the ledger”" in page
    shown = client_of(owner).get(goal.get_absolute_url()).content.decode()
    assert "Planning failed" in shown
    assert "simplified approach, primary strategy of GOAL_PARSE_ERROR; not ended" in shown


def test_a_goal_nobody_can_plan_asks_its_person_again_and_is_never_given_up_by_what_was_learned(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch, client_of: Callable[[User], Client]
) -> None:
    goal = make_goal(owner, "Reconcile the ledger")
    cycle.work(goal.pk)
    for _ in range(2):
        goal.refresh_from_db()
        assert (goal.state, goal.reason.partition(":")[0]) == (GoalState.MANUAL, "no_relevant_rule")
        planning.plan_again(goal, by=owner)
        cycle.work(goal.pk)
    assert set(goal.failures.values_list("strategy", flat=True)) == {"manual_fallback"}
    assert HandItem.objects.filter(goal=goal, answered_at=None).count() == 1
    assert client_of(owner).get(f"/goals/{goal.pk}/hand").status_code == 302, "its page is the plan by hand"
    # Whatever ended badly before: nothing is worth its price then.
    for row in goal.failures.all():
        FailureRecord.objects.filter(pk=row.pk).update(succeeded=False, settled_at=timezone.now(), overtaken_by="")
    recovery_learning.rebuild({("GOAL_PARSE_ERROR", "", str(MANUAL)), ("GOAL_PARSE_ERROR", "", str(RETRY))})
    costly = {"usual_order_up_to": 0.0, "most_replans": 0.0, "cost_manual": 1.0, "cost_agint": 1.0}
    for name, value in costly.items():
        monkeypatch.setitem(recovery_learning._USUAL, name, value)
    planning.plan_again(Goal.objects.get(pk=goal.pk), by=owner)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.MANUAL
    assert "only a person is left; after " in goal.failures.order_by("-pk")[0].why


def test_planning_again_is_bounded_and_then_the_usual_order_holds(
    owner: User, operator: User, make_goal: Callable[..., Goal]
) -> None:
    recovery_learning.save_policy(PARSE, "", pinned=str(RETRY), banned=[], by=operator)
    goal = make_goal(owner, "Reconcile the ledger")
    for _ in range(5):
        Goal.objects.filter(pk=goal.pk).update(wake_at=None)
        cycle.work(goal.pk)
    kept = list(goal.failures.order_by("pk").values_list("strategy", "overtaken_by"))
    assert kept == [
        ("retry_with_delay", "retry_with_delay"),
        ("retry_with_delay", "manual_fallback"),
        ("manual_fallback", ""),
    ]
    assert "it was planned again 2 times already" in goal.failures.order_by("-pk")[0].why
    goal.refresh_from_db()
    assert goal.state == GoalState.MANUAL


def test_a_question_is_no_failure(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = make_goal(owner, "Write a note")
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.reason.startswith("question_open")
    assert not FailureRecord.objects.exists()
    assert not HandItem.objects.exists()


def test_what_a_policy_forbids_is_not_got_round_by_leaving_it_out(
    owner: User, admin: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    from agents.record import gate

    _teach(SOUND, admin)
    forbid = gate.Forbidden(2, "Forbidden by a policy of the house.")
    # Without its second step the plan would be let through.
    monkeypatch.setattr(gate, "forbidden", lambda goal, document: [forbid] if len(document.intents) == 2 else [])
    goal = make_goal(owner, TEXTS[PLAN])
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.MANUAL
    assert goal.reason.startswith("forbidden_by_policy")
    (kept,) = goal.failures.all()
    assert (kept.failure_class, kept.strategy) == ("PLANNING_ERROR", "manual_fallback")


def test_nobody_waits_for_rules_to_say_the_same_again(
    owner: User, make_goal: Callable[..., Goal], make_workspace: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # From the first failure on by what helped, of which nothing is known: each way that is open has its turn.
    monkeypatch.setitem(recovery_learning._USUAL, "usual_order_up_to", 0.0)
    goals = [make_goal(owner, f"Reconcile the ledger of {n}", workspace=make_workspace(owner)) for n in range(12)]
    for goal in goals:
        cycle.one(goal.pk)
    states = Goal.objects.filter(pk__in=[goal.pk for goal in goals]).values_list("state", "wake_at")
    assert set(states) == {(GoalState.MANUAL.value, None)}
