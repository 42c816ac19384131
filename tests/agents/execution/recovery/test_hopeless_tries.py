"""What would fail in the same way again goes to a person at once; of a missing file it is asked which one is meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.hands import hand_items
from agents.models import Attempt, FailureRecord, Goal, HandItem, IntentPlan, RecoveryStatistic
from agents.recovery import recovery_learning
from agents.states import GoalState, PlanState
from agents.workspaces import base_files
from people.models import User
from review.deciding import decisions
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)
Approved = Callable[..., IntentPlan]
ClientOf = Callable[[User], Client]
SYNTAX = [write("bad.py", "def f(:\n    pass\n"), run("python bad.py")]
# Which file is meant is asked about the second step: the first one makes a file whose name is close.
MOVES = [
    write("mising.txt"),
    {"tool": "simple_coder", "command": "mv", "params": {"path": "missing.txt", "to": "moved.txt"}},
    write("after.txt"),
]


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 0.0)


def worked(plan: IntentPlan) -> Goal:
    cycle.work(plan.goal_id)
    return Goal.objects.get(pk=plan.goal_id)


def tries(plan: IntentPlan, position: int) -> int:
    return Attempt.objects.filter(intent__intent_plan__goal=plan.goal_id, intent__position=position).count()


def chosen(plan: IntentPlan) -> list[str]:
    rows = FailureRecord.objects.filter(goal=plan.goal_id).order_by("pk")
    return [row.cell_strategy for row in rows]


def test_a_script_that_cannot_be_read_is_tried_once_and_a_person_is_asked(approved: Approved) -> None:
    plan = approved(SYNTAX)
    goal = worked(plan)
    assert (goal.state, tries(plan, 2), chosen(plan)) == (GoalState.MANUAL, 1, ["manual_fallback"])
    assert goal.reason.startswith("needs_a_hand: step 2 failed, exit code 1: SyntaxError")
    closed = HandItem.objects.get(goal=goal).failure.weighed["closed"]
    assert closed["retry_with_delay"] == "the program cannot be read or loaded, and another try runs the same one"


def test_what_fails_twice_in_the_same_words_is_not_tried_a_third_time(approved: Approved) -> None:
    plan = approved([run("python -c 'import sys; sys.exit(\"it is locked\")'")])
    assert worked(plan).state == GoalState.MANUAL
    assert (tries(plan, 1), chosen(plan)) == (2, ["retry_with_delay", "manual_fallback"])
    other = approved([run("python -c 'import os, sys; sys.exit(os.urandom(8).hex())'")])
    assert worked(other).state == GoalState.FAILED
    assert (tries(other, 1), chosen(other)[-1]) == (3, "graceful_abort")


def test_what_was_approved_for_a_failure_needs_nobodys_word(approved: Approved, file_of: Any) -> None:
    plan = approved(SYNTAX, [write("cleaned.txt")])
    assert worked(plan).state == GoalState.FAILED
    assert (tries(plan, 2), chosen(plan)) == (1, ["graceful_abort"])
    assert file_of(plan, "cleaned.txt") == b"x"


def test_what_was_declared_for_the_step_comes_at_once(approved: Approved) -> None:
    plan = approved([SYNTAX[0], {**SYNTAX[1], "alternatives": [write("instead.txt")]}])
    assert worked(plan).state == GoalState.AWAITING_REVIEW, "it was not granted, so a person is asked"
    assert (tries(plan, 2), chosen(plan)) == (1, ["alternative_tool"])


def test_only_what_was_done_is_counted(approved: Approved, reviewer: User) -> None:
    plan = approved(SYNTAX)
    worked(plan)
    hand_items.abort(HandItem.objects.get(goal=plan.goal_id), by=reviewer)
    worked(plan)
    recovery_learning.settle()
    counted = dict(RecoveryStatistic.objects.values_list("strategy", "cases"))
    assert counted == {"manual_fallback": 1}, "nothing was tried again, so nothing failed by being tried again"


@pytest.fixture
def asked(approved: Approved) -> HandItem:
    """A file that is not there was to be moved, and a person is asked which one is meant."""
    return HandItem.objects.get(goal=worked(approved(MOVES)))


def test_moving_a_file_that_is_not_there_asks_which_one_is_meant(
    asked: HandItem, owner: User, reviewer: User, client_of: ClientOf
) -> None:
    goal = Goal.objects.get(pk=asked.goal_id)
    question = "There is no file or folder “missing.txt” for step 2. Which one is meant?"
    assert (goal.state, goal.reason) == (GoalState.MANUAL, f"needs_a_hand: {question}")
    assert f"{question} Choose one" in client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    address = f"/goals/{goal.pk}/hand"
    page = client_of(owner).get(address).content.decode()
    assert question in page
    assert "mising.txt" in page
    assert client_of(owner).post(address, {"answer": "meant", "choice": "1.1"}).status_code == 302
    revision = IntentPlan.objects.get(goal=goal, state=PlanState.AWAITING_REVIEW)
    first, second = documents.read(bytes(revision.document)).intents
    assert (dict(first.params)["path"], second.command) == ("mising.txt", "write")
    decisions.approve(revision, by=reviewer, digest=revision.digest)
    assert worked(revision).state == GoalState.ACHIEVED
    revision.workspace.refresh_from_db()
    paths = {entry.path for entry in base_files.entries_of(revision.workspace.head)}
    assert {"moved.txt", "after.txt"} <= paths
    assert "mising.txt" not in paths


@pytest.mark.parametrize("choice", ["", "0.1", "1.2", "2.1", "../x"])
def test_what_is_not_offered_is_no_answer(asked: HandItem, owner: User, client_of: ClientOf, choice: str) -> None:
    answer = client_of(owner).post(f"/goals/{asked.goal_id}/hand", {"answer": "meant", "choice": choice})
    assert answer.status_code == 409
    assert Goal.objects.get(pk=asked.goal_id).state == GoalState.MANUAL


def test_whoever_may_not_see_the_goal_answers_nothing(asked: HandItem, outsider: User, client_of: ClientOf) -> None:
    answer = client_of(outsider).post(f"/goals/{asked.goal_id}/hand", {"answer": "meant", "choice": "1.1"})
    assert answer.status_code == 404
    asked.refresh_from_db()
    assert asked.answered_at is None


def test_the_question_is_about_the_files_as_they_are_now_and_of_no_other_failure(
    asked: HandItem, approved: Approved
) -> None:
    assert [one.parameter for one in hand_items.questions(asked)] == ["path"]
    other = HandItem.objects.get(goal=worked(approved(SYNTAX)))
    assert hand_items.questions(other) == ()


def test_the_api_shows_the_question_and_takes_the_fix(
    asked: HandItem, owner: User, outsider: User, api_of: Callable[..., Any]
) -> None:
    address = f"goals/{asked.goal_id}/hand"
    (question,) = api_of(owner).get(address).json()["questions"]
    assert (question["parameter"], [one["value"] for one in question["choices"]]) == ("path", ["mising.txt"])
    assert api_of(outsider).get(address).status_code == 404
    fix = {"action": "fix", "params": {question["parameter"]: question["choices"][0]["value"]}}
    assert api_of(owner).post(address, fix).json()["state"] == "awaiting_review"
