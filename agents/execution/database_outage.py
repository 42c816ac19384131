"""A worker whose database went away lives, and still has in its hands what its step came to.

It waits until the database answers and reports then: the fence on the plan's row decides whether that still counts.
Where it cannot go on, it gives its goal back and says that nobody died: an outage is no poisonous step.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from django.db import DatabaseError, InterfaceError, InternalError, OperationalError, connection, transaction
from django.db.models.functions import Now

from agents.models import Attempt, IntentPlan
from agents.plans import report_filing
from agents.record import disk, draining, logs
from agents.record.lease import Lease, LeaseLost, hold, leave, release
from agents.states import PlanState

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")

# Nothing else could be done here meanwhile: every other goal needs the same database.
PATIENCE_S = 600.0
PAUSE_S = 0.2
# A goal that found a disk full is not claimed again before.
FULL_PAUSE_S = 5.0
# Classes and codes of SQLSTATE: a lost connection, a server that stops or starts. Without a code nothing was answered.
_AWAY = ("08", "57P01", "57P02", "57P03")
# The server ended the session, because this process lay still in a transaction.
_LAY_STILL = "25P03"
_LOST = (OperationalError, InterfaceError, InternalError)


def is_outage(error: BaseException) -> bool:
    """Whether the connection broke or could not be made; a statement refused on a sound one is something else.

    Asked of the error: when it comes out of a transaction, Django has connected anew already.
    """
    if not isinstance(error, _LOST):
        return False
    state = str(getattr(error.__cause__, "sqlstate", None) or "")
    if isinstance(error, InternalError):
        return state == _LAY_STILL
    return not state or state.startswith(_AWAY)


def when_it_answers(
    act: Callable[[], Answer],
    again: Callable[[], Answer] | None = None,
    *,
    give_up: Callable[[], object] = lambda: False,
) -> Answer:
    """`act()`, and after each outage `again()`, which must be right too where only the reply to a commit was lost.

    Without `again`, `act` is. Inside a transaction nothing is repeated: what came before it in there is gone.
    """
    until = time.monotonic() + PATIENCE_S
    said = False
    while True:
        try:
            return act()
        except _LOST as error:
            if connection.in_atomic_block or not is_outage(error):
                raise
            connection.close()
            if give_up() or draining.is_urgent() or time.monotonic() > until:
                raise
            if not said:  # once an outage
                logger.warning("The database went away; trying again until it answers: %s", error)
            said = True
            act = again or act
            time.sleep(PAUSE_S)


def give_back(lease: Lease) -> None:
    """Leave the goal to the next worker as soon as the database answers."""
    try:
        when_it_answers(lambda: _give_back(lease))
    except LeaseLost:
        logger.info("Goal %s went on elsewhere after an outage of the database", lease.goal_id)
    except DatabaseError as error:
        if not disk.is_full(error):
            raise
        put_off(lease)


def put_off(lease: Lease) -> None:
    """Leave the goal for some seconds while a disk is full, so that neither its turns nor its tries count as deaths of
    workers.

    A change of one row mostly still finds room. Where it does not, it is tried again until somebody else has the goal.
    """
    logger.warning("A disk is full; goal %s is postponed for %g s", lease.goal_id, FULL_PAUSE_S)
    until = time.monotonic() + PATIENCE_S
    ways = [_interrupt_and_leave, _leave]
    while not draining.is_urgent() and time.monotonic() < until:
        way = ways[0]
        try:
            when_it_answers(partial(way, lease))
        except LeaseLost:
            return
        except DatabaseError as error:
            if not disk.is_full(error):
                raise
            # To leave takes the least room; the tries are closed where there is more.
            ways.reverse()
            time.sleep(PAUSE_S)
        else:
            return


def _interrupt_and_leave(lease: Lease) -> None:
    with transaction.atomic():
        hold(lease)
        close_tries(lease, "a disk was full")
        _leave(lease)


def _leave(lease: Lease) -> None:
    leave(lease, FULL_PAUSE_S)


def _give_back(lease: Lease) -> None:
    with transaction.atomic():
        hold(lease)
        close_tries(lease, "the database went away")
        text = "the database connection was lost during this turn; it starts again"
        logs.say(lease.goal_id, "worker", "cycle", text, level="warning")
        release(lease)


def close_tries(lease: Lease, reason: str) -> None:
    """Close the tries of a turn that ended without an outcome as interrupted, inside the caller's transaction.

    One of a step that runs once stays open: nobody may know what it did.
    """
    for plan in IntentPlan.objects.filter(goal_id=lease.goal_id, state=PlanState.EXECUTING.value):
        report_filing.file(plan.pk, lease.goal_id)
    open_tries = Attempt.objects.filter(
        intent__intent_plan__goal_id=lease.goal_id, fence=lease.fence, finished=None
    ).exclude(intent__effect="once")
    open_tries.update(finished=Now(), outcome="interrupted", reason=reason)
