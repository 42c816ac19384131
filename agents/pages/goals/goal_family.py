"""The goals that a goal stands to, as its page shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Value
from django.urls import reverse

from agents.bdi.outcome.outcome import shown_state
from agents.models import Goal
from agents.record.selectors import approved, goals_visible_to
from people.models import User

# Of each kind; the list of goals has the rest.
MOST = 50
BEFORE = "Waits for"
# What makes a goal one of a tree.
KIN = ("Part of", "Parts")
_KINDS = (*KIN, BEFORE, "Waits for this one")


@dataclass(frozen=True)
class Relative:
    """Another goal, and how this one stands to it, in words."""

    kind: str
    pk: int
    text: str
    state: str
    outcome: str
    priority: int
    deadline: datetime | None
    # Its plan may run, and no step of it has begun.
    approved: bool

    @property
    def shown_state(self) -> str:
        """As `Goal.shown_state`."""
        return shown_state(self.state, self.outcome)

    def get_absolute_url(self) -> str:
        """Its page."""
        return reverse("goal", args=[self.pk])


def of(goal: Goal, user: User) -> list[Relative]:
    """The whole, the parts, what it waits for and what waits for it, in this order; one query."""
    # The manager's order and joins would be those of each part.
    visible = goals_visible_to(user).select_related(None).order_by()
    found = [visible.filter(children=goal), visible.filter(parent=goal)]
    found += [visible.filter(dependants=goal), visible.filter(depends_on=goal)]
    parts = [
        rows.annotate(kind=Value(number), approved=approved()).values_list(
            "kind", "pk", "text", "state", "outcome", "priority", "deadline", "approved"
        )
        for number, rows in enumerate(found)
    ]
    rows: Iterable[tuple[Any, ...]] = parts[0].union(*(part.order_by("pk")[:MOST] for part in parts[1:]), all=True)
    # A few rows at most, so they are put in order here.
    return [Relative(_KINDS[kind], *rest) for kind, *rest in sorted(rows, key=lambda row: row[:2])]
