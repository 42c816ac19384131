"""How the estimate for each strategy developed: the outcomes of a class and tool, replayed one by one. Pure.

The last point of a strategy is what the next decision stands on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.bdi.recovery.recovery_learning import Cell, Memory


@dataclass(frozen=True)
class Outcome:
    """One case, numbered by its failure: the strategy (with its variant), and whether it helped."""

    number: int
    at: datetime
    strategy: str
    succeeded: bool


@dataclass(frozen=True)
class Reset:
    """From then on outcomes up to a number no longer count; `strategy` "" is all of them."""

    up_to: int
    at: datetime
    strategy: str = ""


@dataclass(frozen=True)
class Point:
    """What is believed after an outcome: the successes and failures that still count, and how many cases there are."""

    at: datetime
    won: float
    lost: float
    cases: int

    @property
    def counting(self) -> float:
        """How many cases the ones that still count are worth."""
        return self.won + self.lost

    @property
    def share(self) -> float:
        """Of what still counts, how much succeeded."""
        return self.won / self.counting


def points(outcomes: Sequence[Outcome], resets: Iterable[Reset], memory: Memory) -> dict[str, list[Point]]:
    """By strategy, what was believed of it after each of its outcomes, which come in the order of their numbers.

    A reset takes effect with the first outcome after the newest that it took out.
    """
    waiting = sorted(resets, key=lambda one: one.up_to)
    cell, kept, cases = Cell(memory), list[Outcome](), Counter[str]()
    found: dict[str, list[Point]] = {}
    for outcome in outcomes:
        due = [one for one in waiting if one.up_to < outcome.number]
        if due:
            waiting = waiting[len(due) :]
            kept = [one for one in kept if not any(_takes_out(reset, one) for reset in due)]
            cell, cases = _cell_of(kept, memory), Counter(one.strategy for one in kept)
        cell.learn(outcome.strategy, outcome.succeeded)
        kept.append(outcome)
        cases[outcome.strategy] += 1
        won, lost = cell.counts(outcome.strategy)
        found.setdefault(outcome.strategy, []).append(Point(outcome.at, won, lost, cases[outcome.strategy]))
    return found


def _takes_out(reset: Reset, outcome: Outcome) -> bool:
    return reset.strategy in ("", outcome.strategy) and outcome.number <= reset.up_to


def _cell_of(outcomes: Iterable[Outcome], memory: Memory) -> Cell:
    cell = Cell(memory)
    for one in outcomes:
        cell.learn(one.strategy, one.succeeded)
    return cell
