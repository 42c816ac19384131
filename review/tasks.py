"""Review's tasks. They are only wake-ups: a lost one delays work, a doubled one does nothing."""

from __future__ import annotations

from celery import shared_task

from agents.execution import sweep_parts
from review.deciding import auto_approval, holding
from review.inbox import requests as inbox
from review.notices import budgets, deliveries, failed_goals, levels, notify
from review.queue import deadlines
from review.talk import carrying


@shared_task(name="review.sweep")
def sweep() -> None:
    """Find work whose hint was lost; every kind of such work has a line here."""
    sweep_parts.each(
        deadlines.sweep,
        auto_approval.sweep,
        carrying.sweep,
        notify.sweep,
        levels.sweep,
        budgets.sweep,
        failed_goals.sweep,
        deliveries.sweep,
        inbox.sweep,
    )


@shared_task(name="review.deliver")
def deliver(delivery_id: int) -> None:
    """Send a notice out, if it still waits."""
    deliveries.deliver(delivery_id)


@shared_task(name="review.settle_held")
def settle_held() -> None:
    """Carry out browser decisions that can no longer be undone."""
    holding.settle_due()
