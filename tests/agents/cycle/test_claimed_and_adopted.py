"""A new goal is claimed and adopted in one transaction, and what goes wrong there harms nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from agents.cycle import cycle
from agents.models import Goal, LogLine
from agents.plans import adoption
from agents.record.lease import Lease
from agents.states import GoalState
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
Maker = Callable[..., Goal]


def test_one_transaction_claims_the_goal_and_adopts_it(owner: User, make_goal: Maker) -> None:
    goal = make_goal(owner, "Reconcile the ledger")
    with CaptureQueriesContext(connection) as caught:
        cycle.one(goal.pk)
    asked = [each["sql"] for each in caught.captured_queries]
    first = asked[: asked.index("COMMIT")]
    assert (first[0], "lease_fence = goal.lease_fence + 1" in first[1]) == ("BEGIN", True)
    assert any("INSERT INTO agents_transition" in sql for sql in first), first
    assert not any("SAVEPOINT" in sql for sql in asked)


def test_nothing_is_claimed_while_its_adoption_can_still_fail(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that dies there has not cost the goal a worker: nobody ever had it."""
    goal = make_goal(owner, "Reconcile the ledger")

    class Died(BaseException):
        """What no handler of the worker takes for an error."""

    def die(*_: object) -> bool:
        raise Died

    monkeypatch.setattr(adoption, "adopt", die)
    with pytest.raises(Died):
        cycle.one(goal.pk)
    goal.refresh_from_db()
    assert (goal.state, goal.lease_owner, goal.lease_until, goal.lost_workers) == ("pending", "", None, 0)


def test_what_the_adoption_wrote_before_its_error_is_written_once(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = make_goal(owner, "Reconcile the ledger")
    real, tries = adoption.adopt, list[int]()

    def fail_once(goal: Goal, lease: Lease) -> bool:
        adopted = real(goal, lease)
        tries.append(lease.fence)
        if len(tries) == 1:
            raise RuntimeError("a bug that comes and goes")
        return adopted

    monkeypatch.setattr(adoption, "adopt", fail_once)
    cycle.one(goal.pk)
    goal.refresh_from_db()
    assert tries == [1, 1], "with the claim, and alone by the turn, under the fence that was not taken the first time"
    assert (goal.state, goal.reason.partition(":")[0]) == (GoalState.MANUAL, "no_relevant_rule")
    assert LogLine.objects.filter(goal=goal, data__decision="adopt").count() == 1
    assert list(goal.transitions.order_by("pk").values_list("old", "new")) == [
        ("pending", "planning"),
        ("planning", "manual"),
    ]


def test_an_error_that_stays_is_told_and_tried_again_later(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = make_goal(owner, "Reconcile the ledger")

    def fail(*_: object) -> bool:
        raise RuntimeError("a bug")

    monkeypatch.setattr(adoption, "adopt", fail)
    assert cycle.one(goal.pk) == goal.pk
    goal.refresh_from_db()
    assert goal.state == GoalState.PENDING
    assert goal.lease_until is not None, "the next try is not at once"
    assert LogLine.objects.filter(goal=goal, stage="cycle", level="error").count() == 1


@pytest.mark.parametrize("when", ["before the commit", "after it"])
def test_a_database_that_goes_away_there_costs_nothing(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    goal = make_goal(owner, "Reconcile the ledger")
    real, cuts = connection.commit, list[int]()

    def cut() -> None:
        cuts.append(1)
        if len(cuts) > 1:
            return real()
        if when == "after it":
            real()
        connection.connection.close()
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(connection, "commit", cut)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert (goal.state, goal.reason.partition(":")[0], goal.lost_workers) == (GoalState.MANUAL, "no_relevant_rule", 0)
    assert LogLine.objects.filter(goal=goal, data__decision="adopt").count() == 1
