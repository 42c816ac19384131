"""Plans tried in a copy: what they would do is told, nothing of it happens, and it ends when somebody decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from agents.cycle import cycle
from agents.execution import shadow
from agents.execution.workplace import open_desk_in
from agents.models import Goal, IntentPlan, ShadowRun, Workspace
from agents.plans import proposals, shadowing
from agents.record import leased
from agents.record.moves import move_goal
from agents.states import GoalState, MoveRefused, PlanState, ShadowState
from agents.workspaces.stores import checkouts, store
from people.models import User
from review.deciding import decisions
from sandbox.contract import SandboxUnavailable
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def proposed(owner: User, make_goal: Callable[..., Goal]) -> Callable[..., IntentPlan]:
    """`proposed(steps)`: an intent plan that awaits review; nothing was tried yet."""

    def made(steps: Sequence[Mapping[str, Any]], cleanup: Sequence[Mapping[str, Any]] = (), **goal: Any) -> IntentPlan:
        of = make_goal(owner, **goal)
        draft, problems = proposals.draft_by_hand(of, steps, cleanup, by=owner)
        assert problems == []
        with transaction.atomic():
            locked = Goal.objects.select_for_update(no_key=True).get(pk=of.pk)
            move_goal(locked, GoalState.PLANNING, by="a test")
            return proposals.propose(locked, draft, by=owner)

    return made


def _only(plan: IntentPlan) -> ShadowRun:
    return plan.shadow_runs.get()


def _proofs(run_row: ShadowRun) -> list[str]:
    return [finding["proof"] for finding in run_row.findings]


def test_a_proposed_plan_is_tried_in_a_copy_and_the_workspace_stays(proposed: Callable[..., IntentPlan]) -> None:
    plan = proposed([write("hello.py", "print(6 * 7)"), run("python hello.py")])
    head = plan.workspace.head
    shadow.one()
    tried = _only(plan)
    assert (tried.state, tried.reason) == (ShadowState.DONE, "")
    assert _proofs(tried) == ["done", "done"]
    assert tried.findings[1]["answer"]["return_code"] == 0
    assert tried.findings[1]["answer"]["stdout"] == "42\n"
    assert tried.base == head
    with store().open(tried.after, b"hello.py") as file:
        assert file.read() == b"print(6 * 7)"
    plan.refresh_from_db()
    assert Workspace.objects.get(pk=plan.workspace_id).head == head
    assert (plan.state, plan.position) == (PlanState.AWAITING_REVIEW, 1)
    assert [intent.state for intent in plan.intents.all()] == ["pending", "pending"]
    assert list(checkouts().iterdir()) == []
    assert "dry run: 2 would be done" in "\n".join(plan.goal.log_lines.values_list("text", flat=True))


def test_a_failing_step_is_foretold_and_what_comes_after_is_not_reached(proposed: Callable[..., IntentPlan]) -> None:
    plan = proposed([write("a"), run('python -c \'open("half", "w"); raise SystemExit(3)\''), write("b")])
    shadow.one()
    tried = _only(plan)
    assert _proofs(tried) == ["done", "failed", "not_reached"]
    assert "exit code 3" in tried.findings[1]["why"]
    assert {entry.path for entry in store().entries(tried.after)} == {b"a"}, "a failed step leaves nothing"


def test_a_program_has_half_the_memory_and_what_fails_for_that_is_unproven(proposed: Callable[..., IntentPlan]) -> None:
    plan = proposed([run("python -c 'held = bytearray(700 << 20); print(len(held))'"), write("b")])
    shadow.one()
    tried = _only(plan)
    assert _proofs(tried) == ["unproven", "not_reached"]
    assert "half" in tried.findings[0]["why"]


def test_a_steps_own_time_limit_is_halved_too(proposed: Callable[..., IntentPlan]) -> None:
    step = run("python -c 'import time; time.sleep(1.5)'")
    step["params"]["timeout_s"] = 2.0
    plan = proposed([step])
    shadow.one()
    assert _proofs(_only(plan)) == ["unproven"]


def test_values_flow_from_step_to_step(proposed: Callable[..., IntentPlan]) -> None:
    copied = write("copy.txt", "{{intents.1.result.stdout}}")
    plan = proposed([run("python -c 'print(\"from the first\")'"), copied])
    shadow.one()
    with store().open(_only(plan).after, b"copy.txt") as file:
        assert file.read() == b"from the first\n"


def test_a_plan_that_was_decided_before_is_not_tried(proposed: Callable[..., IntentPlan], reviewer: User) -> None:
    plan = proposed([write("a")])
    decisions.reject(plan, by=reviewer, digest=plan.digest, reason="no")
    cycle.sweep()
    assert _only(plan).state == ShadowState.STOPPED


def test_a_decision_ends_a_running_shadow_run(
    proposed: Callable[..., IntentPlan], reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = proposed([run("python -c 'import time; time.sleep(60)'")])
    begun = open_desk_in

    def decide_when_it_runs(*args: Any, **more: Any) -> Any:
        decisions.reject(plan, by=reviewer, digest=plan.digest, reason="no")
        return begun(*args, **more)

    monkeypatch.setattr(shadow, "open_desk_in", decide_when_it_runs)
    shadow.one()
    tried = _only(plan)
    assert tried.state == ShadowState.STOPPED
    assert tried.finished_at is not None
    assert tried.started_at is not None
    assert tried.finished_at - tried.started_at < timedelta(seconds=45), "the program would have run for a minute"


def test_only_one_worker_has_a_run_and_a_late_one_records_nothing(proposed: Callable[..., IntentPlan]) -> None:
    plan = proposed([write("a")])
    first = shadowing.claim()
    assert first is not None
    assert shadowing.claim() is None
    ShadowRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    second = shadowing.claim()
    assert second is not None
    assert second.lease_fence == 2
    assert leased.renew(first) is False
    with pytest.raises(MoveRefused):
        shadow.turn(first)
    assert _only(plan).state == ShadowState.RUNNING
    shadow.turn(second)
    assert _only(plan).state == ShadowState.DONE


def test_a_plan_that_costs_workers_is_not_tried_for_ever(proposed: Callable[..., IntentPlan]) -> None:
    plan = proposed([write("a")])
    ShadowRun.objects.update(lease_fence=ShadowRun.lost_most)
    shadow.one()
    tried = _only(plan)
    assert tried.state == ShadowState.IMPOSSIBLE
    assert "workers" in tried.reason


def test_without_a_jail_of_l3_nothing_is_tried(
    proposed: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.SANDBOX_MIN = "L2"
    plan = proposed([write("a")])

    def refuse(*_: Any, minimum: str = "", **__: Any) -> Any:
        assert minimum == "L3"
        raise SandboxUnavailable("no jail of level L3 here")

    monkeypatch.setattr("agents.execution.workplace.open_session", refuse)
    shadow.one()
    tried = _only(plan)
    assert (tried.state, tried.reason) == (ShadowState.IMPOSSIBLE, "no jail of level L3 here")


def test_a_shadow_run_never_takes_the_last_worker(proposed: Callable[..., IntentPlan], settings: Any) -> None:
    settings.SHADOW_RUNS_MAX = 1
    proposed([write("a")])
    proposed([write("b")])
    assert shadowing.claim() is not None
    assert shadowing.claim() is None
    settings.SHADOW_RUNS_MAX = 2
    assert shadowing.claim() is not None


def test_asking_twice_makes_one_run(proposed: Callable[..., IntentPlan]) -> None:
    plan = proposed([write("a")])
    assert shadowing.ask(plan) is None
    shadow.one()
    assert shadowing.ask(plan) is not None
    assert plan.shadow_runs.count() == 2
