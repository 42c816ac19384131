"""Wake-ups of workers. Losing every message delays, doubling them does nothing."""

from __future__ import annotations

from celery import shared_task

from agents.bus import answering, settling
from agents.cycle import worker


@shared_task(name="agents.work")
def work(goal_id: int | None = None) -> None:
    """Do what waits, the most urgent first; this goal before it, if a plan of it was approved."""
    worker.work(goal_id)


@shared_task(name="agents.bus_request")
def bus_request(request_id: int | None = None) -> None:
    """Answer a request of the bus, if nobody does, and end what was not answered in time."""
    settling.expire_now_and_then()
    answering.work(request_id)
