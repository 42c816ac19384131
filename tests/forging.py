"""Writing to the database as somebody could who has the application's role, and nothing else of mindX."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

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


def sealed(row: Row) -> Row:
    """The row that a test inserted, sealed as the code that inserts such rows does."""
    sealing.seal(row)
    return row
