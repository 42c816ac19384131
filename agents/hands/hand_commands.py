"""Commands that a person types into the session of a goal: who may, what is taken, how one is stopped.

A worker carries them out (`agents.hands.typed`), in a jail of its own for each, never this process.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max

from agents.hands import command_reading
from agents.hands.command_reading import NOT_HERE, Reading
from agents.models import Attempt, Goal, HandCommand, TerminalSession, Workspace
from agents.record import audit, logs, wake_ups
from agents.record.audit import Event, What
from agents.record.errors import NotPossibleNow, NotYours
from agents.record.moves import move_hand_command
from agents.record.selectors import current_plan, may_change, workspaces_writable_by
from agents.states import HandState
from agents.workspaces import waiting_for_hands
from people import sealing
from people.models import User
from people.roles import Role
from sandbox import commands
from sandbox.console import typed
from sandbox.contract import SessionState

logger = logging.getLogger(__name__)

_REFUSED_TEXT_MAX = 1_000
_BUSY = "Another command typed by hand is unfinished on these files. Wait until it has ended, or cancel it."
_PLAN_RUNS = "A plan is running on these files. Wait until it has ended, or cancel its goal."

# What the page offers: every command of the session that makes sense here.
OFFERED = tuple(name for name in commands.COMMANDS if name not in NOT_HERE)


def speaker(user: User) -> str:
    """The person as a source of log lines; a source has at most 64 characters."""
    return f"person.{user.username}"[:64]


def why_not(user: User, goal: Goal) -> str:
    """The sentence that says who may type into this goal's session, when this person may not; empty when they may."""
    if settings.FOUR_EYES:
        return (
            "Typed commands are off: MINDX_FOUR_EYES is on, and nobody else reviews a typed command."
            " Propose a plan instead."
        )
    if not user.has_role(Role.OPERATOR):
        return "Only operators can type commands, in workspaces of their own. Admins can in every workspace."
    if not workspaces_writable_by(user).filter(pk=goal.workspace_id).exists():
        return (
            f"The workspace {goal.workspace.name} belongs to somebody else. Only its owner, if an operator, and"
            " admins can type commands there."
        )
    return ""


def may_cancel(user: User, command: HandCommand) -> bool:
    """Stopping is open to more people than typing: who typed it, the goal's submitter, operators and admins."""
    return user.is_active and (command.by_id == user.pk or may_change(user, command.goal))


def standing(goal: Goal) -> tuple[SessionState, User | None]:
    """Where the session stands, and who typed last; None when a plan used it after that.

    Whoever worked last decides: the last typed command that was done, or the newest plan.
    """
    done = HandCommand.objects.filter(goal=goal, state=HandState.DONE.value).select_related("by")
    last = done.order_by("-pk").first()
    plan_state, plan_at = _session_of_plan(goal)
    if last is None or last.finished_at is None or (plan_at is not None and plan_at > last.finished_at):
        return plan_state, None
    return SessionState.from_json(last.session_after or {}), last.by


def session_for(goal: Goal, user: User) -> SessionState:
    """Where the session stands for what this person types next.

    Autonomous mode holds only for the person who switched it on by typing, and until a plan or somebody else has used
    the session: what a plan was allowed to do is no leave to delete by hand.
    """
    state, by = standing(goal)
    return replace(state, autonomous=state.autonomous and by == user)


def read(goal: Goal, by: User, text: str, *, hosts: Sequence[str] = (), timeout_s: int | None = None) -> Reading:
    """What would be stored if this person submitted it. Raises NotYours (audited) and CommandRefused."""
    if reason := why_not(by, goal):
        logger.warning("A command typed by %s in goal %s was refused: %s", by.pk, goal.pk, reason)
        audit.record(Event(What.REFUSED, by, goal.pk, _shown(text)[:_REFUSED_TEXT_MAX], why=reason))
        raise NotYours(reason)
    return command_reading.read(goal, by, text, session_for(goal, by), hosts, timeout_s)


def submit(
    goal: Goal,
    by: User,
    text: str,
    *,
    autonomous: bool = False,
    hosts: Sequence[str] = (),
    timeout_s: int | None = None,
) -> HandCommand:
    """Store what was typed and wake a worker. `autonomous` lets this one command delete, without switching the mode.

    Raises NotYours (audited), CommandRefused and NotPossibleNow; then nothing is stored.
    """
    reading = read(goal, by, text, hosts=hosts, timeout_s=timeout_s)
    state = session_for(goal, by)
    once = autonomous and not state.autonomous
    try:
        with transaction.atomic():
            command = _store(goal, by, reading, state, once)
    except IntegrityError as error:
        # The race it answers: two people submit at once. The unique index let the other one through.
        raise NotPossibleNow(_BUSY) from error
    return command


def cancel(command: HandCommand, by: User) -> HandCommand:
    """End a command that waits; ask the worker to end one that runs, which takes about a second.

    Raises NotYours, and NotPossibleNow when it has ended.
    """
    if not may_cancel(by, command):
        raise NotYours("Only the person who typed this command, the goal's submitter or an operator can cancel it.")
    with transaction.atomic():
        command = (
            HandCommand.objects.select_for_update(of=("self",), no_key=True)
            .select_related("goal", "by")
            .get(pk=command.pk)
        )
        if command.has_ended:
            raise NotPossibleNow("This command has ended already.")
        reason = f"cancelled by {by.display_name}"
        logs.say(command.goal_id, speaker(by), "cancel", f"cancels the command: {command.text}", "warning")
        if command.state == HandState.WAITING:
            move_hand_command(command, HandState.CANCELLED, reason=reason)
            tell(command, What.CANCELLED, by=by, why=reason)
        elif not command.cancel_requested:
            # `reason` stays with the row while it runs, so that the worker can say who it was.
            HandCommand.objects.filter(pk=command.pk).update(cancel_requested=True, reason=reason)
            command.cancel_requested, command.reason = True, reason
            tell(command, What.CANCEL_ASKED, by=by, why=reason)
    return command


def tell(command: HandCommand, what: What, *, by: User | None = None, after: str = "", why: str = "") -> None:
    """Tell the audit, in the transaction that moved the command."""
    audit.record(
        Event(
            what,
            by or command.by,
            command.goal_id,
            command.text,
            command.pk,
            before=command.snapshot_before,
            after=after,
            why=why,
        )
    )


def _store(goal: Goal, by: User, reading: Reading, state: SessionState, once: bool) -> HandCommand:
    workspace = Workspace.objects.select_for_update(no_key=True).get(pk=goal.workspace_id)
    if waiting_for_hands.running_plans().filter(workspace=workspace).exists():
        raise NotPossibleNow(_PLAN_RUNS)
    if workspace.hand_commands.filter(state__in=[HandState.WAITING.value, HandState.RUNNING.value]).exists():
        raise NotPossibleNow(_BUSY)
    command = HandCommand.objects.create(
        workspace=workspace,
        goal=goal,
        by=by,
        text=reading.text,
        command=reading.command,
        params=dict(reading.params),
        limits=dict(reading.limits),
        session_before=replace(state, autonomous=state.autonomous or once).to_json(),
        snapshot_before=workspace.head,
        autonomous_once=once,
    )
    sealing.seal(command)
    logs.say(goal.pk, speaker(by), "execute", f"{typed.prompt(state)}{reading.text}", command=command.pk)
    tell(command, What.SUBMITTED)
    wake_ups.goal_changed(goal.pk)
    wake_ups.wake_worker()
    return command


def _session_of_plan(goal: Goal) -> tuple[SessionState, datetime | None]:
    """The terminal of the newest plan, and when its last try ended."""
    plan = current_plan(goal)
    if plan is None:
        return SessionState(), None
    row = TerminalSession.objects.filter(intent_plan=plan).first()
    ended = Attempt.objects.filter(intent__intent_plan=plan).aggregate(last=Max("finished"))["last"]
    return SessionState.from_json(row.state if row else {}), ended


def _shown(text: str) -> str:
    return text.replace("\x00", "\u2400")
