"""Workflows with parallel branches, run in the real sandbox: one that fails keeps no other from its work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.bdi.plans import document as documents
from agents.components import workflow_library
from agents.cycle import cycle
from agents.goals import workflow_goals
from agents.goals.component_goals import Terms
from agents.hands import hand_items
from agents.models import Attempt, FailureRecord, Goal, HandItem, IntentPlan, RecoveryAttempt, RecoveryPolicy
from agents.plans import put_off
from agents.recovery import recovery_learning
from agents.states import GoalState, PlanState
from people.models import User
from review.deciding import decisions, gate
from tests.agents.bdi.workflows.workflow_texts import execute, parallel, text
from tests.library.vectors import install

pytestmark = pytest.mark.django_db(transaction=True)
# In other words each time: what fails twice in the same words is not tried a third time.
FAILS = "input: {command_line: \"python -c 'import os, sys; sys.exit(os.urandom(8).hex())'\"}"


def write(path: str) -> str:
    return execute("simple_coder.write", f"input: {{path: {path}, content: x}}")


# 1 first.txt · 2a: fails, a.txt · 2b: b.txt, bb.txt · last.txt
BODY = text(
    write("first.txt")
    + parallel(execute("simple_coder.run", FAILS) + write("a.txt"), write("b.txt") + write("bb.txt"))
    + write("last.txt")
)


@pytest.fixture(autouse=True)
def _usual(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 0.0)


@pytest.fixture
def approved(owner: User, reviewer: User) -> Callable[..., IntentPlan]:
    """`approved(body, tries=…)`: the plan of a workflow, which a reviewer has approved; nothing ran yet."""

    def made(body: str = BODY, tries: int = 1) -> IntentPlan:
        plan = workflow_goals.process(workflow_library.save(body, by=reviewer), {}, Terms(owner))
        return decisions.approve(plan, by=reviewer, digest=plan.digest, tries=tries)

    return made


def worked(plan: IntentPlan) -> str:
    cycle.work(plan.goal_id)
    plan.refresh_from_db()
    return Goal.objects.get(pk=plan.goal_id).state


def states(plan: IntentPlan) -> list[str]:
    return list(plan.intents.order_by("position").values_list("state", flat=True))


def order(plan: IntentPlan) -> list[int]:
    """The positions of its tries as they began."""
    tries = Attempt.objects.filter(intent__intent_plan=plan).order_by("started", "pk")
    return list(tries.values_list("intent__position", flat=True))


def test_a_plan_with_branches_runs_in_order_and_its_document_names_them(approved: Callable[..., IntentPlan]) -> None:
    plan = approved(text(write("first.txt") + parallel(write("a.txt"), write("b.txt")) + write("last.txt")))
    assert worked(plan) == GoalState.ACHIEVED
    assert order(plan) == [1, 2, 3, 4]
    intents = documents.read(bytes(plan.document)).intents
    assert [spec.branch for spec in intents] == ["", "2a", "2b", ""]
    assert documents.write(documents.read(bytes(plan.document))) == bytes(plan.document)


def test_a_branch_that_fails_lets_the_other_one_go_on_before_the_plan_fails(
    approved: Callable[..., IntentPlan], file_of: Any
) -> None:
    plan = approved()
    assert worked(plan) == GoalState.FAILED
    assert states(plan) == ["succeeded", "failed", "skipped", "succeeded", "succeeded", "skipped"]
    assert order(plan) == [1, 2, 4, 5]
    assert file_of(plan, "bb.txt") == b"x"
    assert "step 2 (simple_coder.run) failed" in plan.reason


def test_retries_of_a_branch_come_when_the_other_one_is_through_and_are_counted_once(
    approved: Callable[..., IntentPlan],
) -> None:
    plan = approved(tries=2)
    assert worked(plan) == GoalState.FAILED
    assert order(plan) == [1, 2, 4, 5, 2]
    assert list(RecoveryAttempt.objects.order_by("pk").values_list("attempt__number", "strategy")) == [
        (1, "retry_with_delay"),
        (2, "graceful_abort"),
    ]
    assert FailureRecord.objects.filter(goal=plan.goal_id).count() == 2


def test_two_branches_that_fail_are_both_recovered_and_the_third_has_run(approved: Callable[..., IntentPlan]) -> None:
    fails = execute("simple_coder.run", FAILS)
    plan = approved(text(parallel(fails, fails, write("c.txt")) + write("last.txt")))
    assert worked(plan) == GoalState.FAILED
    assert states(plan) == ["failed", "failed", "succeeded", "skipped"]
    assert order(plan) == [1, 2, 3]


def test_a_person_mends_the_failed_branch_and_the_plan_goes_on_behind_it(
    approved: Callable[..., IntentPlan], operator: User, reviewer: User, file_of: Any
) -> None:
    RecoveryPolicy.objects.create(failure_class="TOOL_EXECUTION_ERROR", number=1, pinned="manual_fallback", by=operator)
    plan = approved()
    assert worked(plan) == GoalState.MANUAL
    assert states(plan) == ["succeeded", "failed", "pending", "succeeded", "succeeded", "pending"]
    hand_items.done(HandItem.objects.get(), by=reviewer)
    assert worked(plan) == GoalState.ACHIEVED
    assert order(plan) == [1, 2, 4, 5, 3, 6]
    assert file_of(plan, "a.txt") == file_of(plan, "last.txt") == b"x"


def test_what_is_asked_about_again_holds_the_failed_branch_and_not_what_has_run(
    approved: Callable[..., IntentPlan], operator: User, owner: User
) -> None:
    RecoveryPolicy.objects.create(failure_class="TOOL_EXECUTION_ERROR", number=1, pinned="manual_fallback", by=operator)
    plan = approved()
    worked(plan)
    asked = hand_items.again(HandItem.objects.get(), by=owner)
    assert asked is not None
    intents = documents.read(bytes(asked.document)).intents
    assert [(spec.command, spec.params.get("path"), spec.branch) for spec in intents] == [
        ("run", None, "2a"),
        ("write", "a.txt", "2a"),
        ("write", "last.txt", ""),
    ]


def test_what_stands_in_the_place_of_a_failed_step_is_known_though_others_have_run(
    approved: Callable[..., IntentPlan], operator: User, owner: User
) -> None:
    RecoveryPolicy.objects.create(failure_class="TOOL_EXECUTION_ERROR", number=1, pinned="manual_fallback", by=operator)
    worked(approved())
    steps = [{"tool": "simple_coder", "command": "mkdir", "params": {"path": path}} for path in ("made", "also")]
    asked = hand_items.instead(HandItem.objects.get(), by=owner, steps=steps)
    intents = documents.read(bytes(asked.document)).intents
    assert [(spec.command, spec.branch) for spec in intents][:2] == [("mkdir", "2a"), ("mkdir", "2a")]
    failed = FailureRecord.objects.get(carried_by=asked)
    assert (failed.carried_first, failed.carried_last, len(intents)) == (1, 2, 4)


def test_an_approval_that_is_withdrawn_in_the_other_branch_asks_for_the_failed_one_too(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan that stands in one branch has not passed what waits in the other."""
    from agents.record.gate import Verdict

    plan = approved()
    real = gate.check

    def asks(found: IntentPlan, *args: Any) -> Verdict:
        verdict = real(found, *args)
        return Verdict(allowed=False, reason="a component changed", asks=True) if found.position == 4 else verdict

    monkeypatch.setattr("agents.record.gate._check", asks, raising=False)
    monkeypatch.setattr("agents.execution.gate_check.gate.check", asks)
    assert worked(plan) == GoalState.AWAITING_REVIEW
    assert plan.state == PlanState.SUPERSEDED
    left = IntentPlan.objects.get(goal=plan.goal_id, state=PlanState.AWAITING_REVIEW)
    intents = documents.read(bytes(left.document)).intents
    assert [spec.params.get("path") for spec in intents] == [None, "a.txt", "b.txt", "bb.txt", "last.txt"]


def test_the_gate_refuses_a_position_that_no_failed_branch_leads_to(approved: Callable[..., IntentPlan]) -> None:
    plan = approved()
    IntentPlan.objects.filter(pk=plan.pk).update(state=PlanState.EXECUTING.value, position=4)
    plan.refresh_from_db()
    verdict = gate.check(plan)
    assert (verdict.allowed, verdict.reason) == (
        False,
        "the position of the plan does not fit the steps that have ended",
    )


@pytest.mark.parametrize("dies_in", ["go_to", "put_off"])
def test_a_worker_that_dies_between_two_branches_loses_and_repeats_nothing(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch, dies_in: str
) -> None:
    from agents.record.lease import LeaseLost

    plan = approved()
    real = getattr(put_off, dies_in)
    died: list[int] = []

    def once(*args: Any, **also: Any) -> Any:
        if not died:
            died.append(1)
            raise LeaseLost("this worker was killed here")
        return real(*args, **also)

    monkeypatch.setattr(put_off, dies_in, once)
    for _ in range(3):
        state = worked(plan)
        Goal.objects.filter(pk=plan.goal_id, lease_until__isnull=False).update(lease_until=plan.created_at)
    assert (died, state) == ([1], GoalState.FAILED)
    assert states(plan) == ["succeeded", "failed", "skipped", "succeeded", "succeeded", "skipped"]
    assert order(plan) in ([1, 2, 4, 5], [1, 2, 2, 4, 5])
    assert plan.reason.startswith("TOOL_EXECUTION_ERROR: step 2"), "it failed of its step, and no position was wrong"
