"""Empty tables after a test that committed, at a tenth of what Django's `flush` costs.

`flush` truncates every table, which makes hundreds of files anew and deletes the old ones, and then writes the same
content types and permissions again that it threw away. After most tests a handful of tables hold a few rows.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.test import TransactionTestCase

# What `flush` brings back by itself.
_BROUGHT_BACK = ("django_content_type", "auth_permission")
# Deleted rows leave their room behind until the server tidies up: what has grown is truncated.
_LARGE_BYTES = 1024 * 1024

# In one round trip. The lock waits for whoever still writes, as `flush` does. An index of neighbours leads to deleted
# rows as well and then finds too few of the others, so its table is truncated too. Both guards of tables that only grow
# and references sleep for this transaction alone.
_EMPTY = """
DO $$
DECLARE
    one record;
BEGIN
    LOCK TABLE {tables};
    SET LOCAL session_replication_role = replica;
    FOR one IN
        SELECT filled.name, sum(pg_table_size(part)) > {large} OR bool_or(EXISTS (
            SELECT FROM pg_index JOIN pg_class AS index ON index.oid = indexrelid JOIN pg_am ON pg_am.oid = index.relam
            WHERE indrelid = part AND amname = 'hnsw'
        )) AS anew
        FROM (
            SELECT whole.name, part
            FROM unnest('{{ {tables} }}'::regclass[]) AS whole (name),
                LATERAL (SELECT whole.name UNION SELECT relid FROM pg_partition_tree(whole.name)) AS parts (part)
            WHERE pg_relation_size(part) > 0
            OFFSET 0  -- or all the rest is worked out for the many empty ones too
        ) AS filled
        GROUP BY filled.name
    LOOP
        IF one.anew THEN
            EXECUTE 'TRUNCATE ' || one.name || ' CASCADE';
        ELSE
            EXECUTE 'DELETE FROM ' || one.name;
        END IF;
    END LOOP;
END $$
"""
_BROUGHT_BACK_NOW = " UNION ALL ".join(
    f"SELECT count(*), max(xmin::text::bigint) FROM {name}" for name in _BROUGHT_BACK
)


class Emptying:
    """Stands in for `TransactionTestCase._fixture_teardown`.

    The first one of a process is Django's own, and so is each one that finds what `flush` brings back changed.
    """

    def __init__(self, flush: Callable[[TransactionTestCase], None]) -> None:
        self._flush = flush
        self._brought_back: list[tuple[int, int]] | None = None
        self._statement = ""

    def __call__(self, test: TransactionTestCase) -> None:
        """Leave the tables as `flush` would."""
        if self._brought_back is None or self._brought_back != _brought_back():
            self._flush(test)
            self._brought_back = _brought_back()
            tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
            quoted = ", ".join(connection.ops.quote_name(name) for name in tables if name not in _BROUGHT_BACK)
            self._statement = _EMPTY.format(tables=quoted, large=_LARGE_BYTES)
        else:
            with connection.cursor() as cursor:
                cursor.execute(self._statement)


def _brought_back() -> list[tuple[int, int]]:
    """How many rows there are and which was written last: the same as long as nobody wrote one or deleted one."""
    with connection.cursor() as cursor:
        cursor.execute(_BROUGHT_BACK_NOW)
        return list(cursor.fetchall())
