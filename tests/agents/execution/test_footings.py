"""An approval holds while what its plan stands on is as it was; a change elsewhere in the workspace is none of it."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.execution import shadow
from agents.models import Attempt, Goal, IntentPlan, Workspace
from agents.plans import footings, shadowing
from agents.states import PlanState
from agents.workspaces import workspaces
from agents.workspaces.stores import store
from people.models import User
from review.deciding import decisions
from tests.agents.execution.conftest import run, write

Approved = Callable[..., IntentPlan]
JOB = "import helper; open('out.txt', 'w').write(open('data.txt').read())"
FILES = {"app/job.py": JOB, "app/helper.py": "", "app/data.txt": "1", "other/a.txt": "a"}
READS = {"tool": "simple_coder", "command": "read", "params": {"path": "note0.txt"}}


@pytest.fixture
def workspace(transactional_db: None, owner: User) -> Workspace:
    """A workspace with these files."""
    made = workspaces.create(by=owner, name="shared")
    for path, content in FILES.items():
        workspaces.put_file(made, by=owner, path=path, source=io.BytesIO(content.encode()))
    return Workspace.objects.get(pk=made.pk)


def put(workspace: Workspace, by: User, path: str, content: str = "new") -> None:
    workspaces.put_file(Workspace.objects.get(pk=workspace.pk), by=by, path=path, source=io.BytesIO(content.encode()))


def state_of(plan: IntentPlan) -> str:
    return IntentPlan.objects.get(pk=plan.pk).state


def tried(plan: IntentPlan) -> IntentPlan:
    """The plan after its dry run."""
    shadowing.ask(plan)
    while shadow.one():
        pass
    return IntentPlan.objects.select_related("workspace").get(pk=plan.pk)


@pytest.mark.parametrize("is_tried", [True, False])
def test_ten_goals_of_one_workspace_run_after_ten_approvals(
    is_tried: bool, workspace: Workspace, reviewer: User, proposed_by_hand: Any
) -> None:
    plans = [proposed_by_hand([write(f"note{number}.txt")], workspace=workspace) for number in range(10)]
    for plan in plans:
        if is_tried:
            tried(plan)
    for plan in plans:
        decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    for plan in plans:
        cycle.work(plan.goal_id)
    assert {state_of(plan) for plan in plans} == {PlanState.COMPLETE.value}
    assert Goal.objects.filter(intent_plans__revision__gt=1).count() == 0
    held = {entry.path for entry in store().entries(Workspace.objects.get(pk=workspace.pk).head)}
    assert {f"note{number}.txt".encode() for number in range(10)} <= held


def test_of_two_that_touch_one_file_the_second_is_shown_anew_with_the_difference(
    workspace: Workspace, approved: Approved
) -> None:
    first = approved([write("other/a.txt", "first")], workspace=workspace)
    second = approved([write("other/a.txt", "second")], workspace=workspace)
    for plan in (first, second):
        cycle.work(plan.goal_id)
    assert (state_of(first), state_of(second)) == (PlanState.COMPLETE.value, PlanState.SUPERSEDED.value)
    revision = second.goal.intent_plans.get(revision=2)
    assert revision.state == PlanState.AWAITING_REVIEW
    assert revision.plan.evidence["delta"]["why"] == "other/a.txt changed since it was tried"
    assert not Attempt.objects.filter(intent__intent_plan__goal=second.goal).exists()


def test_what_only_reads_is_never_voided(workspace: Workspace, owner: User, approved: Approved) -> None:
    put(workspace, owner, "note0.txt", "old")
    plan = approved([READS], workspace=Workspace.objects.get(pk=workspace.pk))
    put(workspace, owner, "note0.txt", "new")
    cycle.work(plan.goal_id)
    assert state_of(plan) == PlanState.COMPLETE


@pytest.mark.parametrize(
    ("path", "stands"),
    [("other/a.txt", True), ("other/new.txt", True), ("app/data.txt", False), ("app/helper.py", False)],
)
def test_of_a_program_counts_what_its_dry_run_opened(
    path: str, stands: bool, workspace: Workspace, owner: User, reviewer: User, make_goal: Any, proposed_by_hand: Any
) -> None:
    cd = {"tool": "simple_coder", "command": "cd", "params": {"path": "app"}}
    plan = tried(proposed_by_hand([cd, run("python job.py")], workspace=workspace))
    trial = shadowing.latest(plan)
    assert trial is not None
    findings = trial.findings
    assert set(findings[1]["reads"]) >= {"app/job.py", "app/helper.py", "app/data.txt"}
    assert "other/a.txt" not in findings[1]["reads"]
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    put(workspace, owner, path)
    cycle.work(plan.goal_id)
    assert (state_of(plan) == PlanState.COMPLETE) is stands


def test_a_program_without_a_dry_run_stands_on_everything(
    workspace: Workspace, owner: User, approved: Approved
) -> None:
    plan = approved([run("python app/job.py")], workspace=workspace)
    put(workspace, owner, "other/new.txt")
    cycle.work(plan.goal_id)
    assert state_of(plan) == PlanState.SUPERSEDED


def test_a_workspace_that_moves_while_it_is_compared_is_compared_again(
    workspace: Workspace, owner: User, approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([write("note.txt")], workspace=workspace)
    put(workspace, owner, "other/a.txt")
    real = footings.differing
    moved: list[str] = []

    def moves_meanwhile(*asked: Any) -> tuple[str, ...]:
        found = real(*asked)
        if len(moved) < 2:
            moved.append(f"other/{len(moved)}.txt")
            put(workspace, owner, moved[-1])
        return found

    monkeypatch.setattr(footings, "differing", moves_meanwhile)
    cycle.work(plan.goal_id)
    assert len(moved) == 2
    assert state_of(plan) == PlanState.COMPLETE


def test_a_set_that_grew_is_bound_anew(
    workspace: Workspace, owner: User, reviewer: User, make_goal: Callable[..., Goal]
) -> None:
    """The two steps that were approved would leave the third file as it is, and the goal would count as achieved."""
    call_command("load_starters", verbosity=0)
    for name in "ab":
        put(workspace, owner, f"docs/{name}.md", "colour")
    workspace = Workspace.objects.get(pk=workspace.pk)
    goal = make_goal(owner, "replace colour by color in all files in docs", workspace=workspace)
    cycle.one(goal.pk)
    while shadow.one():
        pass
    first = goal.intent_plans.get()
    assert first.intents.filter(phase="main").count() == 2
    decisions.approve(first, by=reviewer, digest=first.digest, via="api")
    put(workspace, owner, "docs/d.md", "colour")
    put(workspace, owner, "other/b.txt", "colour")
    cycle.work(goal.pk)
    assert state_of(first) == PlanState.SUPERSEDED
    assert IntentPlan.objects.get(pk=first.pk).reason == "made anew: docs/d.md changed since it was tried"
    second = goal.intent_plans.get(revision=2)
    assert second.state == PlanState.AWAITING_REVIEW
    assert second.intents.filter(phase="main").count() == 3
    decisions.approve(second, by=reviewer, digest=second.digest, via="api")
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert (goal.state, goal.outcome) == ("achieved", "achieved")
    with store().open(Workspace.objects.get(pk=workspace.pk).head, b"docs/d.md") as file:
        assert file.read() == b"color"


def test_a_set_that_files_have_left_is_another_one_too(
    workspace: Workspace, owner: User, make_goal: Callable[..., Goal]
) -> None:
    call_command("load_starters", verbosity=0)
    for name in "ab":
        put(workspace, owner, f"docs/{name}.md", "colour")
    workspace = Workspace.objects.get(pk=workspace.pk)
    goal = make_goal(owner, "replace colour by color in all files in docs", workspace=workspace)
    cycle.one(goal.pk)
    plan = goal.intent_plans.select_related("workspace", "plan").get()
    document = documents.read(bytes(plan.document))
    assert footings.differing(plan, document) == ()
    workspaces.remove_file(workspace, by=owner, path="docs/b.md")
    plan = goal.intent_plans.select_related("workspace", "plan").get()
    assert footings.differing(plan, document) == ("docs/b.md",)
