"""Holding a worker at a named statement, from outside: a trigger that waits for a lock which the test holds.

Nothing in the product knows of it. A statement that waits is seen in `pg_locks`, which is how a test knows that
the fault really landed there. Two ways to go on after the process has been killed: the server ends its session, so
nothing of the transaction counts; or it lets the statement through. When that is the commit itself (`at_commit`), it
counts, and its reply reaches nobody. Which of both it came to is asked of the server and not taken for granted.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg
from psycopg import sql

from tests.faults.system import PATIENCE_S, owner, superuser
from tests.waiting import wait_until
from tests.whole.started import Whole

LOCK = 5_005


@dataclass(frozen=True)
class Point:
    """A statement: `name` in words, the change of a row that it is known by."""

    name: str
    table: str
    when: str = "true"
    event: str = "UPDATE"
    at_commit: bool = False


@dataclass
class Hold:
    """What is held: wait for it, then let it go or end it."""

    _watcher: psycopg.Connection = field(repr=False)
    _holder: psycopg.Connection = field(repr=False)
    # The transaction that stands there.
    _transaction: str = ""

    def waiting(self) -> list[int]:
        """The server processes that stand at the point."""
        found = self._watcher.execute(
            "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted", [LOCK]
        )
        return [row[0] for row in found]

    def wait(self) -> None:
        """Until a transaction stands there, and no second one."""
        wait_until(self.waiting, within=PATIENCE_S, what="a statement at the point")
        (pid,) = self.waiting()
        asked = "SELECT backend_xid::text FROM pg_stat_activity WHERE pid = %s"
        row = self._watcher.execute(asked, [pid]).fetchone()
        assert row is not None
        assert row[0], "what stands there writes"
        self._transaction = row[0]

    def end(self) -> None:
        """End the session that stands there: nothing of its transaction counts."""
        for pid in self.waiting():
            self._watcher.execute("SELECT pg_terminate_backend(%s)", [pid])
        self._came_to("aborted")

    def release(self) -> None:
        """Let everything through from now on; what stands there counts."""
        self._holder.execute("SELECT pg_advisory_unlock_all()")
        self._came_to("committed")

    def _came_to(self, status: str) -> None:
        assert self._transaction, "nothing was waited for"
        wait_until(lambda: self._status() == status, within=PATIENCE_S, what=f"the transaction {status}")

    def _status(self) -> str:
        # As a number of 64 bits: the servers of these tests are too young for a second round of the 32.
        asked = "SELECT pg_xact_status(%s::xid8)"
        row = self._watcher.execute(asked, [self._transaction]).fetchone()
        return str(row[0]) if row else ""


@contextmanager
def held(whole: Whole, point: Point) -> Iterator[Hold]:
    """Hold whatever comes to the point until it is released, at the latest by the end of the block."""
    name = f"faults_{time.monotonic_ns()}"
    moment = sql.SQL("CREATE CONSTRAINT TRIGGER {name} AFTER" if point.at_commit else "CREATE TRIGGER {name} BEFORE")
    deferred = sql.SQL("DEFERRABLE INITIALLY DEFERRED" if point.at_commit else "")
    names = {"name": sql.Identifier(name), "table": sql.Identifier(point.table)}
    with owner(whole) as holder, superuser(whole) as watcher:
        holder.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        try:
            holder.execute(
                sql.SQL(
                    "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                    " PERFORM pg_current_xact_id(); PERFORM pg_advisory_xact_lock_shared({lock}); RETURN NEW; END $$"
                ).format(**names, lock=sql.Literal(LOCK))
            )
            statement = sql.SQL(" {event} ON {table} {deferred} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {name}()")
            holder.execute(
                moment.format(**names)
                + statement.format(
                    **names,
                    event=sql.SQL(point.event),
                    deferred=deferred,
                    when=sql.SQL(point.when),
                )
            )
            yield Hold(watcher, holder)
        finally:
            holder.execute("SELECT pg_advisory_unlock_all()")
            holder.execute(sql.SQL("DROP TRIGGER IF EXISTS {name} ON {table}").format(**names))
            holder.execute(sql.SQL("DROP FUNCTION IF EXISTS {name}()").format(**names))
