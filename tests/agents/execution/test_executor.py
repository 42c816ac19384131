"""Approved plans in the real jail: they run to the end, fail with a reason, and survive a worker that died."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from agents.cycle import cycle
from agents.goals import goals
from agents.models import Attempt, Goal, Intent, IntentPlan, RecoveryAttempt, Workspace
from agents.plans import reporting as records
from agents.plans.reporting import Done
from agents.record import gate, lease, logs
from agents.record.lease import LeaseLost, claim
from agents.recovery import recovery_learning
from agents.states import GoalState, IntentState, PlanState
from people.models import User
from sandbox.contract import SandboxUnavailable
from tests.agents.execution.conftest import run, write
from tests.agents.execution.taking import take_up

pytestmark = pytest.mark.django_db(transaction=True)


def _goal(plan: IntentPlan) -> Goal:
    return Goal.objects.get(pk=plan.goal_id)


def _log(plan: IntentPlan) -> str:
    return "\n".join(plan.goal.log_lines.values_list("text", flat=True))


def _let_the_lease_run_out(plan: IntentPlan) -> None:
    Goal.objects.filter(pk=plan.goal_id).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_an_approved_plan_runs_to_the_end(approved: Callable[..., IntentPlan], file_of: Callable[..., bytes]) -> None:
    plan = approved([write("hello.py", "print('hello', 6 * 7)"), run("python hello.py")])
    cycle.work(plan.goal_id)
    goal = _goal(plan)
    assert (goal.state, goal.reason) == (GoalState.ACHIEVED, "")
    assert IntentPlan.objects.get(pk=plan.pk).state == PlanState.COMPLETE
    assert file_of(plan, "hello.py") == b"print('hello', 6 * 7)"
    assert "hello 42" in _log(plan)
    assert [intent.state for intent in plan.intents.all()] == [IntentState.SUCCEEDED] * 2
    assert (plan.intents.get(position=2).result or {})["return_code"] == 0
    assert goal.lease_until is None
    assert goal.learned_at is not None


def test_log_numbers_have_no_gaps(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([run("python -c 'for n in range(300): print(n)'")])
    cycle.work(plan.goal_id)
    numbers = list(plan.goal.log_lines.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    printed = list(plan.goal.log_lines.filter(source="stdout").order_by("number").values_list("text", flat=True))
    assert printed == [str(number) for number in range(300)]


def test_a_failing_step_stops_the_plan_and_the_clean_up_runs(
    approved: Callable[..., IntentPlan], file_of: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 0.0)
    plan = approved(
        [write("kept.txt"), run('python -c \'open("half", "w"); raise SystemExit(3)\''), write("never.txt")],
        cleanup=[write("cleaned.txt", "tidy")],
    )
    cycle.work(plan.goal_id)
    goal = _goal(plan)
    assert goal.state == GoalState.FAILED
    assert "TOOL_EXECUTION_ERROR" in goal.reason
    assert "exit code 3" in goal.reason
    assert [intent.state for intent in plan.intents.all()] == [
        IntentState.SUCCEEDED,
        IntentState.FAILED,
        IntentState.SKIPPED,
        IntentState.SUCCEEDED,
    ]
    tries = Attempt.objects.filter(intent__intent_plan=plan, intent__position=2)
    assert [attempt.outcome for attempt in tries] == ["failed"] * 2, "it said the same twice"
    assert set(tries.values_list("failure_class", flat=True)) == {"TOOL_EXECUTION_ERROR"}
    assert set(RecoveryAttempt.objects.values_list("succeeded", flat=True)) == {False}
    assert file_of(plan, "cleaned.txt") == b"tidy"
    of_tools = plan.goal.log_lines.filter(source__startswith="tool.")
    assert {(line.stage, "intent" in line.data) for line in of_tools} == {("execute", True)}
    with pytest.raises(KeyError):  # a failed try leaves nothing behind
        file_of(plan, "half")
    with pytest.raises(KeyError):
        file_of(plan, "never.txt")


def test_a_retry_waits_for_its_time_and_is_no_recovery_while_it_waits(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 3600.0)
    plan = approved([run("python -c 'raise SystemExit(1)'")])
    cycle.work(plan.goal_id)
    goal = _goal(plan)
    assert goal.state == GoalState.RECOVERING
    assert goal.wake_at is not None
    assert goal.wake_at > timezone.now() + timedelta(minutes=50)
    recovery = RecoveryAttempt.objects.get()
    assert recovery.strategy == "retry_with_delay"
    assert recovery.succeeded is None
    assert claim(plan.goal_id) is None  # not before its time


def test_a_worker_that_died_is_taken_over_and_the_step_counts_once(
    approved: Callable[..., IntentPlan], file_of: Callable[..., bytes]
) -> None:
    plan = approved([run('python -c \'open("bytes", "ab").write(b"x")\'')])
    dead = claim(plan.goal_id)
    assert dead is not None
    taken = take_up(dead)
    assert taken is not None
    begun = records.begin(taken, dead, 1)
    assert claim(plan.goal_id) is None  # its lease still holds
    _let_the_lease_run_out(plan)
    cycle.work(plan.goal_id)
    assert _goal(plan).state == GoalState.ACHIEVED
    assert file_of(plan, "bytes") == b"x"
    outcomes = list(Attempt.objects.filter(intent__intent_plan=plan).values_list("number", "outcome"))
    assert outcomes == [(1, "lost"), (2, "succeeded")]
    late = Done(IntentState.SUCCEEDED, {"status": "SUCCESS"}, "f" * 64, {})
    with pytest.raises(LeaseLost):
        records.advance(taken, dead, begun, late, go_on=False)
    assert file_of(plan, "bytes") == b"x"


def test_a_report_told_twice_gets_the_recorded_answer(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([write("one"), write("two")])
    mine = claim(plan.goal_id)
    assert mine is not None
    taken = take_up(mine)
    assert taken is not None
    begun = records.begin(taken, mine, 1)
    done = Done(IntentState.SUCCEEDED, {"status": "SUCCESS"}, begun.before, {})
    first = records.advance(taken, mine, begun, done, go_on=True)
    again = records.advance(taken, mine, begun, done, go_on=True)
    assert first == again
    assert Attempt.objects.filter(intent__intent_plan=plan).count() == 2


def test_a_changed_byte_of_the_document_runs_nothing(
    approved: Callable[..., IntentPlan], without_guard: Callable[[str, str], AbstractContextManager[None]]
) -> None:
    plan = approved([write("wanted.txt", "good")])
    changed = bytes(plan.document).replace(b"good", b"evil")
    with without_guard("agents_intentplan", "intent_plan_immutable"):
        IntentPlan.objects.filter(pk=plan.pk).update(document=changed)
    cycle.work(plan.goal_id)
    goal = _goal(plan)
    assert goal.state == GoalState.FAILED
    assert goal.reason.startswith("refused_by_gate")
    assert not Attempt.objects.exists()
    assert goal.workspace.head == plan.workspace.head


def test_with_no_gate_wired_nothing_runs(approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch) -> None:
    plan = approved([write("wanted.txt")])
    monkeypatch.setattr(gate, "_wired", None)
    cycle.work(plan.goal_id)
    assert _goal(plan).state == GoalState.FAILED
    assert not Attempt.objects.exists()


def test_the_database_refuses_a_changed_document(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([write("wanted.txt")])
    with pytest.raises(IntegrityError):
        IntentPlan.objects.filter(pk=plan.pk).update(document=b"{}")


def test_a_cancelled_goal_stops_within_seconds(
    approved: Callable[..., IntentPlan], owner: User, until: Callable[..., None]
) -> None:
    plan = approved([run("sleep 60")])

    def work() -> None:
        cycle.work(plan.goal_id)
        connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    until(lambda: Attempt.objects.filter(finished=None).exists(), what="the step to run")
    cancelled_at = timezone.now()
    goals.cancel(_goal(plan), by=owner)
    worker.join(timeout=60)
    goal = _goal(plan)
    assert (goal.state, goal.reason) == (GoalState.DROPPED, "cancelled_by_person")
    assert goal.ended_at is not None
    assert goal.ended_at - cancelled_at < timedelta(seconds=45)
    assert Attempt.objects.get().outcome == "cancelled"


def test_a_goal_that_waits_for_its_retry_can_be_cancelled(approved: Callable[..., IntentPlan], owner: User) -> None:
    plan = approved([run("python -c 'raise SystemExit(1)'"), write("later")])
    cycle.work(plan.goal_id)
    goals.cancel(_goal(plan), by=owner)
    assert _goal(plan).state == GoalState.DROPPED
    assert IntentPlan.objects.get(pk=plan.pk).state == PlanState.CANCELLED
    assert plan.intents.get(position=2).state == IntentState.SKIPPED


def test_two_plans_of_one_workspace_run_one_after_the_other(
    approved: Callable[..., IntentPlan], owner: User, make_workspace: Callable[..., object]
) -> None:
    workspace = make_workspace(owner)
    first = approved([write("one")], workspace=workspace)
    second = approved([write("two")], workspace=workspace)
    running = claim(first.goal_id)
    assert running is not None
    assert take_up(running) is not None
    assert claim(second.goal_id) is None
    _let_the_lease_run_out(first)
    cycle.work(first.goal_id)
    assert _goal(first).state == GoalState.ACHIEVED
    cycle.work(second.goal_id)
    assert _goal(second).state == GoalState.ACHIEVED, "the first one changed none of the files that it stands on"


def test_two_plans_of_one_workspace_that_change_nothing_both_run(
    approved: Callable[..., IntentPlan], owner: User, make_workspace: Callable[..., object]
) -> None:
    workspace = make_workspace(owner)
    first = approved([run("echo one")], workspace=workspace)
    second = approved([run("echo two")], workspace=workspace)
    cycle.work(first.goal_id)
    cycle.work(second.goal_id)
    assert {_goal(first).state, _goal(second).state} == {GoalState.ACHIEVED}


def test_a_missing_sandbox_fails_no_step(approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch) -> None:
    plan = approved([write("wanted.txt")])

    def nowhere(*_: object, **__: object) -> None:
        raise SandboxUnavailable("bubblewrap is not installed")

    with monkeypatch.context() as patch:
        patch.setattr("agents.execution.workplace.open_session", nowhere)
        cycle.work(plan.goal_id)
    goal = _goal(plan)
    assert goal.state == GoalState.RECOVERING
    assert "bubblewrap is not installed" in goal.reason
    assert not Attempt.objects.filter(outcome="failed").exists()
    Goal.objects.filter(pk=goal.pk).update(wake_at=None)
    cycle.work(goal.pk)
    assert _goal(plan).state == GoalState.ACHIEVED


def test_a_step_that_runs_once_asks_a_person_after_a_crash(approved: Callable[..., IntentPlan], reviewer: User) -> None:
    from agents.hands import outcomes

    plan = approved([write("sent"), write("after")])
    Intent.objects.filter(intent_plan=plan, position=1).update(effect="once")
    dead = claim(plan.goal_id)
    assert dead is not None
    taken = take_up(dead)
    assert taken is not None
    records.begin(taken, dead, 1)
    _let_the_lease_run_out(plan)
    cycle.work(plan.goal_id)
    assert _goal(plan).state == GoalState.MANUAL
    intent = plan.intents.get(position=1)
    assert intent.state == IntentState.OUTCOME_UNKNOWN
    assert intent.attempts.count() == 1
    outcomes.report(intent, by=reviewer, outcome=outcomes.Outcome.SUCCEEDED)
    cycle.work(plan.goal_id)
    assert _goal(plan).state == GoalState.ACHIEVED
    assert intent.attempts.count() == 1


@pytest.mark.parametrize("outcome", ["succeeded", "failed", "run_again"])
def test_a_clean_up_step_that_runs_once_is_asked_about_too_and_the_clean_up_goes_on_behind_it(
    approved: Callable[..., IntentPlan], reviewer: User, file_of: Callable[..., bytes], outcome: str
) -> None:
    """Whatever is said of it, the plan failed for what failed before, and what was cleaned up is not done again."""
    from agents.hands import outcomes

    plan = approved([run("false")], cleanup=[write("first"), write("sent"), write("last")])
    Intent.objects.filter(intent_plan=plan, position=3).update(effect="once")
    IntentPlan.objects.filter(pk=plan.pk).update(position=2, aborting="step 1 failed")
    Intent.objects.filter(intent_plan=plan, position=1).update(state=IntentState.FAILED.value)
    dead = claim(plan.goal_id)
    assert dead is not None
    taken = take_up(dead)
    assert taken is not None
    begun = records.begin(taken, dead, 2)
    records.advance(taken, dead, begun, records.Done(IntentState.SUCCEEDED, {}, begun.before, {}), go_on=False)
    records.begin(taken, dead, 3)
    _let_the_lease_run_out(plan)
    cycle.work(plan.goal_id)
    assert _goal(plan).state == GoalState.MANUAL
    outcomes.report(plan.intents.get(position=3), by=reviewer, outcome=outcomes.Outcome(outcome))
    cycle.work(plan.goal_id)
    goal = _goal(plan)
    assert (goal.state, goal.reason) == (GoalState.FAILED, "step 1 failed")
    tries = [Attempt.objects.filter(intent__intent_plan=plan, intent__position=at).count() for at in (2, 3, 4)]
    assert tries == [1, 2 if outcome == "run_again" else 1, 1]
    assert file_of(plan, "last") == b"x"


@pytest.mark.parametrize(("rest", "state"), [("drop", GoalState.ACHIEVED), ("plan_again", GoalState.PENDING)])
def test_what_a_person_says_of_the_last_step_ends_the_plan(
    approved: Callable[..., IntentPlan], reviewer: User, rest: str, state: GoalState
) -> None:
    from agents.hands import outcomes

    plan = approved([write("sent")])
    Intent.objects.filter(intent_plan=plan, position=1).update(effect="once")
    IntentPlan.objects.filter(pk=plan.pk).update(rest=rest, left_out=[{"position": 2, "reason": "not now"}])
    dead = claim(plan.goal_id)
    assert dead is not None
    taken = take_up(dead)
    assert taken is not None
    records.begin(taken, dead, 1)
    _let_the_lease_run_out(plan)
    cycle.one(plan.goal_id)
    outcomes.report(plan.intents.get(position=1), by=reviewer, outcome=outcomes.Outcome.SUCCEEDED)
    cycle.one(plan.goal_id)
    assert _goal(plan).state == state
    plan.refresh_from_db()
    assert plan.state == PlanState.COMPLETE
    assert plan.intents.get(position=1).attempts.count() == 1
    assert not Goal.objects.filter(pk=plan.goal_id, lease_until__isnull=False).exists()


def test_three_dead_workers_stop_a_poisonous_plan(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([write("poison")])
    for _ in range(3):
        dead = claim(plan.goal_id)
        assert dead is not None
        taken = take_up(dead)
        assert taken is not None
        records.begin(taken, dead, 1)
        _let_the_lease_run_out(plan)
    cycle.work(plan.goal_id)
    goal = _goal(plan)
    assert goal.state == GoalState.FAILED
    assert "worker_died_3_times" in goal.reason


def test_a_value_flows_from_one_intent_to_the_next(
    approved: Callable[..., IntentPlan], file_of: Callable[..., bytes]
) -> None:
    plan = approved(
        [
            run("python -c 'print(6 * 7, end=\"\")'"),
            write("answer.txt", "{{intents.1.result.stdout}}"),
        ]
    )
    cycle.work(plan.goal_id)
    assert file_of(plan, "answer.txt") == b"42"


def test_a_checkout_does_not_outlive_its_claim(approved: Callable[..., IntentPlan]) -> None:
    from agents.workspaces.stores import checkouts

    plan = approved([write("one")])
    cycle.work(plan.goal_id)
    assert list(checkouts().iterdir()) == []


def test_the_fence_rises_with_every_claim(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([write("one")])
    first = claim(plan.goal_id)
    assert first is not None
    lease.release(first)
    second = claim(plan.goal_id)
    assert second is not None
    assert second.fence == first.fence + 1
    assert not lease.renew(first)


def test_a_log_line_never_waits_for_somebody_who_moves_the_goal(approved: Callable[..., IntentPlan]) -> None:
    """A cancel locks the goal and then logs; a worker logs all the time. With a stronger lock they would deadlock."""
    plan = approved([write("one")])
    mine = claim(plan.goal_id)
    assert mine is not None

    def speak() -> None:
        logs.say(plan.goal_id, "stdout", "execute", "meanwhile")
        connection.close()

    speaker = threading.Thread(target=speak, daemon=True)
    with transaction.atomic():
        lease.hold(mine)
        speaker.start()
        speaker.join(timeout=45)
        assert not speaker.is_alive()
    assert "meanwhile" in _log(plan)


def _begun(plan: IntentPlan) -> tuple[lease.Lease, IntentPlan, records.Running]:
    mine = claim(plan.goal_id)
    assert mine is not None
    taken = take_up(mine)
    assert taken is not None
    return mine, taken, records.begin(taken, mine, taken.position)


def _report(taken: IntentPlan, mine: lease.Lease, running: records.Running) -> None:
    done = Done(IntentState.SUCCEEDED, {"status": "SUCCESS"}, "f" * 64, {"cwd": "elsewhere"})
    records.advance(taken, mine, running, done, go_on=True)


def _nothing_was_recorded(plan: IntentPlan) -> bool:
    now = IntentPlan.objects.select_related("workspace", "session").get(pk=plan.pk)
    return (now.position, now.workspace.head, now.session.state) == (1, plan.workspace.head, {}) and not (
        Attempt.objects.filter(outcome="succeeded").exists() or now.intents.filter(state="succeeded").exists()
    )


def test_a_late_worker_cannot_record_while_the_next_one_works(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([write("one"), write("two")])
    late, taken, running = _begun(plan)
    _let_the_lease_run_out(plan)
    _begun(plan)
    with pytest.raises(LeaseLost):
        _report(taken, late, running)
    assert _nothing_was_recorded(plan)


def test_a_step_that_ends_after_its_goal_was_cancelled_is_not_recorded(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([write("one"), write("two")])
    mine, taken, running = _begun(plan)
    IntentPlan.objects.filter(pk=plan.pk).update(cancel_requested=True)
    with pytest.raises(records.Cancelled):
        _report(taken, mine, running)
    assert _nothing_was_recorded(plan)


def test_a_step_whose_workspace_moved_meanwhile_is_not_recorded(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([write("one"), write("two")])
    mine, taken, running = _begun(plan)
    Workspace.objects.filter(pk=plan.workspace_id).update(head="a" * 64)
    with pytest.raises(records.WorkspaceMoved):
        _report(taken, mine, running)
    assert Workspace.objects.get(pk=plan.workspace_id).head == "a" * 64
    assert not Attempt.objects.filter(outcome="succeeded").exists()


def test_the_database_keeps_the_approved_digest_of_a_running_plan(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([write("one")])
    _begun(plan)
    with pytest.raises(IntegrityError):
        IntentPlan.objects.filter(pk=plan.pk).update(approved_digest="0" * 64)
