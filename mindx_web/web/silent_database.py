"""A limit for a database that has gone silent, which no time-out of the driver ends: a server that is held still, or
whose machine is paused, keeps every connection open and says nothing.

How long a statement takes says nothing of that: a healthy one may wait long for a lock or read much. So after a while
of silence another connection is asked for. A server that lets one in, or refuses it, is alive, and whoever waits goes
on waiting, however long; only where nobody opens the door either is the connection given up, and people read that the
database does not answer. Of a COMMIT that was under way then nobody knows, as after any lost connection.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.errors import ConnectionTimeout

logger = logging.getLogger(__name__)

T = TypeVar("T")


class ServerSilent(psycopg.OperationalError):
    """The database says nothing, and lets nobody in."""


class Door:
    """Whether the server lets anybody in: asked once for all who wait, and believed for as long as asking may take."""

    def __init__(self, patience_s: float) -> None:
        self.patience_s = patience_s
        self._one_knocks = threading.Lock()
        self._answer: tuple[float, bool] = (float("-inf"), True)

    def opens(self, connection: psycopg.Connection[Any]) -> bool:
        """Knock where this connection leads to, or take the answer that somebody just got."""
        with self._one_knocks:
            at, opened = self._answer
            if time.monotonic() - at > self.patience_s:
                opened = self._knock(connection)
                self._answer = (time.monotonic(), opened)
            return opened

    def _knock(self, connection: psycopg.Connection[Any]) -> bool:
        info, wait_s = connection.info, max(round(self.patience_s), 2)  # the driver takes no shorter one
        try:
            psycopg.connect(info.dsn, password=info.password, connect_timeout=wait_s).close()
        except ConnectionTimeout:
            logger.warning("The database did not answer and accepted no connection for %s s", wait_s)
            return False
        except psycopg.OperationalError:
            return True  # it said no; one that is gone ends the connection that waits by itself
        return True


def watched(silence_s: float) -> type[psycopg.Connection[Any]]:
    """Connections that are given up when their server has been silent for so long, a third of it for the question."""
    patience_s, door = silence_s * 2 / 3, Door(silence_s / 3)

    class Watched(psycopg.Connection[Any]):
        def wait(self, gen: PQGen[T], *args: Any, **how: Any) -> T:
            try:
                return super().wait(self._watching(gen), *args, **how)
            except ServerSilent:
                self.close()  # what it still says belongs to no question any more
                raise

        def _watching(self, gen: PQGen[T]) -> PQGen[T]:
            """The same exchange; the driver looks in several times a second, also when nothing has come."""
            heard = time.monotonic()
            try:
                ready = yield next(gen)
                while True:
                    if ready:
                        heard = time.monotonic()
                    elif time.monotonic() - heard > patience_s:
                        if not door.opens(self):
                            raise ServerSilent("the database does not answer and accepts no connection")
                        heard = time.monotonic()
                    ready = yield gen.send(ready)
            except StopIteration as end:
                found: T = end.value
                return found

    return Watched
