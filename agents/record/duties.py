"""Electing the one process that does a duty: a lease on its row, by the database's clock."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection

# A holder that is silent for so long is followed by another. Short, because people wait for some duties; what is done
# twice for a moment (by one that was stopped and wakes up) does no harm, since each row is claimed by itself.
LEASE_S = 4.0
_HOLD = """
INSERT INTO agents_duty AS duty (name, holder, until, took_ms)
VALUES (%(name)s, %(holder)s, clock_timestamp() + make_interval(secs => %(lease_s)s), 0)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE duty.holder = excluded.holder OR duty.until IS NULL OR duty.until <= clock_timestamp()
RETURNING id
"""
_DONE = """
INSERT INTO agents_duty AS duty (name, holder, done_at, took_ms)
VALUES (%(name)s, '', clock_timestamp(), %(took_ms)s)
ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at, took_ms = excluded.took_ms
"""


@dataclass(frozen=True)
class State:
    """How a duty stands: who holds it ("" for nobody), and seconds since it was last done (None: never)."""

    name: str
    holder: str
    since_s: float | None
    took_ms: int


def hold(name: str, holder: str, lease_s: float = LEASE_S) -> bool:
    """Take or keep the duty for so many seconds; False while another process has it."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, {"name": name, "holder": holder, "lease_s": lease_s})
        return cursor.fetchone() is not None


def done(name: str, took_ms: int) -> None:
    """Write down that it was done just now."""
    with connection.cursor() as cursor:
        cursor.execute(_DONE, {"name": name, "took_ms": took_ms})


def release(holder: str) -> None:
    """Give up whatever this process holds, so that another one takes it at once."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE agents_duty SET holder = '', until = NULL WHERE holder = %s", [holder])


def states(names: Collection[str]) -> dict[str, State]:
    """Those of the duties that were ever held or done, by name."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, CASE WHEN until > clock_timestamp() THEN holder ELSE '' END,"
            " extract(epoch FROM clock_timestamp() - done_at)::float8, took_ms FROM agents_duty WHERE name = ANY(%s)",
            [list(names)],
        )
        return {row[0]: State(*row) for row in cursor.fetchall()}
