"""What a step records, says and asks goes to the database in one statement, and nothing is left out for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from agents.cycle import cycle
from agents.models import Attempt, Goal, IntentPlan, LogLine
from agents.plans import reporting
from agents.plans.reporting import Done, Running, Said
from agents.record import gate, statements
from agents.record.lease import Lease, LeaseLost, claim
from agents.record.logs import NewLine, as_json, write
from agents.states import GoalState, IntentState
from people.models import User
from review.policy.verdict import Action
from tests.agents.execution.conftest import write as write_file
from tests.agents.execution.taking import take_up
from tests.cast import person
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db(transaction=True)
LS = {"tool": "simple_coder", "command": "ls", "params": {"path": "."}}
Approved = Callable[..., IntentPlan]


def _begun(plan: IntentPlan) -> tuple[Lease, IntentPlan, Running]:
    lease = claim(plan.goal_id)
    assert lease is not None
    taken = take_up(lease)
    assert taken is not None
    return lease, taken, reporting.begin(taken, lease, taken.position)


def _done(running: Running) -> Done:
    return Done(IntentState.SUCCEEDED, {"status": "SUCCESS"}, running.before, {})


def test_each_further_step_is_one_statement(approved: Approved) -> None:
    cycle.turn(_claimed(approved([LS])))  # from here on it is known what jail can be had
    asked = []
    for steps in (2, 5):
        plan = approved([LS] * steps)
        with CaptureQueriesContext(connection) as caught:
            cycle.turn(_claimed(plan))
        assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
        asked.append([each["sql"] for each in caught.captured_queries])
    assert len(asked[1]) - len(asked[0]) == 3, asked[1]
    # Claimed; its files compared with those that it was tried on; locked, looked at by the gate in two and taken up
    # with its first try in one transaction; one statement a step, the last ends it all with the filing.
    assert len(asked[0]) == 1 + 1 + (2 + 4) + 1 + (2 + 2), asked[0]


def test_the_log_says_of_every_step_that_it_begins_and_what_it_came_to(approved: Approved) -> None:
    plan = approved([write_file("a.txt"), LS, write_file("b.txt")])
    cycle.work(plan.goal_id)
    lines = LogLine.objects.filter(goal=plan.goal_id, source="tool.SimpleCoder").order_by("number")
    assert [line.data.get("attempt") for line in lines] == [1, None] * 3, "a beginning and an end, in turns"
    numbers = list(LogLine.objects.filter(goal=plan.goal_id).order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))


def test_what_is_changed_while_the_statement_waits_is_in_its_stamp(
    approved: Approved, until: Callable[..., None]
) -> None:
    """The race: a person changes what the gate reads, holding the plan's row; the worker's statement has begun and
    waits. Its snapshot is from before the change, its stamp must not be.
    """
    plan = approved([LS, LS])
    keeper = person("kim", "reviewer", "operator")
    lease, taken, running = _begun(plan)
    granted = gate.stamp(plan.pk)
    found: list[Running | None] = []

    def report() -> None:
        found.append(reporting.advance(taken, lease, running, _done(running), go_on=True, said=Said(granted=granted)))
        connection.close()

    worker = threading.Thread(target=report)
    with transaction.atomic():
        IntentPlan.objects.select_for_update(no_key=True).get(pk=plan.pk)
        worker.start()
        until(_somebody_waits_for_a_lock, what="the worker's statement waiting for the plan's row")
        in_force(Action.FORBID, keeper, "no listing", commands=["ls"])
    worker.join(timeout=45)
    (begun,) = found
    assert begun is not None
    assert begun.stamp == gate.stamp(plan.pk) != granted
    assert not begun.told


def test_that_a_step_begins_is_said_once_when_the_gate_had_to_be_asked_again(
    approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = person("kim", "reviewer", "operator")
    plan = approved([LS, LS])
    advance = reporting.advance

    def change_first(*args: object, **also: object) -> object:
        if args[2].position == 1:  # type: ignore[attr-defined]
            in_force(Action.FORBID, keeper, "nothing of this plan", commands=["run"])
        return advance(*args, **also)  # type: ignore[arg-type]

    monkeypatch.setattr(reporting, "advance", change_first)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    begins = LogLine.objects.filter(goal=plan.goal_id, data__has_key="attempt").values_list("data__intent", flat=True)
    assert sorted(begins) == [1, 2]


def test_nothing_further_begins_under_a_lease_that_does_not_know_whose_goal_it_is(approved: Approved) -> None:
    """Nobody can say then whether that agent is paused."""
    plan = approved([LS, LS])
    lease, taken, running = _begun(plan)
    assert reporting.advance(taken, replace(lease, agent=0), running, _done(running), go_on=True) is None
    assert Attempt.objects.count() == 1


def test_a_late_report_says_nothing_either(approved: Approved) -> None:
    plan = approved([LS, LS])
    lease, taken, running = _begun(plan)
    before = LogLine.objects.filter(goal=plan.goal_id).count()
    late = Lease(lease.goal_id, lease.fence - 1, "somebody late")
    IntentPlan.objects.filter(pk=plan.pk).update(fence=lease.fence)
    with pytest.raises(LeaseLost):
        reporting.advance(taken, late, running, _done(running), go_on=True, said=Said([NewLine("worker", "x", "late")]))
    assert LogLine.objects.filter(goal=plan.goal_id).count() == before
    assert Attempt.objects.count() == 1


def test_lines_are_stored_as_they_were_said(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = make_goal(owner)
    texts = ['a "quoted" \\ line', "spelt out: \\u0000 and \\\\u0000", "a NUL: \x00", "%s {stamp} 'x' €\U0001f600\t"]
    data = {"path": "a\x00b", "said": "\\u0000"}
    first = (LogLine.objects.filter(goal=goal).order_by("-number").values_list("number", flat=True).first() or 0) + 1
    last = write(goal.pk, [NewLine("stdout", "execute", text, data=data) for text in texts])
    stored = LogLine.objects.filter(goal=goal, number__gte=first).order_by("number")
    assert [line.text for line in stored] == [text.replace("\x00", "\u2400") for text in texts]
    assert [line.number for line in stored] == list(range(first, last + 1))
    assert stored[0].data == {"path": "a\u2400b", "said": "\\u0000"}
    assert "\\u0000" in as_json([NewLine("stdout", "execute", "\\u0000")])


def _claimed(plan: IntentPlan) -> Lease:
    lease = claim(plan.goal_id)
    assert lease is not None
    return lease


def _somebody_waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        return bool(cursor.fetchone()[0])


def test_files_session_and_recovery_are_recorded_whenever_they_are_others() -> None:
    """The shorter statement, which cannot record them, is only for a first try that changed none of them."""
    running = Running(1, 1, 1, "before", session={"cwd": ""})
    done = Done(IntentState.SUCCEEDED, {}, "before", {"cwd": ""})
    assert not running.is_changed_by(done)
    assert running.is_changed_by(replace(done, after="after"))
    assert running.is_changed_by(replace(done, session={"cwd": "src"}))
    assert replace(running, number=2).is_changed_by(done)
    assert replace(running, session=None).is_changed_by(done)
    for name in ("advance", "complete"):
        assert "UPDATE agents_workspace" in statements.read(name)
        assert "UPDATE agents_workspace" not in statements.read(name, changed=False)
