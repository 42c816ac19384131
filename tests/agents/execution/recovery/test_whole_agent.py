"""AGInt really run: it looks at the whole agent, revises what is believed, and each of its decisions is carried out."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from agents.bdi.recovery.agint import Machine
from agents.bdi.recovery.failures import TEXT_KEPT, Facts, FailureClass
from agents.bdi.recovery.strategies import AGINT, SIMPLER
from agents.cycle import cycle
from agents.models import Attempt, Belief, FailureRecord, Goal, IntentPlan
from agents.recovery import recovery_learning, whole_agent
from agents.states import GoalState, PlanState
from agents.workspaces import stores
from people.models import User
from review.deciding import decisions
from tests.agents.execution.conftest import run, write
from tests.agents.toolkit.answering import answering, ok
from tests.models.server import Provider

pytestmark = pytest.mark.django_db(transaction=True)
Approved = Callable[..., IntentPlan]
FAILS = run("python -c 'raise SystemExit(3)'")
# Load may be why it fails, and the words differ each time.
TOO_SLOW = run("python -c 'import os, sys; sys.exit(os.urandom(8).hex() + \": timed out after 9 s\")'")
DELAY_S, COOL_S = 60.0, 1_000.0


@pytest.fixture(autouse=True)
def _pinned(operator: User, transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"retry_delay_seconds": DELAY_S, "cool_down_seconds": COOL_S, "longest_delay_seconds": 5_000.0}
    for name, value in values.items():
        monkeypatch.setitem(recovery_learning._USUAL, name, value)
    pin(AGINT, operator)


def pin(way: Any, operator: User) -> None:
    recovery_learning.save_policy(
        FailureClass.TOOL_EXECUTION_ERROR, "simple_coder", pinned=str(way), banned=[], by=operator
    )


def machine(monkeypatch: pytest.MonkeyPatch, **percent: float) -> None:
    monkeypatch.setattr(whole_agent, "machine_now", lambda: Machine(**{"cpu": 10.0, "memory": 30.0, **percent}))


def failed(plan: IntentPlan, work: Callable[[int | None], object] = cycle.work) -> tuple[Goal, FailureRecord]:
    """The goal after its plan was worked, and its newest failure."""
    work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    kept = goal.failures.order_by("pk").last()
    assert kept is not None
    return goal, kept


def decided(kept: FailureRecord) -> str:
    assert kept.cell_strategy == str(AGINT)
    return str(kept.weighed["agint"]["decision"])


def waits_s(goal: Goal) -> float:
    assert (goal.state, goal.wake_at is not None) == (GoalState.RECOVERING, True)
    return (goal.wake_at - timezone.now()).total_seconds() if goal.wake_at else 0.0


def held(goal: Goal) -> set[str]:
    return set(goal.beliefs.filter(about__startswith="agint:", retracted_by="").values_list("about", flat=True))


def test_it_delegates_again_where_nothing_speaks_against_another_try(approved: Approved) -> None:
    goal, kept = failed(approved([FAILS, write("b.txt")]))
    assert decided(kept) == "delegate"
    assert DELAY_S - 50 < waits_s(goal) <= DELAY_S * 1.25


def test_it_cools_down_under_pressure_and_believes_it_until_it_looked_again(
    approved: Approved, make_workspace: Any, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(monkeypatch, cpu=99.0)
    goal, kept = failed(approved([TOO_SLOW, write("b.txt")], workspace=make_workspace(owner)))
    assert decided(kept) == "cool_down"
    assert waits_s(goal) > COOL_S - 60
    assert held(goal) == {"agint:machine:processors"}
    machine(monkeypatch)
    other, _ = failed(approved([FAILS, write("b.txt")], workspace=make_workspace(owner)))
    assert held(goal) == set(), "it looked at the agent, not at one goal"
    assert Belief.objects.get(about="agint:machine:processors").retracted_by == "AGInt looked again"
    assert "agint:class:TOOL_EXECUTION_ERROR:simple_coder" in held(other)


def test_what_it_did_not_measure_stays_believed(
    approved: Approved, make_workspace: Any, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(monkeypatch, memory=99.0)
    goal, _ = failed(approved([FAILS, write("b.txt")], workspace=make_workspace(owner)))
    monkeypatch.setattr(whole_agent, "machine_now", lambda: Machine(10.0, None, None))
    failed(approved([FAILS, write("b.txt")], workspace=make_workspace(owner)))
    assert held(goal) == {"agint:machine:memory"}


# The same line in every workspace; it fails where there is no file of this name.
_ASKS = run("python -c \"import os; raise SystemExit(0 if os.path.exists('well.txt') else 3)\"")


def test_a_program_that_failed_for_several_goals_is_believed_to_fail_until_it_works(
    approved: Approved, make_workspace: Any, owner: User
) -> None:
    def about(goal: Goal) -> Belief:
        return goal.beliefs.get(about__startswith="agint:line:", retracted_by="")

    for _ in range(4):
        failing, kept = failed(approved([_ASKS, write("b.txt")], workspace=make_workspace(owner)))
    failing, kept = failed(approved([_ASKS, write("b.txt")], workspace=make_workspace(owner)))
    assert decided(kept) == "cool_down"
    assert "failed 4 of its last 4 tries" in kept.why
    assert about(failing).sentence.endswith("failed 4 of its last 4 tries.")
    plan = approved([write("well.txt"), *[_ASKS] * 12], workspace=make_workspace(owner))
    cycle.work(plan.goal_id)
    again, kept = failed(approved([_ASKS, write("b.txt")], workspace=make_workspace(owner)))
    assert decided(kept) == "delegate"
    assert about(again).sentence.endswith("failed 5 of its last 17 tries.")
    assert not failing.beliefs.filter(about=about(again).about, retracted_by="").exists()


def test_five_programs_that_failed_say_nothing_of_a_sixth(approved: Approved, make_workspace: Any, owner: User) -> None:
    for number in range(5):
        # Each fails in words that do not rule out another try.
        other = run(f"python -c 'import sys; sys.exit({number} + 3)'")
        failed(approved([other, write("b.txt")], workspace=make_workspace(owner)))
    goal, kept = failed(approved([FAILS, write("b.txt")], workspace=make_workspace(owner)))
    assert decided(kept) == "delegate"
    assert waits_s(goal) <= DELAY_S * 1.25
    assert not goal.beliefs.filter(about__startswith="agint:line:").exists(), "nothing was counted"


def test_what_failed_an_hour_ago_says_nothing_of_now(approved: Approved, make_workspace: Any, owner: User) -> None:
    for _ in range(5):
        failed(approved([FAILS, write("b.txt")], workspace=make_workspace(owner)))
    Attempt.objects.update(started=timezone.now() - timedelta(hours=1))
    _, kept = failed(approved([FAILS, write("b.txt")], workspace=make_workspace(owner)))
    assert decided(kept) == "delegate"


def test_a_script_of_the_same_name_in_another_workspace_is_another_program(
    approved: Approved, make_workspace: Any, owner: User
) -> None:
    for _ in range(5):
        script = {"tool": "simple_coder", "command": "write", "params": {"path": "main.py", "content": "exit(3)"}}
        _, kept = failed(approved([script, run("python main.py"), write("b.txt")], workspace=make_workspace(owner)))
    assert decided(kept) == "delegate"


def test_it_repairs_a_full_disk_by_what_belongs_to_nobody(
    approved: Approved,
    monkeypatch: pytest.MonkeyPatch,
    owner: User,
    make_goal: Callable[..., Goal],
    request: pytest.FixtureRequest,
) -> None:
    leased = make_goal(owner)
    Goal.objects.filter(pk=leased.pk).update(lease_until=timezone.now() + timedelta(hours=1))
    stale, fresh, worked_on = (stores.checkouts() / name for name in ("999999-1", "999998-1", f"{leased.pk}-1"))
    for folder in (stale, fresh, worked_on):
        folder.mkdir(exist_ok=True)
        request.addfinalizer(partial(shutil.rmtree, folder, ignore_errors=True))
    old = timezone.now().timestamp() - 8 * 3600
    for folder in (stale, worked_on):
        os.utime(folder, (old, old))
    machine(monkeypatch, disk=99.0)
    goal, kept = failed(approved([FAILS, write("b.txt")]))
    assert decided(kept) == "self_repair"
    assert (stale.exists(), fresh.exists(), worked_on.exists()) == (False, True, True)
    assert goal.log_lines.filter(text="removed 1 checkouts that belonged to nobody").exists()
    assert waits_s(goal) > 0, "and has it tried again"


def test_it_ends_a_cool_down_of_a_tool_that_works_again_on_the_same_host(
    approved: Approved, make_workspace: Any, owner: User, make_goal: Callable[..., Goal]
) -> None:
    waiting = make_goal(owner)
    until = timezone.now() + timedelta(seconds=900)
    Goal.objects.filter(pk=waiting.pk).update(state="recovering", wake_at=until)
    with answering() as server:
        server.answers["/well"] = ok(b"well")
        facts = Facts(tool="simple_coder", approved=(server.entry,))
        FailureRecord.objects.create(
            goal=waiting, stage="execution", tool="simple_coder", command="run", reason="x", cools_until=until,
            strategy="retry_with_delay", variant="cool_down", facts=facts.to_json(),
            classified_as="TOOL_EXECUTION_ERROR", failure_class="TOOL_EXECUTION_ERROR",
        )  # fmt: skip
        ask = run(f"python -c \"import urllib.request as u; u.urlopen('{server.address}/well')\"")
        ask["params"]["hosts"] = [server.entry]
        plan = approved([ask, FAILS, write("b.txt")], workspace=make_workspace(owner))
        # One turn: the goal that goes on has no plan here, so a worker would take it up again and again.
        goal, kept = failed(plan, cycle.one)
    assert decided(kept) == "self_repair"
    said = "ended the cool-down of simple_coder, which works again; 1 other goals go on"
    assert goal.log_lines.filter(text=said).exists()
    assert Goal.objects.get(pk=waiting.pk).wake_at is None


def test_after_two_looks_at_a_goal_the_next_way_is_taken(approved: Approved) -> None:
    plan = approved([TOO_SLOW, write("b.txt")])
    for _ in range(2):
        failed(plan)
        Goal.objects.filter(pk=plan.goal_id).update(wake_at=None)
    _, kept = failed(plan)
    assert "AGInt has already examined it" in kept.why
    assert kept.strategy != AGINT.strategy


# --- with a model ---------------------------------------------------------------------------------------------------
def plan_of(*steps: dict[str, Any]) -> str:
    return json.dumps({"steps": [{**step, "why": "It is wanted."} for step in steps]})


@pytest.mark.parametrize(("way", "told"), [(AGINT, "research"), (SIMPLER, "")])
def test_a_model_plans_the_goal_anew_and_is_told_what_failed(
    way: Any, told: str, provider: Provider, approved: Approved, operator: User, reviewer: User, file_of: Any
) -> None:
    pin(way, operator)
    provider.will_say(plan_of(write("other.txt")))
    plan = approved([write("a.txt"), FAILS], text="Keep the harbour ledger as you think best")
    goal, kept = failed(plan)
    assert (goal.state, len(provider.asked)) == (GoalState.AWAITING_REVIEW, 1)
    asked = json.dumps(provider.asked[0])
    assert "The step simple_coder.run failed before: exit code 3" in asked
    assert ("fewer or smaller steps" in asked) is (way == SIMPLER)
    assert (kept.weighed.get("agint") or {}).get("decision", "") == told
    plan.refresh_from_db()
    assert (plan.state, plan.reason.partition(":")[0]) == (PlanState.SUPERSEDED, "planned_anew")
    assert list(plan.intents.order_by("position").values_list("state", flat=True)) == ["succeeded", "failed"]
    recovery_learning.settle()
    kept.refresh_from_db()
    assert kept.succeeded is None, "a plan is no success yet"
    revision = IntentPlan.objects.get(goal=goal, state=PlanState.AWAITING_REVIEW)
    assert Attempt.objects.filter(intent__intent_plan=revision).count() == 0
    decisions.approve(revision, by=reviewer, digest=revision.digest)
    cycle.work(goal.pk)
    recovery_learning.settle()
    kept.refresh_from_db()
    assert (Goal.objects.get(pk=goal.pk).state, kept.succeeded) == (GoalState.ACHIEVED, True)
    assert (file_of(revision, "a.txt"), file_of(revision, "other.txt")) == (b"x", b"x")


def test_the_model_that_plans_anew_reads_the_end_of_both_streams(provider: Provider, approved: Approved) -> None:
    """It says why only at the end of what went before: the reason alone is one line."""
    code = "import sys; print('x' * 9000 + 'the last of stdout'); sys.exit('y' * 9000 + 'the last of stderr')"
    provider.will_say(plan_of(write("other.txt")))
    goal, _ = failed(approved([run(f'python -c "{code}"')], text="Keep the harbour ledger as you think best"))
    stdout, stderr = material(provider)["failed_step_wrote"]
    assert [*stdout, *stderr] == ["stdout", "stderr"]
    for text, end in ((stdout["stdout"], "the last of stdout\n"), (stderr["stderr"], "the last of stderr\n")):
        assert (len(text), text.endswith(end)) == (TEXT_KEPT, True)
    revision = goal.intent_plans.get(state=PlanState.AWAITING_REVIEW)
    assert revision.plan.evidence["prompt_has_tool_output"] is True, "so no policy approves it"


def material(provider: Provider) -> Any:
    return json.loads(provider.asked[-1]["messages"][1]["content"])


def test_the_step_that_failed_is_not_planned_again_as_it_was(provider: Provider, approved: Approved) -> None:
    provider.will_say(plan_of(FAILS))
    goal, _ = failed(approved([write("a.txt"), FAILS], text="Keep the harbour ledger as you think best"))
    assert (goal.state, goal.reason) == (GoalState.MANUAL, "failed_step_again")
    planning = goal.failures.get(stage="planning")
    assert (planning.failure_class, planning.strategy) == ("PLANNING_ERROR", "manual_fallback")


def test_a_goal_is_planned_anew_so_often_and_then_another_way_is_taken(
    provider: Provider, approved: Approved, reviewer: User
) -> None:
    provider.will_say(*(plan_of(run(f"python -c 'raise SystemExit({code})'")) for code in (4, 5, 6)))
    plan = approved([FAILS], text="Keep the harbour ledger as you think best")
    goal, _ = failed(plan)
    for _ in range(2):
        assert goal.state == GoalState.AWAITING_REVIEW
        revision = IntentPlan.objects.get(goal=goal, state=PlanState.AWAITING_REVIEW)
        decisions.approve(revision, by=reviewer, digest=revision.digest, tries=1)
        goal, kept = failed(revision)
    assert len(provider.asked) == 2
    assert "AGInt has already examined it" in kept.why or "planned again" in kept.why
