"""Writing to the database as somebody could who has the application's role, and nothing else of mindX."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from django.db import connection, transaction
from django.db.models import Model

from mindx_web.operations.grants import grant
from mindx_web.supervisor.postgres import APP
from people import sealing

Row = TypeVar("Row", bound=Model)


@contextmanager
def as_the_application() -> Iterator[None]:
    """What is written inside is written with the rights that `mindx_web.operations.grants` gives the application.

    Its rights are taken back by the end of the test's transaction, or stay: they are what an installation has.
    """
    with transaction.atomic():
        grant(connection, APP)
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL ROLE {APP}")
        yield
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE")


def forge(statement: str, *values: Any) -> int:
    """Run one statement as the application's role; how many rows it wrote."""
    with as_the_application(), connection.cursor() as cursor:
        cursor.execute(statement, list(values))
        return int(cursor.rowcount)


@contextmanager
def holding(statement: str, *values: Any) -> Iterator[None]:
    """Somebody with the application's role changes a row and does not commit before somebody else waits for it.

    For tests with real transactions.
    """
    grant(connection, APP)
    held, is_over = threading.Event(), threading.Event()
    failed: list[BaseException] = []

    def attack() -> None:
        try:
            with psycopg.connect(**_address(), autocommit=True) as other, other.cursor() as cursor:
                cursor.execute(f"SET ROLE {APP}")
                cursor.execute("BEGIN")
                cursor.execute(statement, list(values))
                held.set()
                waited_for = "SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
                while not is_over.is_set() and cursor.execute(waited_for).fetchone() is None:
                    is_over.wait(0.01)
                cursor.execute("COMMIT")
        except BaseException as error:
            failed.append(error)
            held.set()

    attacker = threading.Thread(target=attack)
    attacker.start()
    assert held.wait(30)
    try:
        yield
    finally:
        is_over.set()
        attacker.join(30)
    assert not failed, failed


def _address() -> dict[str, Any]:
    known = connection.get_connection_params()
    return {name: known[name] for name in ("dbname", "user", "password", "host", "port") if known.get(name)}


def sealed(row: Row) -> Row:
    """The row that a test inserted, sealed as the code that inserts such rows does."""
    sealing.seal(row)
    return row
