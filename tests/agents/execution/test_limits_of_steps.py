"""What a plan states of limits is what its steps get in the real jail, and a hit is told in words everywhere."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.execution import workplace as desks
from agents.models import Attempt, Goal, IntentPlan, ToolLimit
from agents.pages.goals.goal_page import GoalPage
from agents.recovery import recovery_learning
from agents.states import GoalState
from sandbox.contract import Limits, SessionState
from sandbox.sessions.session import Session, open_session
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)
MIB = 1 << 20
NOTE = {"tool": "note_taking", "command": "write_note", "params": {"name": "one", "text": "a line"}}
EATS = "python -c \"x = b'x' * (300 * 1024 * 1024); print(len(x))\""


@pytest.fixture(autouse=True)
def _one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 0.0)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Limits]:
    """The limits of every session that is opened; each is opened for real."""
    seen: list[Limits] = []

    def noted(root: Path, state: SessionState, limits: Limits, **more: Any) -> AbstractContextManager[Session]:
        seen.append(limits)
        return open_session(root, state, limits, **more)

    monkeypatch.setattr(desks, "open_session", noted)
    return seen


def _hit(plan: IntentPlan) -> tuple[str, str, str]:
    """The reason of the last try, the log and the timeline after the plan has stopped for a person."""
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert goal.state == GoalState.MANUAL, "the next try would reach the same limit"
    last = Attempt.objects.filter(intent__intent_plan=plan, outcome="failed").latest("pk")
    nodes = GoalPage(goal, goal.submitted_by).nodes
    timeline = "\n".join(line.detail for node in nodes for line in node.tries)
    return last.reason, "\n".join(goal.log_lines.values_list("text", flat=True)), timeline


def test_a_memory_limit_of_the_administration_holds_in_the_jail_and_is_told(
    approved: Callable[..., IntentPlan],
) -> None:
    ToolLimit.objects.create(tool="simple_coder", memory_bytes=64 * MIB)
    plan = approved([run(EATS)])
    reason, log, timeline = _hit(plan)
    assert reason == "reached its memory limit of 64 MiB"
    assert any(line.startswith("exit code") and line.endswith(f": {reason}") for line in log.splitlines())
    assert reason in timeline
    attempt = Attempt.objects.filter(intent__intent_plan=plan).latest("pk")
    assert (attempt.result or {})["limit"] == "memory"
    assert reason in Goal.objects.get(pk=plan.goal_id).reason


def test_without_a_limit_of_its_own_the_same_step_runs(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([run(EATS)])
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED


def test_a_time_limit_is_told_with_the_steps_own_time(approved: Callable[..., IntentPlan]) -> None:
    waits = run("python -c 'import time; time.sleep(60)'")
    waits["params"]["timeout_s"] = 1
    reason, log, _timeline = _hit(approved([waits]))
    assert reason == "reached its time limit of 1 s"
    assert reason in log


def test_the_usual_time_of_the_administration_is_that_of_a_step_that_names_none(
    approved: Callable[..., IntentPlan],
) -> None:
    ToolLimit.objects.create(soft_s=1, hard_s=2)
    reason, _log, _timeline = _hit(approved([run("python -c 'import time; time.sleep(60)'")]))
    assert reason == "reached its time limit of 1 s"


@pytest.mark.parametrize(
    ("limit", "program", "reason"),
    [
        ({"descriptors": 64}, "[open('/dev/null') for _ in range(64)]", ""),
        ({"output_file_bytes": 1 << 16}, "print('x' * 70_000)", "reached its output limit of 64 KiB"),
        (
            {"workspace_files": 100},
            "[open(f'f{number}', 'w') for number in range(101)]",
            "reached the workspace's limit of 1 GiB and 100 files",
        ),
    ],
)
def test_what_the_administration_sets_of_files_and_output_holds_in_the_jail(
    limit: dict[str, int], program: str, reason: str, approved: Callable[..., IntentPlan]
) -> None:
    ToolLimit.objects.create(**limit)
    plan = approved([run(f'python -c "{program}"')])
    found, _log, _timeline = _hit(plan)
    assert reason in found
    if not reason:
        attempt = Attempt.objects.filter(intent__intent_plan=plan).latest("pk")
        assert "Too many open files" in (attempt.result or {})["stderr"]


def test_a_workspace_that_grew_too_large_by_writing_is_refused_and_told(approved: Callable[..., IntentPlan]) -> None:
    ToolLimit.objects.create(workspace_bytes=MIB)
    reason, log, _timeline = _hit(approved([write("one.txt", "x" * 600_000), write("two.txt", "y" * 600_000)]))
    assert reason == "reached the workspace's limit of 1 MiB and 50,000 files"
    assert reason in log


def test_each_step_gets_its_own_ceilings_and_the_session_goes_on(
    approved: Callable[..., IntentPlan], file_of: Callable[..., bytes], opened: list[Limits]
) -> None:
    ToolLimit.objects.create(tool="note_taking", processes=50)
    enter = {"tool": "simple_coder", "command": "cd", "params": {"path": "inner"}}
    make = {"tool": "simple_coder", "command": "mkdir", "params": {"path": "inner"}}
    plan = approved([make, enter, NOTE, write("after.txt")])
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert [one.processes for one in opened] == [128, 50, 128]
    assert file_of(plan, "inner/notes/one.md") == b"a line\n"
    assert file_of(plan, "inner/after.txt") == b"x"


def test_steps_under_the_same_ceilings_share_one_jail(
    approved: Callable[..., IntentPlan], opened: list[Limits]
) -> None:
    cycle.work(approved([write("one.txt"), NOTE, write("two.txt")]).goal_id)
    assert opened == [Limits()]


def test_an_approved_plan_keeps_the_ceilings_that_were_approved(
    approved: Callable[..., IntentPlan], opened: list[Limits]
) -> None:
    plan = approved([write("one.txt")])
    ToolLimit.objects.create(processes=8)
    cycle.work(plan.goal_id)
    assert [one.processes for one in opened] == [128]


def test_a_ceiling_that_the_worker_does_not_know_makes_the_goal_wait(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch, opened: list[Limits]
) -> None:
    from agents.actors import limits

    real = limits.for_tools
    monkeypatch.setattr(
        limits,
        "for_tools",
        lambda goal, tools: {tool: {**one, "sockets": 3} for tool, one in real(goal, tools).items()},
    )
    plan = approved([write("one.txt")])
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert goal.state == GoalState.RECOVERING
    assert "sockets" in goal.reason
    assert goal.wake_at is not None
    assert goal.wake_at > timezone.now()
    assert opened == []
    assert documents.read(bytes(plan.document)).at(1).limits["sockets"] == 3
