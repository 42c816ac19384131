"""What happened to a plan or a goal, told upwards after the commit. Each is a hint that may be lost or come twice.

Whoever listens looks at the rows and does nothing when there is nothing to do; a sweeper finds what no hint reached.
"""

from __future__ import annotations

import logging

from django.db import transaction
from django.dispatch import Signal

logger = logging.getLogger(__name__)

# Each is sent with `intent_plan_id`, but the last.
plan_proposed = Signal()
# Its newest dry run is over, however it went.
shadow_ended = Signal()
# It is in a state that nothing leads out of. Of one that is complete it is sent when it has been compared with its
# dry run: before that nobody knows of anything against it.
plan_ended = Signal()
# It is in a state that nothing leads out of, and remembered as an experience. Sent with `goal_id`, and only for a goal
# that was submitted under a key: whoever waits for one has given it one, so that it is made once.
goal_ended = Signal()


def tell(signal: Signal, intent_plan_id: int) -> None:
    """Send the signal when the transaction has committed. A listener that fails is logged and stops nobody."""
    transaction.on_commit(lambda: _send(signal, intent_plan_id=intent_plan_id))


def tell_of_end(goal_id: int) -> None:
    """Send that the goal has ended when the transaction has committed, as `tell` does."""
    transaction.on_commit(lambda: _send(goal_ended, goal_id=goal_id))


def _send(signal: Signal, **about: int) -> None:
    for listener, answer in signal.send_robust(sender=None, **about):
        if isinstance(answer, Exception):
            logger.error("%s failed on %s; the sweep catches up.", listener, about, exc_info=answer)
