"""Statements that run for every plan or step: Postgres parses and plans each once a connection, and gets only values.

Django sends every statement as new text, which a dozen parts long ones pay for with more planning than work. These are
prepared under a name on the connection that Django has open, in whatever transaction it is in. What the connection's
wrappers count or forbid, they count and forbid here too.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from django.db import connection
from psycopg import Cursor
from psycopg._queries import PostgresQuery
from psycopg.types.numeric import Int8


class _Cursor(Cursor[tuple[Any, ...]]):
    def execute(self, query: Any, params: Any = None, **_: Any) -> Any:
        # A number's type would otherwise go by its size, and each mixture of types is a statement of its own.
        sent = {name: Int8(value) if type(value) is int else value for name, value in params.items()}
        answer = super().execute(query, sent, prepare=True)
        if self._query is None and connection.queries_logged:  # psycopg keeps no text of what it had prepared
            self._query = PostgresQuery(self._tx)
            self._query.convert(query, sent)
        return answer


def row(statement: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Run a statement with `%(name)s` in it and return its first row.

    Whole numbers are sent as bigint, texts as whatever their place in the statement takes.
    """
    connection.ensure_connection()
    django: Any = connection
    opened = django.connection
    if opened.prepare_threshold is None:
        opened.prepare_threshold = sys.maxsize  # what Django itself sends is never prepared
    with django._prepare_cursor(_Cursor(opened)) as cursor:
        cursor.execute(statement, values)
        found: tuple[Any, ...] | None = cursor.fetchone()
    return found
