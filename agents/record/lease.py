"""The fenced lease on a goal's cycle: taken in one statement, kept alive by a companion, given back at the end."""

from __future__ import annotations

import itertools
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from agents.bdi.intentions.deliberation import is_turn_of_the_oldest
from agents.models import Agent, Goal, Workspace
from agents.record import prepared
from agents.record.errors import AgentsError
from people.models import User

_TEMPLATE = (Path(__file__).parent / "claimable.sql").read_text()
# The order of `agents.bdi.intentions.deliberation`.
_MOST_URGENT = "goal.priority, goal.deadline, goal.id"
# A sum, so that nobody walks the index of ids past all the goals that have ended.
_LONGEST_WAITING = "goal.id + 0"


def _claimable(which: str, order: str = _MOST_URGENT) -> str:
    """The goals that can go on, as a query that can be continued by a limit."""
    return _TEMPLATE.replace("{which}", which).replace("{order}", order)


class Turn(StrEnum):
    """What a goal's next turn is, as far as it matters who takes it and when."""

    ANY = "any"
    # A plan that was approved, or that runs already.
    APPROVED = "approved"
    PLANNING = "planning"
    LEARNING = "learning"
    # One that asks a language model: the pool's, whatever else it is. All others are for a worker's processes.
    BACKGROUND = "background"


_TURNS: Mapping[Turn, str] = {
    Turn.ANY: "NOT goal.in_background",
    Turn.APPROVED: "NOT goal.in_background AND goal.state IN ('awaiting_review', 'executing', 'recovering')",
    Turn.PLANNING: "NOT goal.in_background AND goal.state IN ('blocked', 'pending', 'planning')",
    Turn.LEARNING: "NOT goal.in_background AND goal.state IN ('achieved', 'failed', 'dropped')",
    Turn.BACKGROUND: "goal.in_background",
}
_OF_TURN = {turn: _claimable(which) for turn, which in _TURNS.items()}
_OLDEST = {turn: _claimable(which, _LONGEST_WAITING) for turn, which in _TURNS.items()}
_BESIDE = (
    "goal.agent_id = (SELECT agent_id FROM agents_goal WHERE id = %(goal)s) AND goal.id <> %(goal)s"
    " AND goal.ended_at IS NULL"
)
# Since when a goal has got nothing done: one whose plan runs by turns since its last step, not since it was begun.
_IDLE_SINCE = """CASE WHEN goal.state NOT IN ('executing', 'recovering') THEN goal.changed_at ELSE coalesce((
    SELECT max(attempt.finished)
    FROM agents_intentplan plan
    JOIN agents_intent intent ON intent.intent_plan_id = plan.id
    JOIN agents_attempt attempt ON attempt.intent_id = intent.id
    WHERE plan.goal_id = goal.id AND plan.state = 'executing'), goal.changed_at) END"""
# The other goals of the same agent that could go on: the most urgent ones, and the one that has got nothing done for
# longest; each with its priority, for how many seconds it has got nothing done, and its deadline. Some stand twice.
WAITING_BESIDE = " UNION ALL ".join(
    f"(SELECT goal.id, goal.priority, extract(epoch FROM clock_timestamp() - ({_IDLE_SINCE}))::float8 AS idle_s,"  # noqa: S608  # our own words
    f" extract(epoch FROM goal.deadline)::float8 AS deadline_s"
    f" FROM agents_goal goal WHERE goal.id IN ({_claimable(_BESIDE, order)} LIMIT {most}))"
    for order, most in ((_MOST_URGENT, 5), (f"({_IDLE_SINCE}), goal.id", 1))
)
# Two texts, and not one with a condition on the parameter: each has a plan of its own.
_OF_ONE = {turn: _claimable(f"goal.id = %(goal)s AND {which}") for turn, which in _TURNS.items()}
# Where a goal is, as far as a turn that ends there again got no further.
PLACE = """CASE goal.state WHEN 'pending' THEN 'planning' ELSE goal.state END || coalesce((
    SELECT ' ' || plan.id || ' ' || plan.position FROM agents_intentplan plan
    WHERE plan.goal_id = goal.id AND plan.state = 'executing'), '')"""
# Both parts are files of this package; what varies is passed as parameters.
_CLAIM = """
WITH picked AS ({claimable} FOR UPDATE OF goal SKIP LOCKED LIMIT 1),
standing AS (
    -- Whoever ends a turn gives the lease back; one that ran out has cost a worker, or an error ended its turn.
    SELECT goal.id, goal.lease_owner <> '' AS lost,
           {place} AS place
    FROM agents_goal goal JOIN picked ON picked.id = goal.id
), claimed AS (
    UPDATE agents_goal goal
    -- What was handed over to the pool keeps its count: a goal that ends the pool each time must end somewhere.
    SET lost_workers = CASE WHEN goal.in_background THEN goal.lost_workers
                       WHEN NOT standing.lost THEN 0
                       WHEN goal.lost_at = standing.place THEN goal.lost_workers + 1 ELSE 1 END,
        lost_at = CASE WHEN goal.in_background THEN goal.lost_at
                  WHEN standing.lost THEN standing.place ELSE '' END,
        in_background = false,
        lease_owner = %(owner)s,
        lease_fence = goal.lease_fence + 1,
        lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
    FROM standing
    WHERE goal.id = standing.id
    RETURNING goal.id, goal.lease_fence, goal.lost_workers, goal.state, goal.agent_id
)
"""
_ALONE = "SELECT id, lease_fence, lost_workers, state, agent_id FROM claimed"
_WITH = """, found AS ({query})
SELECT claimed.id, claimed.lease_fence, claimed.lost_workers, claimed.state, claimed.agent_id, found.*
FROM claimed LEFT JOIN found ON true
"""
# How many columns of the row are the claim's own.
CLAIMED = 5
_claims = itertools.count()
_GOAL = prepared.Columns(Goal, "goal")
_BESIDE_IT: Mapping[str, prepared.Columns[Any]] = {
    "workspace": prepared.Columns(Workspace, "workspace"),
    "submitted_by": prepared.Columns(User, "person"),
    "agent": prepared.Columns(Agent, "agent"),
}
_HOLD = f"""
SELECT {_GOAL.select}, {", ".join(columns.select for columns in _BESIDE_IT.values())}
FROM {Goal._meta.db_table} AS goal
JOIN {Workspace._meta.db_table} AS workspace ON workspace.id = goal.workspace_id
JOIN {User._meta.db_table} AS person ON person.id = goal.submitted_by_id
JOIN {Agent._meta.db_table} AS agent ON agent.id = goal.agent_id
WHERE goal.id = %(goal)s AND goal.lease_fence = %(fence)s
FOR NO KEY UPDATE OF goal
"""  # noqa: S608  # names of our own tables and columns


# A third worker that dies over the same thing is the last: what it tried is stopped with a reason.
LOST_WORKERS_MAX = 3


class LeaseLost(AgentsError):
    """Another worker took the goal over; nothing this one still does may count."""


@dataclass(frozen=True)
class Lease:
    """The right to work on a goal until somebody holds a higher fence.

    `lost` is how many workers died here one after another without getting further.
    """

    goal_id: int
    fence: int
    owner: str
    lost: int = 0
    # Where the goal stood when it was claimed; "": not known.
    state: str = ""
    # Whose goal it is, which never changes; 0: not known, and no further step begins under it.
    agent: int = 0
    # Whether it was taken because it had waited longest.
    oldest: bool = False
    # The goal that goes on in its place, when its plan let one go first.
    then: list[int] = field(default_factory=list, compare=False)


def worker_name() -> str:
    """This process, as attempts name it."""
    return f"{socket.gethostname()}-{os.getpid()}"


def claim(goal_id: int | None = None, of: Turn = Turn.ANY) -> Lease | None:
    """Take the lease on this goal, or on the most urgent one that can go on; None when there is nothing to do of that
    kind of turn.

    Every so often, of those that can go on, the one that has waited longest is taken, so that none starves.

    SKIP LOCKED lets several workers claim at once without waiting for each other; the clock is the database's.
    """
    claiming = Claiming(goal_id, of)
    return claiming.lease(prepared.row(*claiming.asked()))


class Claiming:
    """The statement that claims this goal, or the most urgent one, and what its row means."""

    def __init__(self, goal_id: int | None, of: Turn = Turn.ANY) -> None:
        self._owner = worker_name()
        self._goal = {} if goal_id is None else {"goal": goal_id}
        self._oldest = goal_id is None and is_turn_of_the_oldest(next(_claims))
        self._which = (_OF_ONE if goal_id is not None else _OLDEST if self._oldest else _OF_TURN)[of]

    def asked(self, query: str = "") -> tuple[str, Mapping[str, Any]]:
        """Statement and values. Behind the claim's own columns stands what a query over `claimed` (the goal) finds in
        the same statement; all NULL if nothing.
        """
        return _claim(self._which, query), {"owner": self._owner, "lease_s": settings.LEASE_S} | self._goal

    def lease(self, row: prepared.Row) -> Lease | None:
        """The lease that was taken; None when nothing was to be had."""
        if row is None:
            return None
        goal, fence, lost, state, agent = row[:CLAIMED]
        return Lease(goal, fence, self._owner, lost, state, agent, self._oldest)


@lru_cache(maxsize=8)
def _claim(which: str, query: str) -> str:
    """The statement that claims one of these goals, made once: what is prepared is found by its text."""
    claim = _CLAIM.replace("{claimable}", which).replace("{place}", PLACE)
    return claim + (_WITH.replace("{query}", query) if query else _ALONE)


def claimable(limit: int, of: Turn = Turn.ANY) -> list[int]:
    """The most urgent goals whose cycle can go on now with such a turn, by id."""
    with connection.cursor() as cursor:
        cursor.execute(f"{_OF_TURN[of]} LIMIT %(limit)s", {"limit": limit})
        return [row[0] for row in cursor.fetchall()]


def claimable_sql(of: Turn) -> str:
    """The query behind `claimable`, without a limit, for statements that ask about several kinds at once."""
    return _OF_TURN[of]


def renew(lease: Lease) -> bool:
    """Extend the lease; False when somebody else has the goal now."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE agents_goal SET lease_until = clock_timestamp() + make_interval(secs => %s)"
            " WHERE id = %s AND lease_fence = %s AND lease_until IS NOT NULL",
            [settings.LEASE_S, lease.goal_id, lease.fence],
        )
        return bool(cursor.rowcount)


def release(lease: Lease) -> None:
    """Give the goal back at once instead of letting the lease run out."""
    Goal.objects.filter(pk=lease.goal_id, lease_fence=lease.fence).update(lease_until=None, lease_owner="")


def hand_over(lease: Lease) -> bool:
    """Give the goal to the background pool, which takes its turn from the beginning; False if it is not ours."""
    mine = Goal.objects.filter(pk=lease.goal_id, lease_fence=lease.fence)
    return bool(mine.update(in_background=True, lease_until=None, lease_owner=""))


def leave(lease: Lease, pause_s: float) -> None:
    """Give the goal back so that nobody takes it for some seconds, and without counting a lost worker."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE agents_goal SET lease_owner = '', lease_until = clock_timestamp() + make_interval(secs => %s)"
            " WHERE id = %s AND lease_fence = %s",
            [pause_s, lease.goal_id, lease.fence],
        )


def hold(lease: Lease) -> Goal:
    """Lock the goal's row inside a transaction and check that the lease is still ours; LeaseLost otherwise.

    Rows that people and workers wait for are locked FOR NO KEY UPDATE everywhere: a log line refers to its goal, and
    with the stronger lock a worker that writes one and a person who cancels would each wait for the other.
    """
    row = prepared.row(_HOLD, {"goal": lease.goal_id, "fence": lease.fence})
    if row is None:
        raise LeaseLost(f"goal {lease.goal_id} was taken over (fence {lease.fence})")
    goal, at = _GOAL.made(row[: len(_GOAL)]), len(_GOAL)
    for name, columns in _BESIDE_IT.items():
        goal._state.fields_cache[name] = columns.made(row[at : at + len(columns)])
        at += len(columns)
    return goal
