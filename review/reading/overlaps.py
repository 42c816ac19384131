"""Which plans of one workspace meet in files, and in which order they disturb each other least."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agents.bdi.forecast.footing import Footing
from agents.models import IntentPlan
from agents.plans import footings

NAMED = 5


@dataclass(frozen=True)
class Work:
    """What a plan stands on, and what it changes: ADDED, DELETED or CHANGED by path."""

    plan: int
    workspace: int
    footing: Footing = field(default_factory=Footing)
    changes: Mapping[str, str] = field(default_factory=dict)

    def disturbs(self, other: Work) -> list[str]:
        """The paths that this plan changes and the other one stands on: after it, the other one is another plan."""
        if self.plan == other.plan or self.workspace != other.workspace:
            return []
        return other.footing.met_by(self.changes)


@dataclass(frozen=True)
class Meeting:
    """Two plans that meet in these paths. `is_mutual`: whichever runs second comes back; else `first` runs first."""

    first: int
    second: int
    paths: tuple[str, ...]
    is_mutual: bool

    @property
    def named(self) -> tuple[str, ...]:
        """The paths that are named."""
        return self.paths[:NAMED]

    @property
    def more(self) -> int:
        """How many are not."""
        return len(self.paths) - len(self.named)


def works_of(plans: Sequence[IntentPlan]) -> list[Work]:
    """What those of the plans meet that share a workspace with another one of them."""
    places = Counter(plan.workspace_id for plan in plans)
    together = [plan for plan in plans if places[plan.workspace_id] > 1]
    found = footings.worked_on(together)
    return [Work(plan.pk, plan.workspace_id, *of) for plan, of in zip(together, found, strict=True)]


def meetings(works: Sequence[Work]) -> Iterator[Meeting]:
    """Each pair that meets, once."""
    for at, one in enumerate(works):
        for other in works[at + 1 :]:
            there, back = one.disturbs(other), other.disturbs(one)
            if there or back:
                # Who is disturbed goes first.
                first, second = (one, other) if back or not there else (other, one)
                yield Meeting(first.plan, second.plan, tuple(sorted({*there, *back})), bool(there and back))


def in_order(works: Sequence[Work]) -> list[int]:
    """The plans in an order in which those that others would disturb come first, else as they are given."""
    disturbs = {one.plan: {other.plan for other in works if one.disturbs(other)} for one in works}
    left = [one.plan for one in works]
    found = []
    while left:
        following = min(left, key=lambda plan: len(disturbs[plan].intersection(left)))
        found.append(following)
        left.remove(following)
    return found
