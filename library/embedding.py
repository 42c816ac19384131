"""Fills the embeddings of rows: soon after the transaction that wrote them, and by sweep for those that stayed empty.

What people write is embedded at once. Experiences are embedded together, by the process that wrote them: when so many
have come together, or when it has nothing else to do. If it is busy or dies, the sweep handles the rest.

An embedding is null until it could be computed and never a vector of zeros. Texts of a row never change after it was
written, so two processes that fill the same row write the same numbers.
"""

from __future__ import annotations

import logging
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

from django.db import Error, connection, transaction
from django.db.models import Model, Q, QuerySet, Value

from library.errors import EmbeddingUnavailable
from library.language import embeddings
from library.models import ComponentVersion, Experience
from library.search import literal

logger = logging.getLogger(__name__)

EXPERIENCE_TEXTS = ("primary_goal_description", "sub_task_description", "input_context_summary", "output_summary")
# For each model, which column holds the embedding of which text.
_TEXTS: dict[type[Model], dict[str, str]] = {
    ComponentVersion: {"content_embedding": "body", "applicability_embedding": "applicability_text"},
    Experience: {f"{field}_embedding": field for field in EXPERIENCE_TEXTS},
}
SWEEP_ROWS = 64
# So many experiences, of two texts each, are embedded together: more of them save next to nothing a text, and a
# worker that embeds pages of text does nothing else meanwhile.
TOGETHER = 8
# The experiences that this process wrote and has not embedded yet.
_soon: deque[int] = deque()


def embed_on_commit(*rows: ComponentVersion | Experience) -> None:
    """Embed new rows of one kind as soon as their transaction has ended; a failure leaves them to the sweep."""
    if rows:
        transaction.on_commit(partial(_embed_quietly, type(rows[0]), [row.pk for row in rows]), robust=True)


def embed_soon(experience: int) -> None:
    """Embed this new experience with others, when its transaction has ended and enough have come together."""
    transaction.on_commit(partial(_wait_for_others, experience), robust=True)


def embed_waiting() -> None:
    """Embed the experiences that wait in this process for others; a failure leaves them to the sweep."""
    if waiting := _taken():
        _embed_quietly(Experience, waiting)


def embed_missing() -> int:
    """Embed rows that have a text without its embedding, at most 64 of a kind, newest first; return how many."""
    done = 0
    for model in _TEXTS:
        done += _fill(model, list(_missing(model).order_by("-pk")[:SWEEP_ROWS]))
    return done


def count_missing(up_to: int) -> int:
    """How many rows wait for an embedding; counting stops at `up_to` of a kind."""
    first, *others = (_missing(model).order_by().values(one=Value(1))[:up_to] for model in _TEXTS)
    return first.union(*others, all=True).count()


def _missing(model: type[Model]) -> QuerySet[Model]:
    wanted = Q()
    for column, text in _TEXTS[model].items():
        wanted |= Q(**{f"{column}__isnull": True}) & ~Q(**{text: ""})
    return model._default_manager.filter(wanted)


def _wait_for_others(experience: int) -> None:
    _soon.append(experience)
    if len(_soon) >= TOGETHER:
        embed_waiting()


def _taken() -> list[int]:
    """Those that wait; another thread gets none of them."""
    taken: list[int] = []
    with suppress(IndexError):
        while True:
            taken.append(_soon.popleft())
    return taken


def _embed_quietly(model: type[Model], pks: list[int]) -> None:
    try:
        _fill(model, list(_missing(model).filter(pk__in=pks)))
    except (EmbeddingUnavailable, Error) as error:
        logger.warning("%d rows stay without embedding until the next sweep: %s", len(pks), error)


def _fill(model: type[Model], rows: Sequence[Model]) -> int:
    """Compute and store what is missing in these rows. No transaction is open while the network computes."""
    gaps = [
        (row.pk, column, getattr(row, text))
        for row in rows
        for column, text in _TEXTS[model].items()
        if getattr(row, column) is None and getattr(row, text)
    ]
    # Many experiences have a text in common.
    texts = list(dict.fromkeys(text for *_, text in gaps))
    found = dict(zip(texts, map(literal, embeddings.embed(texts)), strict=True))
    filled: dict[int, dict[str, str]] = defaultdict(dict)
    for pk, column, text in gaps:
        filled[pk][column] = found[text]
    if filled:
        _store(model, filled)
    return len(rows)


def _store(model: type[Model], filled: Mapping[int, Mapping[str, str]]) -> None:
    """Write the embeddings of these rows in one statement.

    A row that is locked is passed over: two processes that fill the same rows would wait for each other, and whoever
    deletes one wants no embedding of it. The sweep finds what is still missing.
    """
    columns, table = list(_TEXTS[model]), model._meta.db_table
    # Names of our own tables and columns; every value is a parameter.
    taken = ", ".join(f"{one} = coalesce(kept.{one}, found.{one}::vector)" for one in columns)
    texts = ", ".join(f"unnest(%({one})s::text[])" for one in columns)
    missing = " OR ".join(f"kept.{one} IS NULL AND found.{one} IS NOT NULL" for one in columns)
    statement = f"""
        WITH free AS (SELECT id FROM {table} WHERE id = ANY(%(id)s) FOR NO KEY UPDATE SKIP LOCKED)
        UPDATE {table} AS kept SET {taken}
        FROM free JOIN ROWS FROM (unnest(%(id)s::bigint[]), {texts}) AS found (id, {", ".join(columns)})
            ON found.id = free.id
        WHERE kept.id = free.id AND ({missing})
    """  # noqa: S608  # names of our own tables
    values = {one: [vectors.get(one) for vectors in filled.values()] for one in columns}
    with connection.cursor() as cursor:
        cursor.execute(statement, {"id": list(filled), **values})
