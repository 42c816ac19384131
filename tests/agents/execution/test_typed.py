"""Commands typed by hand, in the real jail: carried out once, alone on their files, or without any effect."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from agents.actors import limits
from agents.cycle import cycle
from agents.hands import hand_commands, typed
from agents.models import Goal, HandCommand, IntentPlan, Workspace, WorkspaceChange
from agents.record.errors import NotPossibleNow, NotYours, WorkspaceRefused
from agents.record.lease import Lease, claimable
from agents.record.lease import claim as claim_goal
from agents.record.moves import move_hand_command
from agents.states import HandState, MoveRefused, PlanState
from agents.workspaces import snapshot_maintenance, workspaces
from agents.workspaces.stores import checkouts, store
from people.models import User
from review.models import TypedEvent
from sandbox.contract import SandboxUnavailable, SessionState
from sandbox.store.prune import Policy
from sandbox.store.snapshots import EMPTY
from tests.agents.execution.conftest import write
from tests.agents.execution.taking import take_up

pytestmark = pytest.mark.django_db(transaction=True)

TypeIn = Callable[..., HandCommand]


def _head(of: HandCommand | IntentPlan) -> str:
    return Workspace.objects.get(pk=of.workspace_id).head


def _paths(command: HandCommand) -> list[str]:
    return sorted(entry.path.decode() for entry in store().entries(_head(command)))


def _log(command: HandCommand) -> list[str]:
    return list(command.goal.log_lines.order_by("number").values_list("text", flat=True))


def _told(command: HandCommand) -> list[tuple[str, str, str]]:
    return list(TypedEvent.objects.filter(command=command).order_by("pk").values_list("what", "before", "after"))


def _as(of: HandCommand) -> HandCommand:
    return HandCommand.objects.select_related("goal__workspace", "by").get(pk=of.pk)


# -- what a command does --------------------------------------------------------------------------------------------
def test_a_command_moves_the_head_once_and_leaves_who_did_it(type_in: TypeIn, typist: User) -> None:
    command = type_in("write notes.txt 'by hand'")
    assert (command.state, command.reason) == (HandState.DONE, "")
    assert (command.snapshot_before, command.snapshot_after) == (EMPTY, _head(command))
    assert _paths(command) == ["notes.txt"]
    change = WorkspaceChange.objects.get()
    assert (change.by, change.kind, change.what) == (typist, "command", "write notes.txt 'by hand'")
    assert (change.before, change.after) == (EMPTY, _head(command))
    assert _told(command) == [("submitted", EMPTY, ""), ("ended", EMPTY, _head(command))]
    assert not list(checkouts().glob("typed-*"))


def test_what_a_program_says_comes_into_the_log_line_by_line_under_who_typed_it(type_in: TypeIn) -> None:
    command = type_in("run python -c 'print(6 * 7); print(\"two\")'")
    assert (command.result or {})["return_code"] == 0
    assert _head(command) == EMPTY
    assert not WorkspaceChange.objects.exists()
    said = list(command.goal.log_lines.order_by("number").values_list("source", "text"))
    start = said.index(("person.tyra", "./ $ run python -c 'print(6 * 7); print(\"two\")'"))
    assert said[start + 1 : start + 3] == [("stdout", "42"), ("stdout", "two")]
    assert said[start + 3][0] == "person.tyra"
    assert said[start + 3][1].startswith("exit code 0 after")


def test_the_session_goes_on_where_the_last_command_left_it(type_in: TypeIn) -> None:
    type_in("mkdir src")
    type_in("cd src")
    type_in("set_env COLOUR blue")
    command = type_in("run python -c 'import os; print(os.getcwd(), os.environ[\"COLOUR\"])'")
    assert "/workspace/src blue" in _log(command)


def test_the_session_begins_where_the_newest_plan_left_it_unless_something_was_typed_since(
    approved: Callable[..., IntentPlan], owner: User
) -> None:
    owner.roles = ["submitter", "operator"]
    owner.save()
    cd = {"tool": "simple_coder", "command": "cd", "params": {"path": "src"}}
    autonomous = {"tool": "simple_coder", "command": "toggle_autonomous_mode", "params": {"on": True}}
    mkdir = {"tool": "simple_coder", "command": "mkdir", "params": {"path": "src"}}
    plan = approved([mkdir, cd, autonomous])
    cycle.work(plan.goal_id)
    assert IntentPlan.objects.get(pk=plan.pk).state == PlanState.COMPLETE
    # What a plan was allowed to do is no leave for a person to delete by hand.
    assert hand_commands.session_for(plan.goal, owner) == SessionState(cwd="src", autonomous=False)
    typed.work(hand_commands.submit(plan.goal, owner, "cd ..").pk)
    assert hand_commands.session_for(plan.goal, owner).cwd == ""


def test_a_program_that_fails_by_itself_keeps_its_files_as_in_any_terminal(type_in: TypeIn) -> None:
    command = type_in('run python -c \'open("report", "w").write("half"); raise SystemExit(3)\'')
    assert (command.state, (command.result or {})["return_code"]) == (HandState.DONE, 3)
    assert _paths(command) == ["report"]


def test_a_program_stopped_at_a_limit_leaves_nothing(type_in: TypeIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "for_tools", lambda goal, tools: {"simple_coder": {"soft_s": 0.5, "hard_s": 1.0}})
    command = type_in('run python -c \'import time; open("half", "w"); time.sleep(60)\'')
    assert (command.state, (command.result or {})["limit"]) == (HandState.DONE, "time")
    assert _head(command) == EMPTY
    assert "nothing was kept" in _log(command)[-1]
    assert "time limit of 0.5 s" in _log(command)[-1]


def test_the_administrations_limits_hold(type_in: TypeIn) -> None:
    from agents.models import ToolLimit

    ToolLimit.objects.create(tool="simple_coder", processes=9)
    assert type_in("ls", run=False).limits["processes"] == 9


def test_what_no_workspace_may_hold_is_not_kept(type_in: TypeIn, typist_goal: Goal) -> None:
    Workspace.objects.filter(pk=typist_goal.workspace_id).update(quota_bytes=2 << 20)
    command = type_in("run python -c 'import os; os.mkfifo(\"pipe\")'")
    assert _head(command) == EMPTY
    assert (command.result or {})["status"] == "ERROR"


# -- autonomous mode ------------------------------------------------------------------------------------------------
def test_nothing_is_deleted_unless_this_person_switched_it_on(type_in: TypeIn) -> None:
    type_in("write a.txt x")
    refused = type_in("rm a.txt")
    assert (refused.result or {})["error_class"] == "PERMISSION_ERROR"
    sneaked = type_in("run python -c 'import os; os.remove(\"a.txt\")'")
    assert (sneaked.result or {})["error_class"] == "PERMISSION_ERROR"
    assert _paths(sneaked) == ["a.txt"]


def test_a_tick_lets_one_command_delete_and_the_next_one_not(type_in: TypeIn, typist: User, typist_goal: Goal) -> None:
    type_in("write a.txt x")
    type_in("write b.txt x")
    assert _paths(type_in("rm a.txt", autonomous=True)) == ["b.txt"]
    assert not hand_commands.session_for(typist_goal, typist).autonomous
    assert _paths(type_in("rm b.txt")) == ["b.txt"]


def test_the_mode_that_was_typed_holds_for_that_person_alone(
    type_in: TypeIn, typist: User, typist_goal: Goal, admin: User
) -> None:
    type_in("write a.txt x")
    type_in("toggle_autonomous_mode on")
    assert hand_commands.session_for(typist_goal, typist).autonomous
    assert not hand_commands.session_for(typist_goal, admin).autonomous
    assert _paths(type_in("rm a.txt")) == []
    type_in("toggle_autonomous_mode")
    assert not hand_commands.session_for(typist_goal, typist).autonomous


# -- alone on the files ---------------------------------------------------------------------------------------------
def _let_the_lease_run_out(command: HandCommand) -> None:
    HandCommand.objects.filter(pk=command.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def _in_thread(do: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    found: list[object] = []

    def work() -> None:
        try:
            found.append(do())
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    return thread, found


def _somebody_waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        return bool(cursor.fetchone()[0])


@pytest.fixture
def both(approved: Callable[..., IntentPlan], owner: User) -> tuple[IntentPlan, HandCommand, Lease]:
    """An approved plan whose goal is claimed, and a waiting command, both on the same files."""
    owner.roles = ["submitter", "operator"]
    owner.save()
    plan = approved([write("by_plan.txt")])
    command = hand_commands.submit(plan.goal, owner, "mkdir by_hand")
    lease = claim_goal(plan.goal_id)
    assert lease is not None
    return plan, command, lease


def test_a_plan_claimed_at_the_same_moment_waits_for_the_command(both: Any, until: Callable[..., None]) -> None:
    plan, command, lease = both
    with transaction.atomic():
        assert typed.claim(command.pk) is not None
        thread, found = _in_thread(lambda: take_up(lease))
        until(_somebody_waits_for_a_lock, what="the plan's claim waiting for the workspace")
    thread.join(timeout=60)
    assert found == [None]
    assert IntentPlan.objects.get(pk=plan.pk).state == PlanState.APPROVED
    assert HandCommand.objects.get(pk=command.pk).state == HandState.RUNNING


def test_a_command_claimed_at_the_same_moment_gives_way_to_the_plan(both: Any, until: Callable[..., None]) -> None:
    plan, command, lease = both
    with transaction.atomic():
        assert take_up(lease) is not None
        thread, found = _in_thread(lambda: typed.claim(command.pk))
        until(_somebody_waits_for_a_lock, what="the command's claim waiting for the workspace")
    thread.join(timeout=60)
    assert found == [None]
    assert IntentPlan.objects.get(pk=plan.pk).state == PlanState.EXECUTING
    row = HandCommand.objects.get(pk=command.pk)
    assert (row.state, row.reason[:28]) == (HandState.CANCELLED, "a plan started on these file")


def test_of_a_plan_and_a_command_that_begin_together_exactly_one_runs(both: Any) -> None:
    _plan, command, lease = both
    line = threading.Barrier(2)

    def begin(do: Callable[[], object]) -> Callable[[], object]:
        def after_the_other() -> object:
            line.wait(timeout=60)
            return do()

        return after_the_other

    threads = [_in_thread(begin(lambda: take_up(lease))), _in_thread(begin(lambda: typed.claim(command.pk)))]
    for thread, _ in threads:
        thread.join(timeout=60)
    assert [len(found) for _, found in threads] == [1, 1]
    assert sum(found[0] is not None for _, found in threads) == 1


def test_a_plan_is_not_even_looked_at_while_a_command_runs_and_goes_on_when_it_ended(both: Any) -> None:
    plan, command, _ = both
    Goal.objects.filter(pk=plan.goal_id).update(lease_until=None)
    assert claimable(10) == [plan.goal_id]
    running = typed.claim(command.pk)
    assert running is not None
    assert claimable(10) == []
    typed.give_up(running, "a test")
    assert claimable(10) == [plan.goal_id]
    cycle.work(plan.goal_id)
    assert IntentPlan.objects.get(pk=plan.pk).state == PlanState.COMPLETE


def test_nothing_is_typed_while_a_plan_runs(both: Any, owner: User) -> None:
    plan, command, lease = both
    hand_commands.cancel(command, owner)
    assert take_up(lease) is not None
    with pytest.raises(NotPossibleNow, match="A plan is running"):
        hand_commands.submit(plan.goal, owner, "ls")


def test_one_command_at_a_time_and_the_database_holds_it_too(type_in: TypeIn, typist: User, typist_goal: Goal) -> None:
    first = type_in("ls", run=False)
    with pytest.raises(NotPossibleNow, match="unfinished"):
        type_in("ls", run=False)
    with pytest.raises(IntegrityError), transaction.atomic():
        HandCommand.objects.create(
            workspace=first.workspace,
            goal=typist_goal,
            by=typist,
            text="ls",
            command="ls",
            params={},
            limits={},
            session_before={},
            snapshot_before=EMPTY,
        )


def test_people_do_not_change_files_under_a_running_command(type_in: TypeIn, typist: User) -> None:
    command = type_in("ls", run=False)
    assert typed.claim(command.pk) is not None
    with pytest.raises(WorkspaceRefused, match="A command typed by hand is running"):
        workspaces.remove_file(command.workspace, by=typist, path="x")


def test_files_that_changed_before_it_began_stop_it(type_in: TypeIn, typist: User, typist_goal: Goal) -> None:
    from io import BytesIO

    command = type_in("rm x.txt", run=False, autonomous=True)
    workspaces.put_file(typist_goal.workspace, by=typist, path="x.txt", source=BytesIO(b"new"))
    typed.work(command.pk)
    row = HandCommand.objects.get(pk=command.pk)
    assert (row.state, row.reason) == (
        HandState.CANCELLED,
        "the files changed before it could start; check them, then type the command again",
    )
    assert _paths(command) == ["x.txt"]


def test_a_right_that_was_taken_away_before_it_began_stops_it(type_in: TypeIn, typist: User) -> None:
    command = type_in("mkdir x", run=False)
    typist.roles = ["submitter"]
    typist.save()
    typed.work(command.pk)
    row = HandCommand.objects.get(pk=command.pk)
    assert row.state == HandState.CANCELLED
    assert "operator" in row.reason
    assert _head(command) == EMPTY


# -- workers that die, are late, or are told to stop ------------------------------------------------------------------
def test_a_command_whose_worker_died_is_lost_and_its_late_report_changes_nothing(
    type_in: TypeIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = type_in("write late.txt x", run=False)
    late: list[tuple[HandCommand, typed.Done]] = []
    with monkeypatch.context() as patched:
        patched.setattr(typed, "finish", lambda *report: late.append(report))
        typed.work(command.pk)
    typed.sweep()
    assert HandCommand.objects.get(pk=command.pk).state == HandState.RUNNING, "its lease still holds"
    _let_the_lease_run_out(command)
    typed.sweep()
    row = HandCommand.objects.get(pk=command.pk)
    assert (row.state, row.result, row.snapshot_after) == (HandState.LOST, None, "")
    assert row.reason == "its worker died while it ran"
    with pytest.raises(MoveRefused):
        typed.finish(*late[0])
    assert (HandCommand.objects.get(pk=command.pk).state, _head(command)) == (HandState.LOST, EMPTY)
    assert not WorkspaceChange.objects.exists()
    assert [what for what, _, _ in _told(command)] == ["submitted", "lost"]
    assert type_in("ls").state == HandState.DONE


def test_a_worker_that_loses_its_lease_stops_the_program(type_in: TypeIn, until: Callable[..., None]) -> None:
    command = type_in('run python -c \'import time; print("on"); open("x", "w"); time.sleep(60)\'', run=False)
    thread, _ = _in_thread(lambda: typed.work(command.pk))
    until(lambda: "on" in _log(command), what="the program running")
    with transaction.atomic():
        _let_the_lease_run_out(command)  # its worker renews it, but not before this has ended
        row = HandCommand.objects.select_for_update(no_key=True).get(pk=command.pk)
        assert typed.give_up(row, "a test")
    thread.join(timeout=60)
    assert not thread.is_alive()
    row = HandCommand.objects.get(pk=command.pk)
    assert (row.state, row.reason, _head(command)) == (HandState.LOST, "a test", EMPTY)


def test_a_running_command_is_cancelled_within_seconds_and_leaves_nothing(
    type_in: TypeIn, owner: User, until: Callable[..., None], reviewer: User, operator: User
) -> None:
    command = type_in('run python -c \'import time; print("on"); open("x", "w"); time.sleep(60)\'', run=False)
    thread, _ = _in_thread(lambda: typed.work(command.pk))
    until(lambda: "on" in _log(command), what="the program running")
    with pytest.raises(NotYours):
        hand_commands.cancel(_as(command), reviewer)
    hand_commands.cancel(_as(command), operator)
    thread.join(timeout=60)
    assert not thread.is_alive()
    row = HandCommand.objects.get(pk=command.pk)
    assert (row.state, row.reason, _head(command)) == (HandState.CANCELLED, "cancelled by opal", EMPTY)
    assert [what for what, _, _ in _told(command)] == ["submitted", "cancel_asked", "cancelled"]
    with pytest.raises(NotPossibleNow, match="ended already"):
        hand_commands.cancel(_as(command), operator)


def test_a_cancellation_that_comes_at_the_very_end_still_counts(
    type_in: TypeIn, typist: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = type_in("write x.txt x", run=False)
    finish = typed.finish

    def cancelled_first(ended: HandCommand, done: typed.Done) -> None:
        hand_commands.cancel(_as(command), typist)
        finish(ended, done)

    monkeypatch.setattr(typed, "finish", cancelled_first)
    typed.work(command.pk)
    assert HandCommand.objects.get(pk=command.pk).state == HandState.CANCELLED
    assert _head(command) == EMPTY


def test_a_waiting_command_is_cancelled_at_once_and_never_runs(type_in: TypeIn, typist: User) -> None:
    command = type_in("mkdir x", run=False)
    hand_commands.cancel(command, typist)
    typed.work(command.pk)
    assert HandCommand.objects.get(pk=command.pk).state == HandState.CANCELLED
    assert _head(command) == EMPTY


def test_without_a_sandbox_the_command_takes_no_effect_and_says_why(
    type_in: TypeIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_to_be_had(*_: object, **__: object) -> None:
        raise SandboxUnavailable("no jail here")

    monkeypatch.setattr("agents.execution.workplace.open_session", none_to_be_had)
    row = type_in("mkdir x")
    assert (row.state, row.reason) == (HandState.LOST, "the sandbox is unavailable: no jail here")


def test_a_fault_of_mindx_itself_does_not_keep_the_files_locked(
    type_in: TypeIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(typed, "summary_of", lambda result: 1 / 0)
        assert type_in("mkdir x").state == HandState.LOST
    assert type_in("mkdir x").state == HandState.DONE


def test_two_workers_carry_a_command_out_once(type_in: TypeIn) -> None:
    command = type_in("ls", run=False)
    assert typed.claim(command.pk) is not None
    assert typed.claim(command.pk) is None
    assert typed.claim(command.pk + 1) is None


def test_the_sweep_finds_what_no_wake_up_reached(type_in: TypeIn, monkeypatch: pytest.MonkeyPatch) -> None:
    command = type_in("ls", run=False)
    woken: list[bool] = []
    monkeypatch.setattr("agents.record.wake_ups.wake_worker", lambda: woken.append(True))
    monkeypatch.setattr("agents.record.wake_ups.untaken", lambda: 0)  # whatever other tests have sent
    cycle.sweep()
    assert woken
    assert typed.one()
    assert HandCommand.objects.get(pk=command.pk).state == HandState.DONE


# -- what is kept -----------------------------------------------------------------------------------------------------
def test_snapshots_that_a_command_names_are_not_pruned(type_in: TypeIn) -> None:
    first = type_in("write a.txt one")
    second = type_in("write a.txt two")
    WorkspaceChange.objects.all().delete()
    snapshot_maintenance.prune(Policy(older_than_s=0.0, grace_s=0.0))
    for digest in (first.snapshot_after, second.snapshot_after):
        assert store().stored_at(digest) is not None


@pytest.mark.parametrize(
    "change",
    [
        {"text": "rm -r"},
        {"params": {"path": "y"}},
        {"by_id": 0},
        {"snapshot_before": "f" * 64},
        {"session_before": {"autonomous": True}},
        {"limits": {}},
        {"autonomous_once": True},
    ],
)
def test_what_was_typed_can_never_change(type_in: TypeIn, change: dict[str, Any]) -> None:
    command = type_in("mkdir x", run=False)
    with pytest.raises(IntegrityError, match="immutable"), transaction.atomic():
        HandCommand.objects.filter(pk=command.pk).update(**change)


def test_an_ended_command_can_never_change(type_in: TypeIn) -> None:
    command = type_in("mkdir x")
    with pytest.raises(IntegrityError, match="immutable"), transaction.atomic():
        HandCommand.objects.filter(pk=command.pk).update(reason="another")
    with pytest.raises(MoveRefused):
        move_hand_command(command, HandState.RUNNING)
