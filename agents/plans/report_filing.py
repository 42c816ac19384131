"""Filing what steps reported: into the tables of tries, intents and log lines that people and everything else read.

A step that ends writes one row beside its plan's: a report, which is the truth from that moment on. Reports are filed
together: when the plan ends, before whatever goes on with those rows, and ten times a second while steps run. Filing
only moves what is true already, so anybody may do it at any time: a worker that died before it did leaves it to the
next one (`taking_up`), or to the sweep.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from django.db import DatabaseError, transaction

from agents.models import Goal, IntentPlan, StepReport
from agents.record import prepared, wake_ups
from agents.record.statements import statement

logger = logging.getLogger(__name__)

# Reports that are older were left behind: a claim files ten times a second.
LEFT_BEHIND_S = 10.0
SWEEP_PLANS = 64


class Filer:
    """Files the reports of one claim. The worker reports, it and its companion file, each on its own connection."""

    def __init__(self, plan_id: int, goal_id: int) -> None:
        self._plan_id, self._goal_id = plan_id, goal_id
        self._is_due = self._is_over = False
        # Who asks while the other files waits until that is committed: he is about to read it, or to write behind it.
        self._filing = threading.Lock()

    def reported(self) -> None:
        """A report was made."""
        self._is_due = True

    def filed(self) -> None:
        """All reports were filed with the plan's end: none is left, nor comes. Who files beside it may have found the
        rows locked, and hold that something is due.
        """
        self._is_over = True

    def file(self, *, wait: bool = True) -> bool:
        """File what was reported; costs nothing when nothing was. Without `wait`, False when that cannot be done now: a
        step's statement that takes long holds the plan's row, and who renews the lease must not stand behind it.
        """
        if not self._filing.acquire(blocking=wait):
            return False
        try:
            if self._is_over or not self._is_due:
                return True
            self._is_due = False  # before it is looked for: a report that comes meanwhile is filed the next time
            try:
                done = file(self._plan_id, self._goal_id, wait=wait)
            except BaseException:
                self._is_due = True
                raise
            self._is_due = self._is_due or not done
            return done
        finally:
            self._filing.release()


def file(plan_id: int, goal_id: int, *, wait: bool = True) -> bool:
    """File all that steps of the plan reported, in the caller's transaction or one of its own; `wait` as in `Filer`."""
    with transaction.atomic(savepoint=False):
        # Two who file at once would each see only half: the second waits here, and then sees what the first wrote. The
        # goal is locked as well, and first: people who hold it write lines and lock the plan, in either order.
        if prepared.row(_LOCK if wait else _LOCK_AT_ONCE, {"plan": plan_id}) is None and not wait:
            return False
        file_locked(plan_id, goal_id)
    return True


def file_locked(plan_id: int, goal_id: int) -> None:
    """As `file`, for who has locked goal and plan in an earlier statement of the same transaction."""
    told(goal_id, prepared.row(*_asked(plan_id, goal_id)))


def behind_the_end(plan_id: int, goal_id: int, fence: int) -> tuple[str, dict[str, object]]:
    """The statement that files, with its values, for who sends it behind the one that ends the plan under this fence:
    when that has found no row, and so locked none, this one files nothing.
    """
    return _asked(plan_id, goal_id, fence)


def _asked(plan_id: int, goal_id: int, ended_by: int = 0) -> tuple[str, dict[str, object]]:
    return statement("file"), {"plan": plan_id, "goal": goal_id, "ended_by": ended_by}


def told(goal_id: int, filed: tuple[Any, ...] | None) -> None:
    """Tell open pages of what that statement answered."""
    if filed is not None:
        wake_ups.goal_changed(goal_id, filed[0])


def sweep() -> None:
    """File what was left behind by workers whose plans nobody took up since, say because their agent is paused."""
    for plan_id, goal_id in prepared.rows(_LEFT, {"age_s": LEFT_BEHIND_S, "most": SWEEP_PLANS}):
        try:
            file(plan_id, goal_id)
        except DatabaseError:
            # One that cannot be filed keeps no other one from it.
            logger.exception("What steps of plan %s reported could not be filed", plan_id)


_LOCK = f"""
SELECT plan.id
FROM {IntentPlan._meta.db_table} AS plan
JOIN {Goal._meta.db_table} AS goal ON goal.id = plan.goal_id
WHERE plan.id = %(plan)s
FOR NO KEY UPDATE OF goal, plan
"""  # noqa: S608  # names of our own tables
_LOCK_AT_ONCE = f"{_LOCK} SKIP LOCKED"
_LEFT = f"""
SELECT plan.id, plan.goal_id
FROM {IntentPlan._meta.db_table} AS plan
WHERE plan.id IN (SELECT intent_plan_id FROM {StepReport._meta.db_table}
                  WHERE at < clock_timestamp() - make_interval(secs => %(age_s)s) LIMIT %(most)s)
"""  # noqa: S608  # names of our own tables
