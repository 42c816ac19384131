"""Holding a worker at a named statement, from outside: a trigger that waits for a lock which the test holds.

Nothing in the product knows of it. A statement that waits is seen in `pg_locks`, which is how a test knows that
the fault really landed there. Two ways to go on after the process has been killed: the server ends its session, so
nothing of the transaction counts; or it lets the statement through. When that is the commit itself (`at_commit`), it
counts, and its reply reaches nobody.
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
    """What is held: ask whether something waits, then let it go or end it."""

    _watcher: psycopg.Connection = field(repr=False)
    _holder: psycopg.Connection = field(repr=False)

    def waiting(self) -> list[int]:
        """The server processes that stand at the point."""
        found = self._watcher.execute(
            "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted", [LOCK]
        )
        return [row[0] for row in found]

    def wait(self) -> None:
        """Until something stands there."""
        wait_until(self.waiting, within=PATIENCE_S, what="a statement at the point")

    def end(self) -> None:
        """End the sessions that stand there: nothing of their transactions counts."""
        for pid in self.waiting():
            self._watcher.execute("SELECT pg_terminate_backend(%s)", [pid])

    def release(self) -> None:
        """Let everything through from now on."""
        self._holder.execute("SELECT pg_advisory_unlock_all()")


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
                    " PERFORM pg_advisory_xact_lock_shared({lock}); RETURN NEW; END $$"
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
