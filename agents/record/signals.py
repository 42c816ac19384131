"""What happened to a plan, told upwards after the commit. Each is a hint that may be lost or come twice.

Whoever listens looks at the rows and does nothing when there is nothing to do; a sweeper finds what no hint reached.
"""

from __future__ import annotations

import logging

from django.db import transaction
from django.dispatch import Signal

logger = logging.getLogger(__name__)

# Each is sent with `intent_plan_id`.
plan_proposed = Signal()
# Its newest shadow run is over, however it went.
shadow_ended = Signal()
# It is in a state that nothing leads out of. Of one that is complete it is sent when it has been compared with its
# shadow run: before that nobody knows of anything against it.
plan_ended = Signal()


def tell(signal: Signal, intent_plan_id: int) -> None:
    """Send the signal when the transaction has committed. A listener that fails is logged and stops nobody."""
    transaction.on_commit(lambda: _send(signal, intent_plan_id))


def _send(signal: Signal, intent_plan_id: int) -> None:
    for listener, answer in signal.send_robust(sender=None, intent_plan_id=intent_plan_id):
        if isinstance(answer, Exception):
            logger.error("%s failed on plan %s; the sweep catches up.", listener, intent_plan_id, exc_info=answer)
