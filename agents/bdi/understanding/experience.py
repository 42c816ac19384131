"""Predicting a value that nobody said from earlier runs that succeeded: only where they agree, with the evidence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.outcome.network import listed

# A run counts half after so many days: habits change.
HALF_LIFE_DAYS = 30.0


@dataclass(frozen=True)
class Seen:
    """The value of one earlier run: how many days ago it was, of which goal, and whose that is."""

    value: Any
    days_ago: float
    goal: str
    by: str = ""


@dataclass(frozen=True)
class Prediction:
    """A value with what speaks for it. `goals` are those of the runs that agree, newest first."""

    value: Any
    confidence: float
    runs: int
    agreeing: int
    newest_days: float
    goals: tuple[str, ...]
    people: tuple[str, ...] = ()

    @property
    def why(self) -> str:
        """How often and how recently, and where to look."""
        newest = "today" if self.newest_days < 1 else f"{self.newest_days:.0f} day{'s' * (self.newest_days >= 1.5)} ago"
        named = ", ".join(self.goals[:3])
        by = f", of {listed(self.people[:3])}" if self.people else ""
        return f"{self.agreeing} of {self.runs} earlier runs took this, the newest {newest} (goal {named}{by})"


def predict(seen: Sequence[Seen], *, least_runs: int, least_share: float) -> Prediction | None:
    """The value that the runs agree on, newer ones counting more; None where there are too few or they differ.

    The confidence is Laplace's rule of succession, so that three runs are never as good as thirty.
    """
    if not seen:
        return None
    groups: dict[str, list[Seen]] = {}
    for one in seen:
        groups.setdefault(json.dumps(one.value, sort_keys=True), []).append(one)
    weights = {key: sum(_weight(one) for one in group) for key, group in groups.items()}
    key = max(weights, key=lambda one: (weights[one], one))
    group = sorted(groups[key], key=lambda one: one.days_ago)
    # Several runs of one goal are one habit.
    goals = tuple(dict.fromkeys(one.goal for one in group))
    if len(goals) < least_runs or weights[key] < least_share * sum(weights.values()):
        return None
    confidence = (len(group) + 1) / (len(seen) + 2)
    people = tuple(dict.fromkeys(one.by for one in group if one.by))
    return Prediction(group[0].value, round(confidence, 3), len(seen), len(group), group[0].days_ago, goals, people)


def _weight(one: Seen) -> float:
    return float(0.5 ** (max(one.days_ago, 0.0) / HALF_LIFE_DAYS))
