"""The scheduler: held decisions, deadlines and sweeps, in a process of their own, so that no work delays them.

Every worker starts one. Of all that run one does each duty at a time; when it dies or is stopped, another takes over
after `duties.LEASE_S`.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time

from django.db import connection

from agents.execution.database_outage import is_outage
from agents.record import duties
from agents.record.lease import worker_name
from mindx_web.processes.duties import Duty, of_scheduler
from mindx_web.processes.life import Pulse

logger = logging.getLogger(__name__)

# How often the lease on a duty is renewed, and its last time written down.
RENEW_EVERY_S = 1.0
_AGAIN_AFTER_AN_OUTAGE_S = 1.0


def run(stop: threading.Event, pulse: Pulse) -> None:
    """Do the scheduler's duties until told to stop; `pulse` says again and again that this process is alive."""
    holder = holder_name()
    threads = [
        threading.Thread(target=Keeping(duty, holder, stop).run, name=duty.name, daemon=True) for duty in of_scheduler()
    ]
    for thread in threads:
        thread.start()
    while not stop.wait(1.0):
        # One thread that has ended would be a duty that nobody does: then all begin anew.
        if not all(thread.is_alive() for thread in threads):
            logger.error("A thread of the scheduler has ended, so it starts again")
            return
        pulse.beat()
    for thread in threads:
        thread.join(2.0)
    give_up(holder)


def holder_name() -> str:
    """This process, as duties name it; another one that gets its number later is not taken for it."""
    return f"{worker_name()}-{secrets.token_hex(3)}"


def give_up(holder: str) -> None:
    """Let another process have what this one holds; where the database is away, its lease runs out."""
    try:
        duties.release(holder)
    except Exception:  # the process ends
        logger.debug("The duties of %s were not given up", holder, exc_info=True)


class Keeping:
    """One duty in a thread of its own: done again and again for as long as this process holds it."""

    def __init__(self, duty: Duty, holder: str, stop: threading.Event) -> None:
        self._duty, self._holder, self._stop = duty, holder, stop
        self._renewed = float("-inf")
        self._is_held = self._is_away = False

    def run(self) -> None:
        """Until told to stop."""
        while not self._stop.is_set():
            try:
                pause_s = self.once()
                self._is_away = False
            except Exception as error:  # the edge of the loop: the duty is done again
                pause_s = _AGAIN_AFTER_AN_OUTAGE_S
                self._tell(error)
                connection.close()
            self._stop.wait(pause_s)

    def once(self) -> float:
        """Do it once if it is this process's; in how many seconds to come back."""
        began = time.monotonic()
        is_due = began - self._renewed >= RENEW_EVERY_S
        if is_due:
            self._is_held = duties.hold(self._duty.name, self._holder)
            self._renewed = began
        if not self._is_held:
            return RENEW_EVERY_S
        self._duty.do()
        took_s = time.monotonic() - began
        if is_due:
            duties.done(self._duty.name, int(took_s * 1_000))
        sooner_s = self._duty.sooner()
        pause_s = self._duty.every_s - took_s if sooner_s is None else min(self._duty.every_s - took_s, sooner_s)
        return max(0.01, pause_s)

    def _tell(self, error: Exception) -> None:
        """Once an outage, not every second."""
        if not is_outage(error):
            logger.exception("The duty “%s” failed; it is done again", self._duty.name)
        elif not self._is_away:
            logger.warning("The duty “%s” waits for the database: %s", self._duty.name, error)
            self._is_away = True
