"""Review's wake-ups. The tables are the truth: losing one delays, doubling one does nothing."""

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
    """Find what no hint reached; each thing that a lost hint would leave undone has a line here."""
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
    """Carry out the browser's decisions whose time to be taken back is over."""
    holding.settle_due()
