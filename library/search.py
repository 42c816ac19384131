"""Nearest rows by embedding: how a vector is written, whose vectors there are, and what a filtered search needs.

Vectors of two sentence models cannot be compared. While there are some of both, each model ranks its own rows, and the
rankings are merged by place: the best of each, then the second of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import or_
from typing import Any
from unicodedata import normalize

from django.db import connection, transaction
from django.db.models import Model, Q, QuerySet

from library import prepared
from library.models import ComponentVersion, Experience

# What one of two sentence models has embedded is compared row by row up to so many.
RARE_UP_TO = 20_000
# A row has vectors when one of these is there, in the words of the index by models. An experience always has a goal.
_ONE_OF: dict[type[Model], tuple[str, ...]] = {
    ComponentVersion: ("applicability_embedding", "content_embedding"),
    Experience: ("primary_goal_description_embedding",),
}


# One exchange: Postgres takes several statements at once where they have no values.
_SETTINGS = "SET LOCAL hnsw.iterative_scan = {order}; SET LOCAL hnsw.ef_search = {ef}; SET LOCAL jit = off"
_WILD = re.compile(r"[\\%_]")
# Soft hyphens, widths of nothing, and what turns the direction of writing.
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def has_vectors(model: type[Model]) -> str:
    """Whether a row of this table has vectors, as a condition."""
    return f"({' OR '.join(f'{one} IS NOT NULL' for one in _ONE_OF[model])})"


def embedded(model: type[Model]) -> QuerySet[Any]:
    """The rows of this table that have vectors."""
    there = [Q(**{f"{one}__isnull": False}) for one in _ONE_OF[model]]
    return model._default_manager.filter(reduce(or_, there))


def literal(vector: Sequence[float]) -> str:
    """The vector as pgvector reads it."""
    return f"[{','.join(map(repr, vector))}]"


def words(text: str) -> list[tuple[str, ...]]:
    """The first twelve words as patterns of LIKE, each in the ways in which it may be stored: letters with their
    accents, and each accent behind its letter. Marks of direction, which are copied along unseen, are no part of one.
    """
    whole = (_WILD.sub(r"\\\g<0>", word) for word in _INVISIBLE.sub("", text).split()[:12])
    return [tuple(dict.fromkeys(f"%{normalize(form, word)}%" for form in ("NFC", "NFD"))) for word in whole]


def models_of(*tables: type[Model]) -> list[str]:
    """The sentence models that made these tables' vectors; one almost always, so two looks at an index of each."""
    (found,) = prepared.row(f"SELECT {' || '.join(map(models_sql, tables))}", {}) or ([],)
    return list(dict.fromkeys(found))


def models_sql(model: type[Model]) -> str:
    """The same as an expression: an array of names. It steps from each name to the next, however many rows have it."""
    step = f"SELECT embedded_by FROM {model._meta.db_table} WHERE {has_vectors(model)}"  # noqa: S608  # our own names
    return (
        f"ARRAY(WITH RECURSIVE step AS (({step} ORDER BY embedded_by LIMIT 1) UNION ALL"  # noqa: S608  # our own names
        f" SELECT ({step} AND embedded_by > step.embedded_by ORDER BY embedded_by LIMIT 1) FROM step"
        " WHERE step.embedded_by IS NOT NULL)"
        " SELECT embedded_by FROM step WHERE embedded_by IS NOT NULL)"
    )


def rare_models(those: str, values: Mapping[str, Any], models: Sequence[str]) -> set[str]:
    """Of several sentence models those that have so few of `those` rows that each is compared.

    The graph of an index leads from row to row by distances, which mean nothing between two models: of a few rows of
    one among many of another it finds half, of a fifth nearly all.
    """
    statement = f"SELECT count(*) FROM ({those} AND embedded_by = %(one)s LIMIT {RARE_UP_TO + 1}) AS few"  # noqa: S608  # our own names
    counts = {one: prepared.row(statement, {**values, "one": one}) or (0,) for one in models if len(models) > 1}
    return {one for one, (count,) in counts.items() if int(count) <= RARE_UP_TO}


def settings_of(*, strictly: bool, ef_search: int) -> str:
    """What `nearest_first` sets, as one statement that can go ahead of others in one exchange (`library.prepared`)."""
    order = "strict_order" if strictly else "relaxed_order"
    return (
        f"SELECT set_config('hnsw.iterative_scan', '{order}', true),"
        f" set_config('hnsw.ef_search', '{ef_search:d}', true), set_config('jit', 'off', true)"
    )


@contextmanager
def nearest_first(*, strictly: bool = True, ef_search: int = 120) -> Iterator[None]:
    """Within this block an HNSW scan goes on until enough rows pass the filters.

    Without it pgvector looks at the nearest `ef_search` rows only and then filters: somebody who owns few of many
    rows would find nothing. Strict order keeps the rows sorted exactly by distance; who sorts them anyhow saves time
    without it. `ef_search`: how many rows are looked at first; more find more, and take longer. Compiling such a
    statement (JIT) costs more than running it: its rows are few, whatever it guesses.
    """
    order = "strict_order" if strictly else "relaxed_order"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_SETTINGS.format(order=order, ef=ef_search))
        yield
