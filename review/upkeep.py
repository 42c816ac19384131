"""What the scheduler does regularly for review."""

from __future__ import annotations

from agents.execution import sweep_parts
from review.deciding import auto_approval
from review.inbox import requests as inbox
from review.notices import budgets, deliveries, failed_goals, levels, notify
from review.queue import deadlines, renewing
from review.talk import carrying


def sweep() -> None:
    """Find work whose hint was lost; every kind of such work has a line here."""
    sweep_parts.each(
        deadlines.sweep,
        renewing.sweep,
        auto_approval.sweep,
        carrying.sweep,
        notify.sweep,
        levels.sweep,
        budgets.sweep,
        failed_goals.sweep,
        deliveries.sweep,
        inbox.sweep,
    )
