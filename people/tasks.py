"""Upkeep of what people leave behind."""

from celery import shared_task

from people import rate_limits


@shared_task(name="people.forget_rate_limits")
def forget_rate_limits() -> None:
    """Remove the rows of limits that hold nobody up any more."""
    rate_limits.forget_old()
