"""Deliberation: which goal comes next, which one goes first between two steps of another, and why. Pure.

The claim of a worker follows the same order in SQL (`agents/record/lease.py`); here it is said in words and proved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

# Every so many claims a worker takes the goal that has waited longest, whatever its priority, so that none starves:
# the goal with m older ones before it is begun after at most (m + 1) times so many claims of one worker.
OLDEST_EVERY = 8
# A plan that runs is not put off before it has had this much time, but for a goal of a higher priority.
TURN_S = 10.0
# For each level of priority that it is less urgent, a goal waits this long before a running plan lets it go first.
LEVEL_S = 60.0


@dataclass(frozen=True)
class Candidate:
    """A goal that waits. Priority 1 is first, 5 last; times are ISO texts in one zone, "" for none."""

    id: str
    priority: int
    submitted_at: str
    deadline: str = ""
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class Choice:
    """The goal to adopt (None: nothing can start), why in words, and what to do with those that will never start."""

    goal: str | None
    reason: str
    impossible: tuple[str, ...] = ()
    overdue: tuple[str, ...] = ()
    before: tuple[str, ...] = field(default=())


def is_turn_of_the_oldest(claims: int) -> bool:
    """Whether a worker that has claimed so often takes the goal that has waited longest."""
    return claims % OLDEST_EVERY == OLDEST_EVERY - 1


def choose(
    waiting: Sequence[Candidate],
    achieved: frozenset[str],
    ended_badly: frozenset[str],
    now: str,
    *,
    oldest: bool = False,
) -> Choice:
    """Return the next goal: of the unblocked ones priority first, then the nearer deadline, then the oldest; or, with
    `oldest`, the one that has waited longest.

    `achieved` and `ended_badly` are ids of goals that are over; a goal that depends on one that ended badly is
    impossible. A goal whose deadline has passed is overdue and not chosen: whether it is still wanted is a person's
    decision.
    """
    impossible = _impossible(waiting, ended_badly)
    overdue = tuple(goal.id for goal in waiting if goal.id not in impossible and is_overdue(goal.deadline, now))
    ready = [
        goal
        for goal in waiting
        if goal.id not in overdue
        # What is impossible waits for something that is not achieved.
        and all(needed in achieved for needed in goal.depends_on)
    ]
    if not ready:
        return Choice(
            None, "no goal is waiting" if not waiting else "every waiting goal is blocked", impossible, overdue
        )
    first = min(ready, key=_age if oldest else _order)
    others = tuple(goal.id for goal in sorted(ready, key=_order) if goal.id != first.id)
    return Choice(first.id, _why(first, ready, oldest=oldest), impossible, overdue, others)


def is_overdue(deadline: str, now: str) -> bool:
    """Whether there is a deadline and it has passed."""
    return bool(deadline) and deadline < now


def _why(first: Candidate, ready: Sequence[Candidate], *, oldest: bool) -> str:
    others = [goal for goal in ready if goal.id != first.id]
    if not others:
        return f"priority {first.priority}, and no other goal is waiting"
    count = f"{len(others)} other{'s' * (len(others) > 1)}"
    if oldest and min(others, key=_order, default=first).priority < first.priority:
        return f"priority {first.priority}, but it has waited longest of {len(ready)} waiting goals"
    same = [goal for goal in others if goal.priority == first.priority]
    if not same:
        return f"priority {first.priority}, before {count}"
    if first.deadline and any(goal.deadline != first.deadline for goal in same):
        return f"priority {first.priority} and the nearest deadline, before {count}"
    return f"priority {first.priority} and the oldest of that priority, before {count}"


def _order(goal: Candidate) -> tuple[int, bool, str, str, str]:
    return goal.priority, not goal.deadline, goal.deadline, goal.submitted_at, goal.id


def _age(goal: Candidate) -> tuple[str, str]:
    return goal.submitted_at, goal.id


def _impossible(waiting: Sequence[Candidate], ended_badly: frozenset[str]) -> tuple[str, ...]:
    """Follow failed dependencies through goals that wait themselves."""
    lost = set(ended_badly)
    found: list[str] = []
    changed = True
    while changed:
        changed = False
        for goal in waiting:
            if goal.id not in lost and any(needed in lost for needed in goal.depends_on):
                lost.add(goal.id)
                found.append(goal.id)
                changed = True
    return tuple(found)


@dataclass(frozen=True)
class InTurn:
    """A goal of the agent whose plan runs, or that could go on now.

    `since_s`: for how long it has run since it was claimed, or has got nothing done. `deadline_s`: seconds since 1970.
    """

    goal: int
    priority: int
    since_s: float
    deadline_s: float | None = None


@dataclass(frozen=True)
class GoesFirst:
    """The goal that continues in place of the running one, and why."""

    goal: int
    why: str


def goes_first(running: InTurn, waiting: Sequence[InTurn]) -> GoesFirst | None:
    """Which goal of the same agent goes on between two steps of the one that runs; None: that one goes on.

    At once one of a higher priority; after a turn one of the same priority; and one of a lower priority once it has
    waited for each level between them, so that a long plan keeps nobody out. Of those, whoever is over that by the most
    turns; among those of the same turn the more urgent one, then the nearer deadline.
    """
    due = [other for other in waiting if other.since_s >= _patience_s(running, other)]
    if not due:
        return None
    # The turns come first: a stream of urgent goals, or of near deadlines, lets an old one through too.
    first = min(due, key=lambda one: _after_whom(running, one))
    if first.priority < running.priority:
        return GoesFirst(first.goal, f"goal {first.goal} has priority {first.priority}, this one {running.priority}")
    waited = f"goal {first.goal} of priority {first.priority} has waited {first.since_s:.0f} s"
    return GoesFirst(first.goal, f"{waited}, and this one has run {running.since_s:.0f} s")


def _after_whom(running: InTurn, one: InTurn) -> tuple[float, int, float, float, int]:
    over_s = one.since_s - _patience_s(running, one)
    deadline = math.inf if one.deadline_s is None else one.deadline_s
    return -(over_s // TURN_S), one.priority, deadline, -over_s, one.goal


def _patience_s(running: InTurn, other: InTurn) -> float:
    if other.priority < running.priority:
        return 0.0
    return max(0.0, TURN_S - running.since_s, LEVEL_S * (other.priority - running.priority), TURN_S / 2)
