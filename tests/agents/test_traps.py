"""The faults of the systems that the source documents describe, a test each for those of the mind and of execution.

The name is the fault, the body what mindX does. Those of today's review products stand in `tests/review/test_traps.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from agents.bdi.plans.dependencies import link
from agents.bdi.plans.validation import validate
from agents.bdi.recovery.alternatives import mapped
from agents.bdi.recovery.failures import Failure, FailureClass
from agents.bdi.recovery.recovery import Envelope, Situation, choose
from agents.bdi.recovery.strategies import AGINT, ALTERNATIVE
from agents.bdi.understanding import correcting
from agents.bdi.understanding.names.paths import Tree
from agents.cycle import cycle
from agents.goals import goals
from agents.models import Agent, Attempt, Generation, Goal, IntentPlan, RecoveryAttempt, Workspace
from agents.plans import proposals
from agents.record.moves import move_goal
from agents.recovery import recovery_learning
from agents.states import GoalState
from agents.toolkit.registry import REGISTRY
from agents.toolkit.schemas import loads_strict
from agents.toolkit.types import Param, PlanDraft, Step
from agents.understanding import parameters
from agents.workspaces.stores import store
from library.components import services as components
from library.language import generation
from people.models import User
from review.deciding import decisions
from tests.agents.bdi.worlds import by_hand
from tests.agents.execution.conftest import give_up
from tests.cast import person
from tests.library import vectors
from tests.models.conftest import provider as provider
from tests.models.server import Provider

Propose = Callable[..., IntentPlan]
on_postgres = pytest.mark.django_db(transaction=True)


def do(command: str, /, **params: Any) -> dict[str, Any]:
    return {"tool": "simple_coder", "command": command, "params": params}


def test_trap_the_alternative_is_the_first_other_tool_with_the_same_params_in_step_0() -> None:
    failure = Failure(FailureClass.TOOL_UNAVAILABLE, "x")
    assert choose(failure, Situation(envelope=Envelope(3))).way == AGINT, "none was declared, so there is none"
    choice = choose(failure, Situation(envelope=Envelope(3, 3, frozenset({2}))))
    assert (choice.way, choice.alternative) == (ALTERNATIVE, 2), "the one that was granted"
    step = by_hand("write", path="a.txt", content="x")
    taken = mapped(step, {"name": Param("note", "person")}, {"text": "content"})
    assert {name: param.value for name, param in taken.items()} == {"name": "note", "text": "x"}
    with pytest.raises(ValueError, match="does not have"):
        mapped(step, {}, {"text": "body"})


def test_trap_validation_checks_action_names_only() -> None:
    sound = by_hand("write", path="a.txt", content="x")
    assert validate((sound,), (), REGISTRY) == []

    def codes(command: str, **params: Any) -> set[str]:
        values = {name: Param(value, "model") for name, value in params.items()}
        return {one.code for one in validate((Step("simple_coder", command, values, "why"),), (), REGISTRY)}

    assert "schema" in codes("write", path="a.txt")
    assert "path_outside" in codes("mkdir", path="../a")
    assert "reference_order" in codes("write", path="a.txt", content="{{intents.2.result.stdout}}")
    assert "needs_autonomous_mode" in codes("rm", path="a.txt")


def test_trap_path_correction_maps_nearly_everything_to_one_folder() -> None:
    """It is narrow, and keeps what stood there."""
    tree = Tree.of([("tools/summary.py", "file"), ("docs/guide.md", "file"), ("main.py", "file")])

    def mended(said: str, origin: str = "model") -> Param:
        step = Step("simple_coder", "read", {"path": Param(said, origin)}, "")
        return correcting.mended((step,), tree, REGISTRY, 0.6)[0].params["path"]

    found = mended("mian.py")
    assert (found.value, found.origin, found.original) == ("main.py", "mapping", "mian.py")
    for untouched in ("docs/guide.md", "budget.xls", "somewhere/else/entirely.txt"):
        assert (mended(untouched).value, mended(untouched).original) == (untouched, None)
    assert mended("mian.py", "person").value == "mian.py", "a person's own word is not corrected"


@on_postgres
def test_trap_path_correction_runs_after_validation(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors.install(monkeypatch)
    rule = "RULE publish\nIF your task is to publish the tides\nTHEN: create the folder out\n"
    components.publish("rule", "publish", rule, by=person("oskar", "operator", "developer"), status="active")
    escaping = PlanDraft((Step("simple_coder", "mkdir", {"path": Param("../out", "mapping")}, ""),), (), "rule", {})
    monkeypatch.setattr(parameters, "corrected", lambda _goal, _draft: escaping)
    goal = goals.submit(by=owner, text="Publish the tides")
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert (goal.state, goal.intent_plans.exists()) == (GoalState.MANUAL, False)
    assert goal.reason.startswith("invalid_plan")


def test_trap_a_tool_call_passes_an_argument_that_the_tool_does_not_take() -> None:
    own = {"command_line": Param("python a.py", "model"), "command": Param("run", "model")}
    (problem,) = validate((Step("simple_coder", "run", own, "why"),), (), REGISTRY)
    assert (problem.field, problem.code) == ("command", "schema")


def test_trap_two_keys_named_command_in_one_object() -> None:
    with pytest.raises(ValueError, match="command"):
        loads_strict('{"command": "run", "params": {}, "command": "python a.py"}')


@on_postgres
def test_trap_the_repair_limit_is_ignored(
    provider: Provider, owner: User, valkey: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation, "FIRST_WAIT_S", 0.0)
    wrong = {"steps": [{"tool": "simple_coder", "command": "mkdirs", "params": {"path": "a"}, "why": "so"}]}
    provider.will_say(*[json.dumps(wrong)] * 4)
    goal = goals.submit(by=owner, text="Lay out the harbour ledger as you think best")
    Agent.objects.update(max_repair_attempts=1)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.MANUAL
    assert Generation.objects.count() == len(provider.asked) == 2


@on_postgres
def test_trap_approval_raises_an_error_and_nothing_executes_an_approved_plan(
    owner: User, reviewer: User, propose_plan: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors.install(monkeypatch)
    plan = propose_plan(owner, [do("mkdir", path="a"), do("write", path="a/b.txt", content="x")])
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert _file(plan, "a/b.txt") == b"x"


@on_postgres
def test_trap_output_var_and_condition_are_lost(
    owner: User, reviewer: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step uses what an earlier one answered, and one whose condition does not hold is left out."""
    vectors.install(monkeypatch)
    goal = move_goal(make_goal(owner), GoalState.PLANNING, by="a test")
    steps = [
        do("run", command_line="python -c 'print(6 * 7, end=\"\")'"),
        do("write", path="answer.txt", content="{{intents.1.result.stdout}}"),
        do("mkdir", path="well"),
        do("mkdir", path="wrong"),
    ]
    draft, problems = proposals.draft_by_hand(goal, steps, (), by=owner)
    assert problems == []
    code = {"left": "{{intents.1.result.return_code}}", "operator": "equals"}
    conditions = (None, None, {**code, "value": 0}, {**code, "value": 1})
    made = [replace(step, condition=condition) for step, condition in zip(draft.steps, conditions, strict=True)]
    with transaction.atomic():
        plan = proposals.propose(goal, replace(draft, steps=link(made, REGISTRY)), by=owner)
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(plan.goal_id)
    assert _file(plan, "answer.txt") == b"42"
    assert [one.state for one in plan.intents.order_by("position")] == ["succeeded"] * 3 + ["skipped"]


def _file(plan: IntentPlan, path: str) -> bytes:
    with store().open(Workspace.objects.get(pk=plan.workspace_id).head, path.encode()) as file:
        return file.read()


@on_postgres
def test_trap_recovery_counts_as_success_when_it_was_set_up(
    owner: User, reviewer: User, propose_plan: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors.install(monkeypatch)
    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 3600.0)
    plan = propose_plan(owner, [do("run", command_line="python -c 'raise SystemExit(3)'")])
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api", tries=2)
    cycle.work(plan.goal_id)
    assert list(RecoveryAttempt.objects.values_list("strategy", "succeeded")) == [("retry_with_delay", None)]
    Goal.objects.filter(pk=plan.goal_id).update(wake_at=timezone.now())
    cycle.work(plan.goal_id)
    assert Attempt.objects.filter(outcome="failed").count() == 2
    # It failed twice in the same words, so a person is asked, and the step has not ended before they answer.
    assert RecoveryAttempt.objects.get(strategy="retry_with_delay").succeeded is None
    give_up(plan.goal_id, reviewer)
    recovery_learning.settle()
    assert RecoveryAttempt.objects.get(strategy="retry_with_delay").succeeded is False


@on_postgres
def test_trap_manual_mode_is_a_goal_that_the_agent_plans_itself(
    owner: User, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No plan is found: a person is asked, nothing else happens, and no second goal comes of it."""
    vectors.install(monkeypatch)
    goal = goals.submit(by=owner, text="Reconcile the harbour ledger")
    for _ in range(3):
        cycle.work(goal.pk)
    goal.refresh_from_db()
    assert (goal.state, Goal.objects.count(), goal.intent_plans.count()) == (GoalState.MANUAL, 1, 0)
    plan = goals.supply_plan(goal, by=owner, steps=[do("mkdir", path="ledger")])
    assert plan.plan.source == "person"
