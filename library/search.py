"""Nearest rows by embedding: the one setting that a filtered search over an HNSW index needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def nearest_first() -> Iterator[None]:
    """Within this block an HNSW scan goes on until enough rows pass the filters.

    Without it pgvector looks at the nearest `ef_search` rows only and then filters: somebody who owns few of many
    rows would find nothing. Strict order keeps the rows sorted exactly by distance.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL hnsw.iterative_scan = strict_order")
        cursor.execute("SET LOCAL hnsw.ef_search = 120")
        yield
