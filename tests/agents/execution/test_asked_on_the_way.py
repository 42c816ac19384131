"""A plan whose grounds change while it runs: it stops, people read the change only, and it goes on from there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.bdi.plans import document as documents
from agents.components import components
from agents.cycle import cycle
from agents.models import Attempt, Goal, IntentPlan, Workspace
from agents.plans import reporting
from agents.states import GoalState, PlanState
from agents.workspaces import base_files
from library.components import services
from library.models import ComponentVersion
from people.models import User
from review.audit import decision_chain
from review.deciding import decisions
from review.policies import evaluation
from review.policy.verdict import Action
from tests.agents.execution.conftest import run, write
from tests.cast import person
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db(transaction=True)
Approved = Callable[..., IntentPlan]
RULE = """RULE keep two notes
IF your task is to keep two notes
THEN: write “one” to the file a.txt, write “two” to the file b.txt
"""


@pytest.fixture
def after_step(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Callable[[], object]], None]:
    """`after_step(1, change)`: something happens when the first step has run, the moment before it is recorded."""

    def when(position: int, change: Callable[[], object]) -> None:
        advance, left = reporting.advance, [change]

        def then(plan: IntentPlan, lease: Any, running: Any, *rest: Any, **also: Any) -> Any:
            if running.position == position and left:
                left.pop()()
            return advance(plan, lease, running, *rest, **also)

        monkeypatch.setattr(reporting, "advance", then)

    return when


@pytest.fixture
def by_rule(owner: User, operator: User, reviewer: User, make_goal: Callable[..., Goal]) -> IntentPlan:
    """An approved plan that a rule of the library made."""
    services.publish("rule", "keep two notes", RULE, by=operator, status="active")
    goal = make_goal(owner, "keep two notes")
    cycle.work(goal.pk)
    plan = goal.intent_plans.get()
    return decisions.approve(plan, by=reviewer, digest=plan.digest)


def again(plan: IntentPlan) -> IntentPlan:
    return IntentPlan.objects.get(goal=plan.goal_id, state=PlanState.AWAITING_REVIEW)


def goal_of(plan: IntentPlan) -> Goal:
    return Goal.objects.get(pk=plan.goal_id)


def files_of(plan: IntentPlan) -> list[str]:
    return [entry.path for entry in base_files.entries_of(Workspace.objects.get(pk=plan.workspace_id).head)]


def steps_of(plan: IntentPlan) -> list[tuple[str, Any]]:
    return [(spec.command, dict(spec.params)) for spec in documents.read(bytes(plan.document)).intents]


def test_a_rule_withdrawn_on_the_way_is_asked_about_and_the_rest_goes_on(
    by_rule: IntentPlan,
    operator: User,
    reviewer: User,
    after_step: Callable[..., None],
    client_of: Callable[[User], Client],
) -> None:
    after_step(1, lambda: services.retire(ComponentVersion.objects.get(), by=operator))
    cycle.work(by_rule.goal_id)
    by_rule.refresh_from_db()
    assert (by_rule.state, goal_of(by_rule).state) == (PlanState.SUPERSEDED, GoalState.AWAITING_REVIEW)
    assert [intent.state for intent in by_rule.intents.all()] == ["succeeded", "skipped"]
    assert Attempt.objects.get(intent__intent_plan=by_rule, intent__position=2).outcome == "refused"
    assert files_of(by_rule) == ["a.txt"]
    left = again(by_rule)
    assert [command for command, _ in steps_of(left)] == ["write"]
    page = client_of(reviewer).get(left.get_absolute_url()).content.decode()
    assert "rule “keep two notes” 1.0.0 was withdrawn after the plan was made" in page
    assert "every step as it was approved" in page
    assert '<details class="as-approved">' in page
    decisions.approve(left, by=reviewer, digest=left.digest)
    cycle.work(by_rule.goal_id)
    assert goal_of(by_rule).state == GoalState.ACHIEVED
    assert files_of(by_rule) == ["a.txt", "b.txt"]
    assert Attempt.objects.filter(intent__intent_plan__goal=by_rule.goal_id, outcome="succeeded").count() == 2
    assert decision_chain.walk().broken is None


def test_a_newer_version_of_its_rule_stops_nothing(
    by_rule: IntentPlan, operator: User, after_step: Callable[..., None]
) -> None:
    newer = RULE.replace("“two”", "“three”")
    after_step(1, lambda: services.publish("rule", "keep two notes", newer, by=operator, status="active"))
    cycle.work(by_rule.goal_id)
    assert goal_of(by_rule).state == GoalState.ACHIEVED
    assert by_rule.goal.intent_plans.count() == 1


def test_a_rule_whose_text_was_changed_behind_its_version_is_asked_about(by_rule: IntentPlan) -> None:
    ComponentVersion.objects.update(body=RULE + "\n")
    cycle.work(by_rule.goal_id)
    assert "has another text" in again(by_rule).plan.evidence["delta"]["why"]
    assert files_of(by_rule) == []


def test_a_command_that_does_something_else_by_now_is_asked_about_once(
    approved: Approved, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("a.txt"), write("b.txt")])
    monkeypatch.setattr(components, "_version_now", lambda name: "another")
    cycle.work(plan.goal_id)
    left = again(plan)
    assert "simple_coder.write takes other values" in left.plan.evidence["delta"]["why"]
    assert steps_of(left) == steps_of(plan)
    decisions.approve(left, by=reviewer, digest=left.digest)
    cycle.work(plan.goal_id)
    assert goal_of(plan).state == GoalState.ACHIEVED


def test_a_policy_that_forbids_the_rest_stops_it_and_asks_a_person_for_a_plan(
    approved: Approved, after_step: Callable[..., None]
) -> None:
    keeper = person("kim", "operator", "reviewer")
    plan = approved([write("a.txt"), run("true")])
    after_step(1, lambda: in_force(Action.FORBID, keeper, "no programs", commands=["run"]))
    cycle.work(plan.goal_id)
    goal = goal_of(plan)
    assert goal.state == GoalState.MANUAL
    assert "forbidden_by_policy" in goal.reason
    assert "no programs" in goal.reason
    assert [intent.state for intent in plan.intents.all()] == ["succeeded", "skipped"]


def test_a_policy_that_wants_a_second_person_holds_the_rest_until_they_came(
    approved: Approved, after_step: Callable[..., None], admin: User
) -> None:
    keeper = person("kim", "operator", "reviewer")
    plan = approved([write("a.txt"), write("b.txt")])
    after_step(1, lambda: in_force(Action.REQUIRE_TWO, keeper, commands=["write"]))
    cycle.work(plan.goal_id)
    assert goal_of(plan).state == GoalState.RECOVERING
    assert files_of(plan) == ["a.txt"]
    decisions.approve_as_second(plan, by=admin, digest=plan.digest)
    cycle.work(plan.goal_id)
    assert goal_of(plan).state == GoalState.ACHIEVED
    assert files_of(plan) == ["a.txt", "b.txt"]


def test_what_lives_in_the_session_comes_first_once_more_and_results_are_filled_in(
    approved: Approved, reviewer: User, after_step: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [
        {"tool": "simple_coder", "command": "mkdir", "params": {"path": "inner"}},
        {"tool": "simple_coder", "command": "cd", "params": {"path": "inner"}},
        run("echo read once"),
        {"tool": "simple_coder", "command": "write", "params": {"path": "b", "content": "{{intents.3.result.stdout}}"}},
    ]
    plan = approved(steps)

    def change() -> None:
        monkeypatch.setattr(components, "_version_now", lambda name: "another")
        # What a worker has loaded does not change under it; anything that the gate reads makes it look at all again.
        User.objects.filter(pk=reviewer.pk).update(roles=["reviewer"])

    after_step(3, change)
    cycle.work(plan.goal_id)
    left = again(plan)
    assert steps_of(left) == [
        ("cd", {"path": "inner"}),
        ("write", {"path": "b", "content": "read once\n", "mode": "overwrite"}),
    ]
    assert left.plan.evidence["tool_output"] is True
    assert evaluation.facts_of(left).is_asked_again
    (filled,) = [one for one in documents.read(bytes(left.document)).intents[1].parameters if one.name == "content"]
    assert (filled.origin, filled.original) == ("reference", "{{intents.3.result.stdout}}")
    decisions.approve(left, by=reviewer, digest=left.digest)
    cycle.work(plan.goal_id)
    assert files_of(plan) == ["inner", "inner/b"]
