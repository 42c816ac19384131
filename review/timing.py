"""How long a plan may wait for its decision: which limit applies, and when it runs out. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Limit:
    """A limit in minutes for goals of one priority (None: of every one). `since` is when it was set or changed last."""

    priority: int | None
    minutes: int
    # After this share of the time reviewers are told; with 100 nobody is.
    escalate_percent: int
    since: datetime
    to_manual: bool = False


@dataclass(frozen=True)
class Times:
    """When the plan is marked as urgent (None: never) and when its time is over."""

    escalate_at: datetime | None
    due_at: datetime


def limit_for(priority: int, limits: Iterable[Limit]) -> Limit | None:
    """The limit of exactly this priority, else the one of every priority, else none."""
    found = {limit.priority: limit for limit in limits}
    return found.get(priority) or found.get(None)


def times(queued_at: datetime, limit: Limit) -> Times:
    """The clock starts when the plan entered the queue, but never before the limit was set: a limit that is shortened
    today must not close plans before anybody can react.
    """
    start = max(queued_at, limit.since)
    whole = timedelta(minutes=limit.minutes)
    escalate = start + whole * limit.escalate_percent / 100 if limit.escalate_percent < 100 else None
    return Times(escalate, start + whole)
