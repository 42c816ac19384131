"""Deliberating: which goal comes next, and which intentions have lost their reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.bdi.types import Belief
from agents.rules.entailment import entails


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


def choose(waiting: Sequence[Candidate], achieved: frozenset[str], ended_badly: frozenset[str], now: str) -> Choice:
    """Return the next goal: of the unblocked ones priority first, then the nearer deadline, then the oldest.

    `achieved` and `ended_badly` are ids of goals that are over; a goal that depends on one that ended badly is
    impossible.
    A goal whose deadline has passed is overdue and not chosen: whether it is still wanted is a person's decision.
    """
    impossible = _impossible(waiting, ended_badly)
    overdue = tuple(goal.id for goal in waiting if goal.deadline and goal.deadline < now)
    ready = [
        goal
        for goal in waiting
        if goal.id not in impossible
        and goal.id not in overdue
        and all(needed in achieved for needed in goal.depends_on)
    ]
    if not ready:
        return Choice(None, "nothing waits" if not waiting else "every goal that waits is blocked", impossible, overdue)
    first = min(ready, key=_order)
    others = len(ready) - 1
    reason = f"priority {first.priority}" + (f", before {others} other{'s' if others > 1 else ''}" if others else "")
    return Choice(first.id, reason, impossible, overdue)


def _order(goal: Candidate) -> tuple[int, bool, str, str, str]:
    return goal.priority, not goal.deadline, goal.deadline, goal.submitted_at, goal.id


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


def lost_reasons(contexts: Sequence[str], beliefs: Sequence[Belief]) -> list[tuple[str, Belief]]:
    """Return the contexts a plan stood on that a belief now contradicts, each with that belief.

    A context about which nothing is known any more is not lost: silence is no reason to drop an intention.
    """
    lost = []
    for context in contexts:
        denied = context.startswith("NOT ")
        verdicts = [(entails(belief.sentence, context.removeprefix("NOT ")), belief) for belief in beliefs]
        wanted, against = ("no", "yes") if denied else ("yes", "no")
        speaks_against = [belief for verdict, belief in verdicts if verdict.answer == against]
        if speaks_against and not any(verdict.answer == wanted for verdict, _ in verdicts):
            lost.append((context, speaks_against[0]))
    return lost
