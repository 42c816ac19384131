"""What a step of an engine costs in Postgres: transactions, WAL, statements, each counted by the server itself."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from psycopg import sql

from benchmarks.durable.lanes import Lane, prepare, run
from benchmarks.durable.protocol import STEPS
from benchmarks.servers import Servers
from mindx_web.supervisor.postgres import SUPERUSER

# A backend that idles reports what it counted after ten seconds at the latest.
_REPORTED_S = 11.0
# Settings of the server that `counting` needs: which database a logged statement was for.
LOG_PREFIX = {"log_line_prefix": "%m [%p] %d|"}
_STATEMENT = re.compile(rb"\[\d+\] (\w*)\|LOG:  (?:statement|execute [^:\n]*):\s*(\S*)")
_FRAME = frozenset({b"BEGIN", b"COMMIT", b"ROLLBACK", b"SAVEPOINT", b"RELEASE", b"START"})


@dataclass(frozen=True)
class Counts:
    """Per step, over `plans` plans; statements over `logged_plans` of them. `framing`: BEGIN, COMMIT and the like."""

    plans: int
    transactions: float
    wal_bytes: float
    logged_plans: int
    statements: float
    framing: float


@contextmanager
def superuser(servers: Servers, database: str = "postgres") -> Iterator[psycopg.Connection]:
    """A connection that is none of the engines'."""
    with servers.postgres.connect(SUPERUSER, servers.postgres.passwords.superuser, database) as connection:
        yield connection


def settle(servers: Servers, database: str) -> None:
    """Give every engine the same start: known statistics, nothing dead, all of it on disk."""
    with superuser(servers, database) as connection:
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")


def count(servers: Servers, database: str, made: Sequence[Lane], plans: int, logged_plans: int) -> Counts:
    """Run these plans in the lanes, which are warm, and count. Nobody else may use the servers meanwhile."""
    with _setting(servers, "autovacuum", "off"):
        prepare(made, plans)
        time.sleep(_REPORTED_S)
        settle(servers, database)
        commits, wal = _commits(servers, database), _wal(servers)
        run(made)
        wal_bytes = _wal(servers) - wal
        time.sleep(_REPORTED_S)
        transactions = _commits(servers, database) - commits
    prepare(made, logged_plans)
    statements, framing = _logged(servers, database, made)
    steps, logged_steps = plans * len(made) * STEPS, logged_plans * len(made) * STEPS
    return Counts(
        plans * len(made),
        transactions / steps,
        wal_bytes / steps,
        logged_plans * len(made),
        statements / logged_steps,
        framing / logged_steps,
    )


def _commits(servers: Servers, database: str) -> int:
    with superuser(servers) as connection:
        found = connection.execute("SELECT xact_commit FROM pg_stat_database WHERE datname = %s", [database]).fetchone()
    if found is None:
        raise RuntimeError(f"there is no database {database}")
    return int(found[0])


def _wal(servers: Servers) -> int:
    with superuser(servers) as connection:
        found = connection.execute("SELECT pg_current_wal_lsn() - '0/0'").fetchone()
    return int(found[0]) if found else 0


def _logged(servers: Servers, database: str, made: Sequence[Lane]) -> tuple[int, int]:
    """Statements and framing of one run. The server has no pg_stat_statements, so it logs each for the moment."""
    before = servers.log.stat().st_size
    with _setting(servers, "log_statement", "all"):
        run(made)
    with servers.log.open("rb") as log:
        log.seek(before)
        verbs = [
            verb.rstrip(b";").upper() for name, verb in _STATEMENT.findall(log.read()) if name == database.encode()
        ]
    framing = sum(verb in _FRAME for verb in verbs)
    return len(verbs) - framing, framing


@contextmanager
def _setting(servers: Servers, name: str, value: str) -> Iterator[None]:
    """A setting of the whole server within the block; every connection has taken it up when the block begins."""
    with superuser(servers) as connection:
        _alter(connection, sql.SQL("SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
        try:
            yield
        finally:
            _alter(connection, sql.SQL("RESET {}").format(sql.Identifier(name)))


def _alter(connection: psycopg.Connection, change: sql.Composable) -> None:
    connection.execute(sql.SQL("ALTER SYSTEM {}").format(change))
    connection.execute("SELECT pg_reload_conf()")
    time.sleep(0.5)  # backends take it up when the signal reaches them, and nothing tells when that was
