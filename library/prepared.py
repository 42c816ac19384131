"""Statements that run for every plan, step or question to a model: Postgres parses and plans each once a connection,
and gets only values.

Django sends every statement as new text, which a dozen parts long ones pay for with more planning than work. These are
prepared under a name on the connection that Django has open, in whatever transaction it is in. What the connection's
wrappers count or forbid, they count and forbid here too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from psycopg import RawCursor
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8

# The cursor that is kept with each connection.
_KEPT = "_mindx_prepared"
_PLACE = re.compile(r"%\((\w+)\)s")


class _Cursor(RawCursor[tuple[Any, ...]]):
    def execute(self, query: Any, params: Any = None, **_: Any) -> Any:
        answer = super().execute(query, _sent(params), prepare=True)
        if self._query is None and connection.queries_logged:  # psycopg keeps no text of what it had prepared
            self._query = self._query_cls(self._tx)
            self._query.convert(query, _sent(params))
        return answer


def _sent(values: Iterable[Any]) -> list[Any]:
    """A number's type would otherwise go by its size, and each mixture of types is a statement of its own."""
    return [Int8(value) if type(value) is int else value for value in values]


@lru_cache(maxsize=128)
def _numbered(statement: str) -> tuple[str, tuple[str, ...]]:
    """The statement with Postgres' own `$1` for each name, and the names in that order. psycopg would look for them at
    each call in a text of more than 4,096 characters.
    """
    names = tuple(dict.fromkeys(_PLACE.findall(statement)))
    places = {name: f"${number}" for number, name in enumerate(names, 1)}
    return _PLACE.sub(lambda found: places[found[1]], statement), names


def row(statement: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Run a statement with `%(name)s` in it and return its first row.

    Whole numbers are sent as bigint, texts as whatever their place in the statement takes.
    """
    found: tuple[Any, ...] | None = _run(statement, values, lambda cursor: cursor.fetchone())
    return found


def run(statement: str, values: Mapping[str, Any]) -> int:
    """Run a statement in the same way that returns nothing; how many rows it wrote."""
    return int(_run(statement, values, lambda cursor: cursor.rowcount))


def rows(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run a statement in the same way and return all its rows."""
    found: list[tuple[Any, ...]] = _run(statement, values, lambda cursor: cursor.fetchall())
    return found


def together(asked: Sequence[tuple[str, Mapping[str, Any]]]) -> list[tuple[Any, ...] | None]:
    """Run statements that do not need each other's answers in one transaction and one exchange with the server, and
    return the first row of each. Each sees what those before it have written, and what others had committed by then.
    """
    django: Any = connections[DEFAULT_DB_ALIAS]
    if _is_watched(django):
        with transaction.atomic(savepoint=False):
            return [row(statement, values) for statement, values in asked]
    # Within the transaction that is open. Without one it needs no BEGIN and COMMIT: what is sent before the server is
    # asked to answer is one transaction.
    opened = _opened(django)
    with django.wrap_database_errors:
        cursors = [RawCursor(opened) for _ in asked]
        with opened.pipeline():
            for cursor, (statement, values) in zip(cursors, asked, strict=True):
                text, names = _numbered(statement)
                cursor.execute(text, _sent(values[name] for name in names), prepare=True)
        return [cursor.fetchone() for cursor in cursors]


def _run(statement: str, values: Mapping[str, Any], take: Callable[[Any], Any]) -> Any:
    text, names = _numbered(statement)
    sent = [values[name] for name in names]
    django: Any = connections[DEFAULT_DB_ALIAS]
    opened = _opened(django)
    if _is_watched(django):
        with django._prepare_cursor(_Cursor(opened)) as cursor:
            cursor.execute(text, sent)
            return take(cursor)
    # Without the wrappers, which cost as much as sending a statement and reading its answer, and with one cursor for
    # all of them: each is read to its end before the next one is sent.
    with django.wrap_database_errors:
        plain = getattr(opened, _KEPT, None)
        if plain is None:
            plain = RawCursor(opened)
            setattr(opened, _KEPT, plain)
        if opened.autocommit or opened.pgconn.transaction_status != TransactionStatus.IDLE:
            plain.execute(text, _sent(sent), prepare=True)
        else:
            with opened.pipeline():  # together with the BEGIN that comes before it
                plain.execute(text, _sent(sent), prepare=True)
        return take(plain)


def _opened(django: Any) -> Any:
    """psycopg's connection, as Django would hand it out."""
    django.ensure_connection()
    django.validate_thread_sharing()
    django.validate_no_broken_transaction()
    opened = django.connection
    if opened.prepare_threshold is None:
        opened.prepare_threshold = sys.maxsize  # what Django itself sends is never prepared
    return opened


def _is_watched(django: Any) -> bool:
    """Whether somebody counts statements or forbids some, which only Django's wrappers heed."""
    return bool(django.queries_logged or django.execute_wrappers)
