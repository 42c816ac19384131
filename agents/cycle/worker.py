"""What one process of a worker does when it is woken: one turn after the other, the most urgent kind of work first.

A wake-up names a goal at most, as a hint: whatever message reaches a worker, what was approved begins before what
nobody waits for (`agents.bdi.intentions.shares`). So the order of messages in the queue means nothing, and a lost one
costs nothing while others come.
"""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Mapping

from agents.bdi.intentions.shares import Work, order
from agents.bus import answering
from agents.cycle import cycle, waiting
from agents.execution import shadow
from agents.hands import typed
from agents.plans import shadowing
from agents.record import draining, wake_ups
from agents.record.lease import Turn
from library import embedding
from library.language.may_wait import NotHere

# A task that finds more to do goes on with it, for this long; then Celery has its turn (a ping, an order to stop).
SLICE_S = 30.0
_turns = itertools.count()

logger = logging.getLogger(__name__)


def work(goal_id: int | None = None) -> None:
    """Take turns until nothing is left to do. The named goal goes first if a plan of it was approved."""
    until = time.monotonic() + SLICE_S
    hint = goal_id
    while not draining.is_asked():
        taken, hint = _turn(hint)
        if not taken:
            break
        if time.monotonic() > until:
            wake_ups.wake_worker()
            break
    if draining.is_asked():
        wake_ups.wake_worker()  # what a worker that is told to stop has left goes on with another one at once
        return
    embedding.embed_waiting()


def _turn(goal_id: int | None) -> tuple[bool, int | None]:
    """Take one turn. Returns whether there was one, and the goal that it let go first, if any."""
    kinds = order(next(_turns))
    if kinds[0] is not Work.TYPED:  # the turn of another kind
        return _first_of(kinds), goal_id
    if goal_id is not None and (done := cycle.one(goal_id, Turn.APPROVED)) is not None:
        return True, done if done != goal_id else None
    return _first_of(kinds), None


def _first_of(kinds: tuple[Work, ...]) -> bool:
    """Take a turn of the first of these kinds that has one; what was waiting may be gone when it is claimed."""
    found = waiting.for_workers()
    return any(kind in found and _taken(kind) for kind in kinds)


def _taken(kind: Work) -> bool:
    try:
        return _TAKE[kind]()
    except NotHere:  # the edge of the loop; a lease that is left runs out
        logger.exception("A turn of the kind %s asked a language model in a process of a worker", kind)
        return False


def _goal(of: Turn) -> Callable[[], bool]:
    return lambda: cycle.one(of=of) is not None


def _looked_at() -> bool:
    run = shadowing.looked_at()
    return run is not None and shadow.one(run)


_TAKE: Mapping[Work, Callable[[], bool]] = {
    Work.TYPED: typed.one,
    Work.APPROVED: _goal(Turn.APPROVED),
    Work.LOOKED_AT: _looked_at,
    Work.REQUESTS: answering.one,
    Work.PLANNING: _goal(Turn.PLANNING),
    Work.DRY_RUNS: shadow.one,
    Work.LEARNING: _goal(Turn.LEARNING),
}
