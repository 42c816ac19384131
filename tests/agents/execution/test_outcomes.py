"""What came of a goal is what its plan's checks show when it has run, in the real jail."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from agents.bdi.outcome import outcome
from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.execution import shadow
from agents.models import Goal, IntentPlan, ShadowRun, Workspace
from agents.plans import outcome_evaluation
from agents.states import GoalState
from agents.workspaces import workspaces
from library.models import Experience
from people.models import User
from review.deciding import decisions
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)
Approved = Callable[..., IntentPlan]
BROKEN = b"def add(a, b:\n    return a + b\n\n\nprint(add(1, 2))\n"
MENDED = BROKEN.decode().replace("b:", "b):")
READ = {"tool": "simple_coder", "command": "read", "params": {"path": "fix_me.py"}}
REMOVING = {"tool": "simple_coder", "command": "toggle_autonomous_mode", "params": {"on": True}}
FIX = "The script fix_me.py fails, find out why and fix it"


@pytest.fixture
def files(owner: User, make_workspace: Callable[..., Workspace]) -> Callable[..., Workspace]:
    """`files({"a.py": b"…"})`: a workspace of the owner's with these files."""

    def made(contents: Mapping[str, bytes]) -> Workspace:
        workspace = make_workspace(owner)
        for path, content in contents.items():
            workspaces.put_file(workspace, by=owner, path=path, source=io.BytesIO(content))
        return Workspace.objects.get(pk=workspace.pk)

    return made


def ended(plan: IntentPlan) -> Goal:
    cycle.work(plan.goal_id)
    return Goal.objects.get(pk=plan.goal_id)


def results(plan: IntentPlan) -> dict[str, bool | None]:
    rows = IntentPlan.objects.values_list("check_results", flat=True).get(pk=plan.pk) or []
    return {one["kind"]: one["holds"] for one in rows}


def log(goal: Goal) -> str:
    return "\n".join(goal.log_lines.values_list("text", flat=True))


def planned(owner: User, reviewer: User, make_goal: Callable[..., Goal], **goal: Any) -> IntentPlan:
    """As mindX itself plans it; approved."""
    of = make_goal(owner, **goal)
    cycle.work(of.pk)
    plan = IntentPlan.objects.get(goal=of)
    return decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")


def test_a_fix_that_was_planned_as_a_search_changed_nothing(
    approved: Approved, files: Callable[..., Workspace]
) -> None:
    search = {"tool": "simple_coder", "command": "grep", "params": {"text": "out why"}}
    goal = ended(approved([search], text=FIX, workspace=files({"fix_me.py": BROKEN})))
    assert (goal.state, goal.outcome) == (GoalState.ACHIEVED, "nothing_changed")
    assert "ran, but nothing changed" in log(goal)
    assert f"goal {goal.pk} achieved" not in log(goal)
    assert Experience.objects.get(goal_ref=goal.pk).final_outcome == "failure"


def test_safe_fixes_that_cannot_mend_a_syntax_error_changed_nothing(
    owner: User, reviewer: User, make_goal: Callable[..., Goal], files: Callable[..., Workspace]
) -> None:
    plan = planned(owner, reviewer, make_goal, text="fix fix_me.py", workspace=files({"fix_me.py": BROKEN}))
    goal = ended(plan)
    assert goal.outcome == "nothing_changed"
    assert results(plan) == {"changed": False, "parses": False}
    assert "line 1" in goal.reason


def test_an_edit_that_mends_the_syntax_error_is_achieved(approved: Approved, files: Callable[..., Workspace]) -> None:
    plan = approved([write("fix_me.py", MENDED)], text=FIX, workspace=files({"fix_me.py": BROKEN}))
    goal = ended(plan)
    assert (goal.outcome, goal.reason) == ("achieved", "")
    assert results(plan) == {"changed": True, "exists": True, "parses": True}
    assert Experience.objects.get(goal_ref=goal.pk).final_outcome == "success"


def test_an_edit_that_leaves_the_file_broken_fails_its_check(
    approved: Approved, files: Callable[..., Workspace]
) -> None:
    plan = approved([write("fix_me.py", "def add(:\n")], text=FIX, workspace=files({"fix_me.py": BROKEN}))
    goal = ended(plan)
    assert goal.outcome == "check_failed"
    assert results(plan)["parses"] is False
    assert goal.reason == "fix_me.py cannot be read as Python: line 1: invalid syntax"
    assert Experience.objects.get(goal_ref=goal.pk).final_outcome == "failure"


def test_what_programs_leave_in_their_caches_is_no_change(approved: Approved, files: Callable[..., Workspace]) -> None:
    workspace = files({"calc.py": b"x = 1\n", "main.py": b"import calc\nprint(calc.x)\n"})
    plan = approved([run("python main.py")], text="fix calc.py", workspace=workspace)
    goal = ended(plan)
    assert Workspace.objects.get(pk=workspace.pk).head != workspace.head, "__pycache__ is there"
    assert goal.outcome == "nothing_changed"


def test_a_file_that_was_asked_for_and_is_there_is_achieved(approved: Approved) -> None:
    assert ended(approved([write("hello.txt", "hi")], text="create hello.txt")).outcome == "achieved"


def test_a_file_that_a_later_program_took_away_is_missed(approved: Approved, files: Callable[..., Workspace]) -> None:
    program = b"import os\nos.remove('a.txt')\n"
    steps = [write("a.txt"), REMOVING, run("python tidy.py")]
    plan = approved(steps, text="create a.txt", workspace=files({"tidy.py": program}))
    goal = ended(plan)
    assert (goal.outcome, goal.reason) == ("check_failed", "a.txt does not exist")
    assert results(plan)["exists"] is False


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        (b"import unittest\n", "check_failed"),
        (b"import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n", "achieved"),
    ],
)
def test_running_tests_needs_one_that_ran(
    approved: Approved, files: Callable[..., Workspace], content: bytes, outcome: str
) -> None:
    steps = [run("python -m unittest discover")]
    plan = approved(steps, text="run the tests", workspace=files({"test_a.py": content}))
    goal = ended(plan)
    assert goal.outcome == outcome
    if outcome == "check_failed":
        assert "no test ran" in goal.reason
        assert "ran, but no test ran" in log(goal)


def test_a_goal_that_asks_for_an_answer_needs_no_change(approved: Approved, files: Callable[..., Workspace]) -> None:
    plan = approved([READ], text="read fix_me.py", workspace=files({"fix_me.py": BROKEN}))
    assert ended(plan).outcome == "achieved"
    assert results(plan) == {"answered": True}


def test_a_program_of_which_nobody_says_what_it_is_for_is_not_checked(approved: Approved) -> None:
    goal = ended(approved([run("python -c 1")], text="make the data nice"))
    assert (goal.outcome, goal.reason) == ("not_checked", "")
    assert "ran, not checked" in log(goal)
    assert Experience.objects.get(goal_ref=goal.pk).final_outcome == "unchecked"


MAKES = "import json\njson.dump([1], open('report.json', 'w'))\n"


@pytest.mark.parametrize("is_sealed", [True, False])
def test_a_file_that_the_goal_names_and_the_dry_run_made_is_checked(
    is_sealed: bool,
    owner: User,
    reviewer: User,
    make_goal: Callable[..., Goal],
    propose_plan: Callable[..., IntentPlan],
    files: Callable[..., Workspace],
    client_of: Callable[[User], Client],
) -> None:
    workspace = files({"make.py": MAKES.encode()})
    goal = make_goal(owner, "get the data of the harbour as report.json", workspace=workspace)
    plan = propose_plan(goal, [run("python make.py")])
    while shadow.one():
        pass
    if not is_sealed:
        ShadowRun.objects.filter(intent_plan=plan).update(findings=[])
    page = client_of(reviewer).get(plan.get_absolute_url()).content.decode()
    assert ("report.json can be read as JSON" in page) == is_sealed, "shown before it is approved"
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    goal = ended(plan)
    assert goal.outcome == ("achieved" if is_sealed else "not_checked")
    assert results(plan) == ({"exists": True, "parses": True, "exit_zero": True} if is_sealed else {"unknown": None})
    kept = Experience.objects.get(goal_ref=goal.pk).final_outcome
    assert kept == ("success" if is_sealed else "unchecked")


def test_a_claim_that_saw_no_step_run_knows_where_the_plan_began_and_what_its_steps_answered(
    approved: Approved, files: Callable[..., Workspace]
) -> None:
    """As after a worker that died, or a last step that a person did."""
    steps = [write("fix_me.py", MENDED), run("python fix_me.py")]
    plan = approved(steps, text="fix fix_me.py", workspace=files({"fix_me.py": BROKEN}))
    assert ended(plan).outcome == "achieved"
    plan = IntentPlan.objects.select_related("workspace").get(pk=plan.pk)
    document = documents.read(bytes(plan.document))
    verdict = outcome_evaluation.Observed(plan, document).verdict(plan.workspace.head)
    assert [(one.check.kind.value, one.holds) for one in verdict.results] == [
        ("changed", True),
        ("exists", True),
        ("exit_zero", True),
        ("parses", True),
    ]


def test_what_cannot_be_checked_does_not_keep_a_plan_from_its_end(
    approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*given: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(outcome, "evaluate", breaks)
    goal = ended(approved([write("hello.txt")], text="create hello.txt"))
    assert (goal.state, goal.outcome) == (GoalState.ACHIEVED, "not_checked")


def test_the_database_takes_an_outcome_of_achieved_goals_only(approved: Approved) -> None:
    plan = approved([write("a.txt")])
    for state, came in (("awaiting_review", "achieved"), ("achieved", "splendid")):
        with pytest.raises(IntegrityError), transaction.atomic():
            Goal.objects.filter(pk=plan.goal_id).update(state=state, outcome=came)
