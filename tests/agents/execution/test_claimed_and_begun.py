"""An approved plan is claimed and its first try begun in one transaction, and what goes wrong there harms nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext

from agents.cycle import cycle
from agents.execution import beginning, taking_up
from agents.models import Attempt, Goal, IntentPlan, LogLine
from agents.record import gate, prepared
from agents.states import GoalState
from library.prepared import _Link
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)
Approved = Callable[..., IntentPlan]
LS = {"tool": "simple_coder", "command": "ls", "params": {"path": "."}}


def test_one_transaction_claims_the_plan_and_begins_its_first_try(approved: Approved) -> None:
    cycle.one(approved([LS]).goal_id)  # from here on it is known what jail can be had
    plan = approved([LS, LS])
    with CaptureQueriesContext(connection) as caught:
        assert cycle.one(plan.goal_id) == plan.goal_id
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    asked = [each["sql"] for each in caught.captured_queries]
    assert [sql for sql in asked if sql in ("BEGIN", "COMMIT")] == ["BEGIN", "COMMIT"] * 2, asked
    assert (asked[0], asked[5]) == ("BEGIN", "COMMIT"), "claimed and locked, two of the gate, taken up with a first try"
    assert len(asked) == 6 + 1 + 4, "and one for each step, the last one filed with it"


def test_the_gate_goes_by_what_was_read_with_the_claim(approved: Approved, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the claim's own exchange, behind the statement that locks the plan; by itself where no goal was named."""
    plan, other = approved([LS]), approved([LS])
    seen: list[tuple[int, bool]] = []

    def refuse(plan: IntentPlan, _: object, read: Sequence[prepared.Row] | None) -> gate.Verdict:
        seen.append((plan.pk, read is not None))
        return gate.Verdict(allowed=False, reason="not today")

    assert gate._wired is not None
    monkeypatch.setattr(gate, "_wired", replace(gate._wired, check=refuse))
    cycle.work(plan.goal_id)
    assert seen == [(plan.pk, True), (other.pk, False)]


@pytest.mark.parametrize("table", ["goal", "intentplan", "workspace"])
def test_what_the_claim_finds_is_locked_with_it(approved: Approved, table: str) -> None:
    """A command typed by hand and a plan of one workspace meet at that lock, and a person's change at the plan's."""
    plan = approved([LS])
    key = {"goal": plan.goal_id, "intentplan": plan.pk, "workspace": plan.workspace_id}[table]
    with transaction.atomic():
        claimed = taking_up.claim(plan.goal_id)
        assert claimed is not None
        assert claimed[1] is not None, "it waited for nothing but a worker"
        with ThreadPoolExecutor(1) as beside:
            assert beside.submit(_is_locked, f"agents_{table}", key).result()


def _is_locked(table: str, key: int) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SELECT FROM {table} WHERE id = %s FOR NO KEY UPDATE SKIP LOCKED", [key])
            return not cursor.rowcount
    finally:
        connection.close()


def test_nothing_is_claimed_while_its_beginning_can_still_fail(
    approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that dies there has not cost the plan a worker: nobody ever had it."""
    plan = approved([LS])

    class Died(BaseException):
        """What no handler of the worker takes for an error."""

    def die(*_: object) -> None:
        raise Died

    monkeypatch.setattr(beginning, "begin", die)
    with pytest.raises(Died):
        cycle.one(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert (goal.lease_owner, goal.lease_until, goal.lost_workers) == ("", None, 0)


def test_an_error_of_our_own_is_told_and_tried_again_later(approved: Approved, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = approved([LS])

    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(beginning, "begin", fail)
    assert cycle.one(plan.goal_id) == plan.goal_id
    goal = Goal.objects.get(pk=plan.goal_id)
    assert goal.state == GoalState.AWAITING_REVIEW
    assert goal.lease_until is not None, "the next try is not at once"
    assert cycle.one(plan.goal_id) is None
    assert LogLine.objects.filter(goal=goal, stage="cycle", level="error").count() == 1


def test_a_plan_whose_workspace_was_taken_at_that_moment_waits(
    approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The race: another plan of the same workspace goes first, and the database refuses the second."""
    plan = approved([write("a.txt")])
    real, refused = prepared.row, list[int]()

    def refuse(statement: str, values: Any, **how: bool) -> Any:
        if "state = 'executing', reason = ''" in statement and len(refused) < 2:
            refused.append(1)
            with connection.cursor() as cursor, transaction.atomic():
                cursor.execute("DO $$ BEGIN RAISE unique_violation; END $$")
        return real(statement, values, **how)

    monkeypatch.setattr(prepared, "row", refuse)
    assert cycle.one(plan.goal_id) == plan.goal_id
    goal = Goal.objects.get(pk=plan.goal_id)
    assert len(refused) == 2, "once with the claim, and once by the turn that finds out why"
    assert (goal.state, goal.lease_until, goal.lease_owner) == (GoalState.AWAITING_REVIEW, None, "")
    assert cycle.one(plan.goal_id) == plan.goal_id
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED


@pytest.mark.parametrize("when", ["before the commit", "after it"])
def test_a_database_that_goes_away_there_costs_nothing(
    approved: Approved, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    monkeypatch.setattr(beginning, "is_at_hand", lambda *_: True)  # as a worker knows from its first plan on
    plan = approved([write("a.txt"), write("b.txt")])
    real, cuts = _Link.answers, list[int]()

    def cut(link: _Link, asked: Any, *, commits: bool = False) -> Any:
        if not commits or cuts:
            return real(link, asked, commits=commits)
        cuts.append(1)
        if when == "after it":
            real(link, asked, commits=commits)
        connection.connection.close()
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(_Link, "answers", cut)
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert cuts, "the plan is taken up and committed in one exchange"
    assert (goal.state, goal.lost_workers) == (GoalState.ACHIEVED, 0)
    tries = list(Attempt.objects.filter(intent__intent_plan=plan).order_by("pk").values_list("outcome", flat=True))
    assert tries == ["succeeded"] * 2 if when == "before the commit" else ["interrupted", "succeeded", "succeeded"]


def test_another_refusal_of_the_database_is_none_of_its_business(
    approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([LS])

    def refuse(*_: object) -> None:
        raise IntegrityError("something else")

    monkeypatch.setattr(beginning, "begin", refuse)
    cycle.one(plan.goal_id)
    assert LogLine.objects.filter(goal=plan.goal_id, stage="cycle", level="error").exists()
