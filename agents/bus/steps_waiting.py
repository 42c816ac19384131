"""Steps of plans that wait for an answer: no worker waits with them, and their goal is woken when there is one."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Exists, OuterRef

from agents.models import BusRequest
from agents.plans import ending
from agents.record import wake_ups

_AT_ONCE = 100


def go_on(request: BusRequest) -> None:
    """Once the transaction has committed, wake the goal of which a step waits for this request, if one does."""
    if (goal_id := request.parent_id) is not None:
        transaction.on_commit(lambda: _wake(goal_id), robust=True)


def sweep() -> None:
    """Wake those whose worker died between the two, and whose wake-up was lost."""
    still_open = BusRequest.objects.filter(parent=OuterRef("pk"), ended_at=None)
    ready = ending.waiting_for_answers().filter(~Exists(still_open)).order_by("pk")
    for goal_id in ready.values_list("pk", flat=True)[:_AT_ONCE]:
        _wake(goal_id)


def _wake(goal_id: int) -> None:
    if ending.waiting_for_answers().filter(pk=goal_id).update(wake_at=None):
        wake_ups.wake(goal_id)
