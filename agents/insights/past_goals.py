"""Goals as they stood when they were planned first: their words and what was believed then, so that rules can be tried
on them again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet

from agents.models import Goal, Plan
from agents.toolkit.types import Belief

# Foreseen for the time after a step: a trial foresees it anew.
_FORESEEN = "inference"


@dataclass(frozen=True)
class PastGoal:
    """A goal with the beliefs of its first planning; `source` is who planned it then, `state` what became of it."""

    goal: int
    text: str
    beliefs: tuple[Belief, ...]
    source: str
    state: str


def newest(goals: QuerySet[Goal], most: int) -> list[PastGoal]:
    """The newest of these goals whose first planning kept what was believed, newest first. One look at the table."""
    first = Plan.objects.filter(number=1, goal__in=goals.values("pk"), evidence__has_key="beliefs")
    rows = first.order_by("-goal_id").annotate(
        text=F("goal__text"), state=F("goal__state"), believed=F("evidence__beliefs")
    )
    values = rows.values_list("goal_id", "text", "believed", "source", "state")[:most]
    return [PastGoal(goal, text, _beliefs(held), source, state) for goal, text, held, source, state in values]


def _beliefs(held: Any) -> tuple[Belief, ...]:
    return tuple(
        Belief(one["sentence"], one["source"], one["confidence"], one.get("at", ""))
        for one in held
        if one["source"] != _FORESEEN
    )
