"""Nearest rows by embedding: how a vector is written, and the one setting that a filtered search over HNSW needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection, transaction


def literal(vector: Sequence[float]) -> str:
    """The vector as pgvector reads it."""
    return f"[{','.join(map(repr, vector))}]"


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
