"""Carries out a command typed by hand: claim under a fenced lease, run in a checkout, move the head, or nothing at all.

At most once: a command whose worker died is lost, and its checkout with it; a person types it again. Rows are locked in
the order workspace, typed command, which is the end of the order in `agents.execution.executor`.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.execution.companion import Companion
from agents.execution.workplace import Desk, open_desk_in, summary_of
from agents.hands import command_reading, hand_commands
from agents.hands.hand_commands import speaker, tell
from agents.models import HandCommand, IntentPlan, Standstill, Workspace, WorkspaceChange
from agents.record import leased, logs, wake_ups
from agents.record.audit import What
from agents.record.logs import json_text, storable
from agents.record.moves import move_hand_command
from agents.states import HandState, MoveRefused, PlanState
from agents.toolkit.limits import UnknownLimit, reached, session_limits
from agents.workspaces import waiting_for_hands
from agents.workspaces.stores import checkouts
from people import sealing
from sandbox.contract import Result, SandboxError, SessionState
from sandbox.store.snapshots import SnapshotRefused

logger = logging.getLogger(__name__)

_AT_ONCE = 8
_WHAT_MAX = 200


@dataclass(frozen=True)
class Done:
    """What a command came to: the answer people see, the session after it, the files after it."""

    answer: Mapping[str, Any]
    session: SessionState
    after: str
    summary: str
    ok: bool


def one() -> bool:
    """Carry out the command that waits longest and that nobody has; whether there was one."""
    waiting = HandCommand.objects.filter(state=HandState.WAITING.value).order_by("pk")
    oldest = waiting.values_list("pk", flat=True).first()
    if oldest is not None:
        work(oldest)
    return oldest is not None


def work(command_id: int) -> None:
    """Carry the command out, unless somebody else has it, it has ended, or it may not run any more."""
    command = claim(command_id)
    if command is None:
        return
    asked = HandCommand.objects.filter(pk=command.pk, cancel_requested=True)
    try:
        with Companion(command.goal_id, renew=lambda: leased.renew(command), is_cancelled=asked.exists) as companion:
            _carry_out(command, companion)
    except MoveRefused as late:
        logger.warning("Command %s was given up meanwhile; nothing of it counts: %s", command.pk, late)
    except Exception:
        # The edge of the loop: a fault of mindX must not leave the workspace locked until the lease runs out.
        logger.exception("Command %s failed inside mindX", command.pk)
        give_up(command, "it failed inside mindX; see the log of the worker")


def claim(command_id: int) -> HandCommand | None:
    """Take the command for this worker; None when it is not waiting (any more).

    A plan and a typed command of one workspace never run together: both begin under the lock on the workspace's row,
    and each looks for the other there. What was typed for other files, or by somebody who lost the right since, ends
    without having run.
    """
    if Standstill.objects.exists():
        return None
    with transaction.atomic():
        where = HandCommand.objects.filter(pk=command_id).values_list("workspace_id", flat=True).first()
        if where is None:
            return None
        workspace = Workspace.objects.select_for_update(no_key=True).get(pk=where)
        command = _begun(command_id)
        if command is None:
            return None
        if reason := _why_not_now(command, workspace):
            _end(command, HandState.CANCELLED, "did not run", reason=reason, started_at=None)
            return None
        # It is carried out at most once, whatever its row says afterwards.
        sealing.end(command)
    return command


def sweep() -> None:
    """Give up what a worker left behind. One question while nothing is typed."""
    left = HandCommand.objects.filter(leased.free(HandCommand), state=HandState.RUNNING.value).order_by("pk")
    for pk in list(left.values_list("pk", flat=True)[:_AT_ONCE]):
        with transaction.atomic():
            _begun(pk)
        if HandCommand.objects.filter(pk=pk, state=HandState.LOST.value).exists():
            for folder in checkouts().glob(f"typed-{pk}-*"):
                shutil.rmtree(folder, ignore_errors=True)


def give_up(command: HandCommand, reason: str) -> bool:
    """End it without an effect, by whoever holds its fence; False when it is somebody else's or has ended."""
    try:
        _move(command, HandState.LOST, reason=storable(reason))
    except MoveRefused:
        return False
    return True


def _begun(command_id: int) -> HandCommand | None:
    """The command, begun; None where it was not free, or was given up: its worker died, or nobody sealed it."""
    free = HandCommand.objects.filter(leased.free(HandCommand), pk=command_id)
    return leased.begin(free.select_related("goal__workspace", "by"), move=_move)


def _move(command: HandCommand, new: HandState, *, reason: str = "", **also: Any) -> None:
    if new == HandState.LOST:
        _end(command, new, "took no effect", reason=reason)
    else:
        move_hand_command(command, new, reason=reason, **also)


def _end(command: HandCommand, new: HandState, says: str, *, reason: str, **also: Any) -> None:
    """End it without an effect: in its row, in the log of its goal and in the audit."""
    what, level = (What.LOST, "error") if new == HandState.LOST else (What.CANCELLED, "warning")
    with transaction.atomic():
        move_hand_command(command, new, reason=reason, **also)
        _say(command, f"{says}: {reason}", level)
        tell(command, what, why=reason)
        _wake_plans(command)


def _carry_out(command: HandCommand, companion: Companion) -> None:
    state = SessionState.from_json(command.session_before)
    try:
        limits = session_limits(command.limits)
        name = f"typed-{command.pk}-{command.lease_fence}"
        reading = command_reading.stored(command)
        with open_desk_in(name, command.snapshot_before, state, limits, reading.hosts) as desk:
            request = command_reading.request_of(reading)
            result = desk.session.execute(request, on_output=companion.output, cancel=companion.stop_work)
            logs.write(command.goal_id, companion.drain())
            if companion.lost:
                raise MoveRefused(f"the lease on command {command.pk} was lost while it ran")
            if companion.interrupted and not result.ok:
                give_up(command, "the worker was told to stop while it ran; nothing was changed")
                return
            if companion.cancelled:
                _stop(command)
                return
            # Before the desk is cleared: people need not wait for thousands of files to be removed.
            finish(command, _kept(command, desk, result))
    except (SandboxError, UnknownLimit) as error:
        give_up(command, f"the sandbox is unavailable: {error}")


def finish(command: HandCommand, done: Done) -> None:
    """Record the end and move the head with it, or MoveRefused with nothing changed: a late report counts nothing.

    The races it closes besides: a cancellation that came after the program had ended (it counts, or it is refused),
    and a person who began to write a file before the command was claimed and ended after.
    """
    with transaction.atomic():
        workspace = Workspace.objects.select_for_update(no_key=True).get(pk=command.workspace_id)
        if HandCommand.objects.select_for_update(no_key=True).get(pk=command.pk).cancel_requested:
            _stop(command)
            return
        moved = done.after != command.snapshot_before
        if moved and workspace.head != command.snapshot_before:
            give_up(command, "the files changed while it ran, so nothing of it was kept")
            return
        answer = json.loads(json_text(done.answer))
        after = done.session.to_json()
        move_hand_command(command, HandState.DONE, result=answer, session_after=after, snapshot_after=done.after)
        if moved:
            Workspace.objects.filter(pk=workspace.pk).update(head=done.after, changed_at=timezone.now())
            WorkspaceChange.objects.create(
                workspace=workspace,
                by=command.by,
                kind=WorkspaceChange.Kind.COMMAND,
                what=command.text[:_WHAT_MAX],
                before=command.snapshot_before,
                after=done.after,
            )
        _say(command, done.summary, "info" if done.ok else "error")
        tell(command, What.ENDED, after=done.after, why=done.summary)
        _wake_plans(command)


def _kept(command: HandCommand, desk: Desk, result: Result) -> Done:
    """Store what the command left. A program that ended by itself keeps its files whatever its exit code, as in any
    terminal; one that was stopped at a limit, or whose deletions were refused, leaves nothing.
    """
    answer = result.as_json()
    stopped = result.limit is not None or "deleted" in result.data
    ended_itself = result.ok or ("return_code" in result.data and not stopped)
    summary = summary_of(result)
    if result.limit is not None:
        summary += f" ({reached(result.limit, command.limits, command.params.get('timeout_s'))})"
    if ended_itself:
        try:
            desk.keep()
        except SnapshotRefused as refused:
            answer |= {"status": "ERROR", "error_class": "TOOL_EXECUTION_ERROR", "reason": str(refused)}
            answer["limit"] = refused.limit
            summary, result = f"nothing was kept: {refused}", replace(result, status="ERROR")
    elif stopped:
        summary += "; nothing was kept"
    return Done(answer, _session_after(command, desk), desk.head, summary, result.ok)


def _session_after(command: HandCommand, desk: Desk) -> SessionState:
    """Where the session stands now. A tick for one command does not switch the mode for the next one."""
    state = desk.session.state
    once = command.autonomous_once and command.command != "toggle_autonomous_mode"
    return replace(state, autonomous=state.autonomous and not once)


def _why_not_now(command: HandCommand, workspace: Workspace) -> str:
    if reason := hand_commands.why_not(command.by, command.goal):
        return reason
    if waiting_for_hands.running_plans().filter(workspace=workspace).exists():
        return "a plan started on these files first; check what it does, then type the command again"
    if workspace.head != command.snapshot_before:
        return "the files changed before it could start; check them, then type the command again"
    state = SessionState.from_json(command.session_before)
    if reason := command_reading.policed(command.goal, command.by, command_reading.stored(command), state):
        return reason
    return ""


def _stop(command: HandCommand) -> None:
    """The worker saw that a person cancelled: the program is dead, its checkout goes, nothing changed."""
    reason = HandCommand.objects.values_list("reason", flat=True).get(pk=command.pk)
    _end(command, HandState.CANCELLED, "stopped, nothing was changed", reason=reason)


def _wake_plans(command: HandCommand) -> None:
    """An approved plan of these files may have waited for the command."""
    waiting = IntentPlan.objects.filter(workspace=command.workspace_id, state=PlanState.APPROVED.value)
    for goal_id in waiting.order_by("pk").values_list("goal_id", flat=True)[:_AT_ONCE]:
        wake_ups.wake(goal_id)


def _say(command: HandCommand, text: str, level: str = "info") -> None:
    logs.say(command.goal_id, speaker(command.by), "execute", text, level, command=command.pk)
