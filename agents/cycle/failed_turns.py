"""Turns that an error inside mindX ended: tried again after a pause, a few times; then a person is asked.

Such a turn counts as one whose worker died (`Goal.lost_workers`): either way the goal got no further, and what fails
every time must end somewhere. The traceback is kept for operators; everybody else is told its reference.
"""

from __future__ import annotations

import secrets
import traceback

from django.db import connection, transaction

from agents.execution import database_outage
from agents.learning import learning
from agents.models import Goal, TurnFailure
from agents.record import logs, wake_ups
from agents.record.lease import LOST_WORKERS_MAX, PLACE, Lease, hold
from agents.record.moves import GIVEN_BACK, move_goal
from agents.recovery.internal_errors import REASON
from agents.states import GOAL_ENDED, GoalState

PAUSE_S = 15.0
_TRACEBACK_MAX = 20_000
_ERROR_MAX = 300
# The owner stays, so that the next claim counts this turn as one that got no further.
_PAUSE = f"""
UPDATE agents_goal goal SET lease_until = clock_timestamp() + make_interval(secs => %s)
WHERE id = %s AND lease_fence = %s
RETURNING CASE WHEN lost_at = ({PLACE}) THEN lost_workers ELSE 0 END
"""  # noqa: S608  # our own words
# What a turn does in each state, as the log and people name it.
_DOES = {
    GoalState.BLOCKED: ("deliberate", "Unblocking"),
    GoalState.PENDING: ("plan", "Planning"),
    GoalState.PLANNING: ("plan", "Planning"),
    GoalState.AWAITING_REVIEW: ("execute", "Running the plan"),
    GoalState.EXECUTING: ("execute", "Running the plan"),
    GoalState.RECOVERING: ("recover", "Recovering"),
}
_LEARNS = ("learn", "Remembering")


def ended_by(error: Exception, lease: Lease) -> bool:
    """Keep the error, and try again after a pause; at the third time in a row without getting further, ask a person.

    False, and nothing is written, when somebody else holds the goal by now: the next worker removes what this one
    stood on, which is then what it fails by.
    """
    with transaction.atomic():
        before = _paused(lease, PAUSE_S)
        if before is None:
            return False
        gives_up = before + 1 >= LOST_WORKERS_MAX
        failure = _kept(error, lease, gives_up)
        database_outage.close_tries(lease, f"an error inside mindX (reference {failure.reference})")
        if gives_up:
            _ask(lease, failure)
            return True
        does = _does(lease)[1]
        text = f"{does} failed inside mindX (reference {failure.reference}); the next try is in {PAUSE_S:g} s"
        logs.say(lease.goal_id, "worker", "cycle", text, level="error", reference=failure.reference)
        return True


def refused(error: Exception, lease: Lease) -> None:
    """A move was refused. Mostly somebody moved first; a goal that is refused it again and again is led to a person."""
    with transaction.atomic():
        before = _paused(lease, 0)
        if before is not None and before + 1 >= LOST_WORKERS_MAX:
            _ask(lease, _kept(error, lease, gives_up=True))


def _paused(lease: Lease, pause_s: float) -> int | None:
    """How many turns before this one got no further than here; None when the goal is no longer this lease's."""
    with connection.cursor() as cursor:
        cursor.execute(_PAUSE, [pause_s, lease.goal_id, lease.fence])
        row = cursor.fetchone()
    return None if row is None else int(row[0])


def _kept(error: Exception, lease: Lease, gives_up: bool) -> TurnFailure:
    lines = "".join(traceback.format_exception(error))
    return TurnFailure.objects.create(
        goal_id=lease.goal_id,
        reference=secrets.token_hex(4),
        stage=_does(lease)[0],
        fence=lease.fence,
        worker=lease.owner,
        error=logs.storable(f"{type(error).__name__}: {error}")[:_ERROR_MAX],
        # Its end says where the error was raised.
        traceback=logs.storable(lines[-_TRACEBACK_MAX:]),
        gave_up=gives_up,
    )


def _ask(lease: Lease, failure: TurnFailure) -> None:
    """Lead the goal to a person. One that has ended stays as it is and is only not remembered."""
    goal = hold(lease)
    stage, does = _does(lease)
    what = f"{does} failed inside mindX {LOST_WORKERS_MAX} times (reference {failure.reference})"
    if goal.state in GOAL_ENDED:
        learning.give_up(lease, what)
        return
    logs.say(goal.pk, "worker", stage, f"{what}; a person must decide how to go on", level="error")
    if goal.state == GoalState.PENDING:
        move_goal(goal, GoalState.PLANNING, by=lease.owner)
    move_goal(goal, GoalState.MANUAL, by=lease.owner, reason=f"{REASON}: {what}", **GIVEN_BACK)
    wake_ups.queue_changed()


def _does(lease: Lease) -> tuple[str, str]:
    state = (
        GoalState(lease.state)
        if lease.state
        else GoalState(Goal.objects.values_list("state", flat=True).get(pk=lease.goal_id))
    )
    return _DOES.get(state, _LEARNS)
