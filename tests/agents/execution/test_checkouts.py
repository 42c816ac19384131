"""A claim's files: laid out for the first step that asks something of a jail, and no step fails by their absence."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from agents.cycle import cycle
from agents.models import Attempt, Goal, IntentPlan, ToolLimit
from agents.states import GoalState
from agents.workspaces.stores import checkouts
from sandbox.store.snapshots import SnapshotStore
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)

SET = {"tool": "simple_coder", "command": "set_env", "params": {"name": "COLOUR", "value": "blue"}}
PRINT = run("python -c 'import os; print(os.environ[\"COLOUR\"])'")


@pytest.fixture
def laid_out(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that were made from snapshots."""
    made: list[Path] = []
    checkout = SnapshotStore.checkout

    def noted(store: SnapshotStore, digest: str, target: Path) -> None:
        made.append(target)
        checkout(store, digest, target)

    monkeypatch.setattr(SnapshotStore, "checkout", noted)
    return made


def test_a_plan_that_asks_nothing_of_a_jail_lays_out_no_files(
    approved: Callable[..., IntentPlan], laid_out: list[Path]
) -> None:
    plan = approved([SET, SET])
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert laid_out == []


def test_files_are_laid_out_once_and_removed_with_the_claim(
    approved: Callable[..., IntentPlan], laid_out: list[Path], file_of: Callable[..., bytes]
) -> None:
    plan = approved([SET, write("a.txt", "one"), PRINT, write("b.txt", "{{intents.3.result.stdout}}")])
    cycle.work(plan.goal_id)
    assert (file_of(plan, "a.txt"), file_of(plan, "b.txt")) == (b"one", b"blue\n")
    assert len(laid_out) == 1
    assert list(checkouts().iterdir()) == []


def test_another_jail_goes_on_with_the_files_of_the_one_before(
    approved: Callable[..., IntentPlan], laid_out: list[Path], file_of: Callable[..., bytes]
) -> None:
    ToolLimit.objects.create(tool="note_taking", processes=9)
    note = {"tool": "note_taking", "command": "write_note", "params": {"name": "one", "text": "a line"}}
    plan = approved([write("a.txt", "one"), note, write("b.txt")])
    cycle.work(plan.goal_id)
    assert (file_of(plan, "a.txt"), file_of(plan, "b.txt")) == (b"one", b"x")
    assert len(laid_out) == 1


def test_what_lay_in_its_place_is_not_taken_for_the_files(
    approved: Callable[..., IntentPlan], file_of: Callable[..., bytes]
) -> None:
    plan = approved([write("a.txt", "one")])
    fence = Goal.objects.values_list("lease_fence", flat=True).get(pk=plan.goal_id) + 1
    stale = checkouts() / f"{plan.goal_id}-{fence}-main"
    stale.mkdir()
    (stale / "left.txt").write_text("of a claim with this fence, before a restore")
    cycle.work(plan.goal_id)
    assert file_of(plan, "a.txt") == b"one"
    with pytest.raises(KeyError):
        file_of(plan, "left.txt")


def test_a_step_without_its_files_was_not_tried_and_runs_when_they_are_there(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch, file_of: Callable[..., bytes]
) -> None:
    plan = approved([SET, write("a.txt", "one")])
    checkout = SnapshotStore.checkout

    def gone(store: SnapshotStore, digest: str, target: Path) -> None:
        target.mkdir()
        raise KeyError(digest)

    monkeypatch.setattr(SnapshotStore, "checkout", gone)
    cycle.work(plan.goal_id)
    tries = Attempt.objects.filter(intent__intent_plan=plan).order_by("pk")
    assert [(one.outcome, one.reason.split(":")[0]) for one in tries] == [
        ("succeeded", ""),
        ("unavailable", "its files could not be laid out"),
    ]
    assert list(checkouts().iterdir()) == [], "half a checkout is not left behind"
    monkeypatch.setattr(SnapshotStore, "checkout", checkout)
    Goal.objects.filter(pk=plan.goal_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert file_of(plan, "a.txt") == b"one"
