"""Review's sweep: each thing that a lost hint would leave undone has a line here. Doubling it does nothing."""

from __future__ import annotations

from celery import shared_task

from review.services import auto_approval, deadlines, deliveries, notices


@shared_task(name="review.sweep")
def sweep() -> None:
    """Find what no hint reached."""
    deadlines.sweep()
    auto_approval.sweep()
    notices.sweep()
    deliveries.sweep()


@shared_task(name="review.deliver")
def deliver(delivery_id: int) -> None:
    """Send a notice out, if it still waits."""
    deliveries.deliver(delivery_id)
