"""The database: server, extension, tables, the rights of our role, its clock, its connections."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from django.db import connection
from django.db.migrations.loader import MigrationLoader

from mindx_web.doctor.finding import Finding, fail, ok, warn
from mindx_web.operations import migrating
from mindx_web.operations.grants import EVERYTHING, rights_of_tables

POSTGRES = 16
PGVECTOR = (0, 8, 4)
CLOCK_WARN_S, CLOCK_FAIL_S = 1.0, 5.0
FULL_PERCENT = 80
LONG_TRANSACTION_S = 300
_PREPARE = "Run `manage.py prepare` with MINDX_MIGRATE_URL set to the owner's address (`make up` does it by itself)."


def _rows(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def server() -> Iterator[Finding]:
    """The version of Postgres, and that a commit survives a crash."""
    version = connection.pg_version // 10_000  # type: ignore[attr-defined]  # Postgres' own, which the stubs leave out
    if version < POSTGRES:
        yield fail("server", f"Postgres {version} is too old", f"mindX needs Postgres {POSTGRES} or newer.")
        return
    lax = [f"{name}={value}" for name, value in _rows("SELECT name, setting FROM pg_settings"
           " WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'")]  # fmt: skip
    if lax:
        yield fail(
            "server", f"can lose committed data: {', '.join(sorted(lax))}", "Switch these on in postgresql.conf."
        )
    else:
        yield ok("server", f"Postgres {version}, commits are durable")


def extension() -> Iterator[Finding]:
    """pgvector, in the version that the searches need."""
    found = _rows("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    if not found:
        yield fail("extension", "pgvector is missing", "As a superuser: CREATE EXTENSION vector;")
        return
    version = str(found[0][0])
    if tuple(int(part) for part in version.split(".") if part.isdigit()) < PGVECTOR:
        needed = ".".join(map(str, PGVECTOR))
        yield fail("extension", f"pgvector is {version}", f"mindX needs {needed}: update it, then ALTER EXTENSION.")
    else:
        yield ok("extension", f"pgvector {version}")


def migrations() -> Iterator[Finding]:
    """Tables are those of this code, and of no newer one."""
    try:
        migrating.check_history()
    except migrating.HalfMigrated as error:
        yield fail("migrations", f"{error}", _PREPARE)
        return
    loader = MigrationLoader(connection)
    applied, known = set(loader.applied_migrations), set(loader.disk_migrations)
    replaced = {old for one in loader.disk_migrations.values() for old in one.replaces}
    ours = {label for label, _ in known}
    # Each one by itself, not the plan of the executor: that takes a hole below an applied one for applied.
    missing = [".".join(name) for name in sorted(set(loader.graph.nodes) - applied)]
    ahead = [".".join(name) for name in sorted(applied - known - replaced) if name[0] in ours]
    if missing:
        yield fail("migrations", f"{len(missing)} not applied: {', '.join(missing[:5])}", _PREPARE)
    if ahead:
        yield warn(
            "migrations",
            f"the database has {len(ahead)} that this code does not know: {', '.join(ahead[:5])}",
            "A newer mindX has prepared it: update this machine.",
        )
    if not missing and not ahead:
        yield ok("migrations", f"all {len(known)} are applied")


def rights() -> Iterator[Finding]:
    """Our role has what it needs and nothing that would let it undo a record."""
    role, is_super, may_create = _rows(
        "SELECT current_user, rolsuper, has_schema_privilege(current_user, 'public', 'CREATE')"
        " FROM pg_roles WHERE rolname = current_user"
    )[0]
    if is_super or may_create:
        how = "a superuser" if is_super else "allowed to create tables"
        yield fail(
            "rights",
            f"the role {role} is {how}: it could change records that must never change",
            "Give DATABASE_URL the application's role (mindx_app), and the owner's to MINDX_MIGRATE_URL only.",
        )
        return
    wrong = wrong_rights(role)
    if wrong:
        yield fail("rights", f"{len(wrong)} rights of {role} are wrong: {'; '.join(wrong[:5])}", _PREPARE)
    else:
        yield ok("rights", f"{role} has exactly the rights it needs")


def wrong_rights(role: str) -> list[str]:
    """Each right on a table that the role lacks or has too much."""
    existing = {name for (name,) in _rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
    return [
        f"{table}: {'lacks' if right in wanted else 'has'} {right}"
        for table, wanted in sorted(rights_of_tables().items())
        if table in existing
        for right in (*EVERYTHING, "TRUNCATE")
        if _rows("SELECT has_table_privilege(%s, %s::text, %s)", role, f"public.{table}", right)[0][0]
        is not (right in wanted)
    ]


def clock() -> Iterator[Finding]:
    """Leases use the database's clock, pages and tokens this machine's: they must agree."""
    before = time.time()
    there = float(_rows("SELECT extract(epoch FROM clock_timestamp())")[0][0])
    after = time.time()
    apart = max(before - there, there - after, 0.0)
    if apart < CLOCK_WARN_S:
        yield ok("clock", "this machine and the database agree")
        return
    says = f"this machine and the database are {apart:,.1f} s apart"
    do = "Let both machines follow one time server (chrony, systemd-timesyncd)."
    yield fail("clock", says, do) if apart >= CLOCK_FAIL_S else warn("clock", says, do)


def connections() -> Iterator[Finding]:
    """Free connections, and transactions that hold back everything else."""
    used, most = _rows(
        "SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),"
        " current_setting('max_connections')::int"
    )[0]
    says = f"{used} of {most} connections are in use"
    if used * 100 > most * FULL_PERCENT:
        yield warn("connections", says, "Raise max_connections, or run fewer workers and web processes.")
    else:
        yield ok("connections", says)
    oldest = _rows(
        "SELECT pid, extract(epoch FROM clock_timestamp() - xact_start)::int FROM pg_stat_activity"
        " WHERE xact_start < clock_timestamp() - make_interval(secs => %s) AND datname = current_database()"
        " AND backend_type = 'client backend' ORDER BY xact_start LIMIT 1",
        LONG_TRANSACTION_S,
    )
    for pid, age_s in oldest:
        yield warn(
            "connections",
            f"a transaction (process {pid}) has been open for {age_s:,} s and keeps tables from being cleaned",
            f"Find out whose it is; SELECT pg_terminate_backend({pid}); ends it.",
        )
