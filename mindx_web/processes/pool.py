"""The background pool: threads for everything that waits, for a language model, the network, or its own long work.

Every worker starts one, beside its processes, which therefore never wait. It is told of rows by Postgres (`NOTIFY`),
and by the sweep of those that it missed; each thread claims its row under a lease, as workers claim theirs.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from django.db import connection, connections

from agents.bus import answering
from agents.cycle import cycle
from agents.evolution import replaying
from agents.evolution.activation import tool_checks
from agents.evolution.candidates import searching
from agents.execution.database_outage import is_outage
from agents.foreign import reading
from agents.foreign_tools import listing
from agents.modular import working as modular_working
from agents.record import draining, duties
from agents.record.lease import Turn
from agents.record.wake_ups import BACKGROUND_CHANNEL
from agents.simulations import training
from agents.simulations import working as environment_working
from mindx_web.processes.duties import UPKEEP, Duty, of_pool
from mindx_web.processes.life import Pulse
from mindx_web.processes.scheduler import give_up, holder_name
from review.notices import deliveries

logger = logging.getLogger(__name__)

# What waits in memory for a place, of a kind. The sweep tells again of what was turned away.
WAITING_MAX = 500
# So long a pool that is told to stop gives its threads after steps have been ended, to give their leases back.
END_S = 3.0
_LISTEN_S = 1.0
_UPKEEP_EVERY_S = 5.0
# Upkeep may take minutes; a holder that dies is followed by another after this time.
_UPKEEP_LEASE_S = 120.0


@dataclass(frozen=True)
class Kind:
    """A kind of row. `most` of them are worked on at once in a pool; `work` claims the row of this number, or ends."""

    name: str
    most: int
    work: Callable[[int], object]


def kinds() -> tuple[Kind, ...]:
    """What the pool does. A replay and a search try plans in jails, environments compute: of those only few at once."""
    return (
        # Whichever is most urgent, not the one that it was told of.
        Kind("goal", 16, lambda _: cycle.work(of=Turn.BACKGROUND)),
        Kind("modular", 8, modular_working.work),
        Kind("request", 4, answering.one_in_background),
        Kind("delivery", 4, deliveries.deliver),
        Kind("mcp_listing", 2, listing.work),
        Kind("card", 4, reading.work),
        Kind("search", 2, searching.work),
        Kind("replay", 2, replaying.work),
        Kind("environment_run", 1, environment_working.work),
        Kind("training", 1, training.work),
        Kind("tool_check", 1, tool_checks.work),
    )


class Places:
    """The threads of one kind. A row that waits here already is not taken twice."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._threads = ThreadPoolExecutor(kind.most, thread_name_prefix=kind.name)
        self._lock = threading.Lock()
        self._waiting: set[int] = set()
        self.running = 0

    def tell(self, number: int) -> None:
        """Have the row worked on when a place is free."""
        with self._lock:
            if number in self._waiting or len(self._waiting) >= WAITING_MAX:
                return
            self._waiting.add(number)
        self._threads.submit(self._run, number)

    def _run(self, number: int) -> None:
        with self._lock:
            self._waiting.discard(number)  # told of from here on, it is looked at again
            self.running += 1
        try:
            if not draining.is_asked():
                self._kind.work(number)
        except Exception as error:  # the edge: its lease runs out, and the sweep tells of it again
            logger.exception("Work of the kind %s ended with %s", self._kind.name, type(error).__name__)
        finally:
            connections.close_all()  # an idle thread holds none
            with self._lock:
                self.running -= 1


class Pool:
    """All places, told by what Postgres says."""

    def __init__(self, of: Iterable[Kind]) -> None:
        self._places: Mapping[str, Places] = {kind.name: Places(kind) for kind in of}

    def tell(self, payload: str) -> None:
        """Take “KIND NUMBER”. Whatever else was sent to the channel is forgotten."""
        name, _, number = payload.partition(" ")
        if name in self._places and number.isascii() and number.isdigit() and len(number) < 19:  # fits a bigint
            self._places[name].tell(int(number))
        else:
            logger.warning("The background pool was told of what it does not know")

    def running(self) -> int:
        """How many rows are worked on."""
        return sum(places.running for places in self._places.values())

    def listen(self, stop: threading.Event, pulse: Pulse) -> None:
        """Be told until asked to stop; a database that is away is tried again."""
        while not stop.is_set():
            try:
                with connection.cursor() as cursor:
                    cursor.execute(f"LISTEN {BACKGROUND_CHANNEL}")
                while not stop.is_set():
                    pulse.beat()
                    for told in connection.connection.notifies(timeout=_LISTEN_S):
                        self.tell(told.payload)
                        pulse.beat()
            except Exception as error:  # any error of the driver; what it missed meanwhile the sweep tells of
                logger.warning("The background pool does not hear the database: %s", error)
                connection.close()
                stop.wait(_LISTEN_S)
                pulse.beat()


def run(stop: threading.Event, pulse: Pulse) -> None:
    """Work until told to stop, then give what runs the time that a worker gives its steps."""
    holder, pool = holder_name(), Pool(kinds())
    threading.Thread(target=Upkeep(holder, stop, of_pool()).run, name=UPKEEP, daemon=True).start()
    pool.listen(stop, pulse)
    ended: float | None = None
    while pool.running() and (ended is None or time.monotonic() - ended < END_S):
        if draining.is_urgent() and ended is None:
            ended = time.monotonic()
        pulse.beat()
        threading.Event().wait(0.1)
    give_up(holder)


class Upkeep:
    """One duty after the other, in one process of the installation, each in its time by the database's clock."""

    def __init__(self, holder: str, stop: threading.Event, of: tuple[Duty, ...]) -> None:
        self._holder, self._stop, self._duties = holder, stop, of
        self._began = time.monotonic()

    def run(self) -> None:
        """Until told to stop."""
        while not self._stop.wait(_UPKEEP_EVERY_S):
            try:
                self.once()
            except Exception as error:  # the edge of the loop
                if not is_outage(error):
                    logger.exception("Upkeep failed; it is done again")
                connection.close()

    def once(self) -> None:
        """Do what is due, as long as this process is the one that does."""
        known = duties.states([duty.name for duty in self._duties])
        for duty in self._duties:
            state = known.get(duty.name)
            # Nothing is due at the first start: then people wait for their first goal.
            since_s = time.monotonic() - self._began if state is None or state.since_s is None else state.since_s
            if since_s < duty.every_s or self._stop.is_set():
                continue
            if not duties.hold(UPKEEP, self._holder, _UPKEEP_LEASE_S):
                return
            self._do(duty)

    def _do(self, duty: Duty) -> None:
        began = time.monotonic()
        try:
            duty.do()
        except Exception as error:  # one that fails must not keep the others from being done
            if is_outage(error):
                raise
            logger.exception("The upkeep “%s” failed", duty.name)
        duties.done(duty.name, int(1_000 * (time.monotonic() - began)))
