"""Answering a request of the bus in this process, for whoever waits for it."""

from __future__ import annotations

from agents.bus import answering, moves
from agents.models import BusRequest


def answer(asked: BusRequest) -> BusRequest:
    """The request as it stands when it was answered here; where a worker has it already, as it stands now.

    With one worker that waits for the answer in a step nobody else could give it.
    """
    if (claimed := moves.claim(asked.pk)) is not None:
        answering.take_turn(claimed)
    asked.refresh_from_db()
    return asked
