"""Fills the embeddings of rows: soon after the transaction that wrote them, and by sweep for those that stayed empty.

What people write is embedded at once. Experiences are embedded together, by the process that wrote them: when so many
have come together, or when it has nothing else to do. If it is busy or dies, the sweep handles the rest.

An embedding is null until it could be computed and never a vector of zeros. A text that a model cannot read is tried
again when somebody asks for it: the row names the model. All vectors of a row are of one sentence model, which the row
names, too. After a change of the model a row keeps its old vectors until the new ones are there (`renewal` asks for
them), so nothing is lost when the new model does not answer.
"""

from __future__ import annotations

import hashlib
import logging
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import Error, connection, transaction
from django.db.models import Model, Q, QuerySet, Value

from library.errors import EmbeddingUnavailable
from library.language import may_wait, spaces
from library.models import ComponentVersion, Experience
from library.search import literal

logger = logging.getLogger(__name__)

EXPERIENCE_TEXTS = ("primary_goal_description", "sub_task_description", "input_context_summary", "output_summary")
# For each model, which column holds the embedding of which text.
TEXTS: dict[type[Model], dict[str, str]] = {
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
    for model in TEXTS:
        done += fill(model, list(_missing(model).order_by("-pk")[:SWEEP_ROWS]))
    return done


def count_missing(up_to: int) -> int:
    """How many rows wait for an embedding; counting stops at `up_to` of a kind."""
    first, *others = (_missing(model).order_by().values(one=Value(1))[:up_to] for model in TEXTS)
    return first.union(*others, all=True).count()


def try_again(model: type[Model]) -> None:
    """Have texts of this kind embedded that the current model gave no usable vector for, as if they were new."""
    model._default_manager.filter(unread_by=spaces.current()).update(unread_by="")


def _missing(model: type[Model]) -> QuerySet[Model]:
    wanted = Q()
    for column, text in TEXTS[model].items():
        wanted |= Q(**{f"{column}__isnull": True}) & ~Q(**{text: ""})
    return model._default_manager.filter(wanted).exclude(unread_by=spaces.current())


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
    if spaces.asks_network() and not may_wait.here():
        return  # the sweep, which may wait, finds them
    try:
        fill(model, list(_missing(model).filter(pk__in=pks)))
    except (EmbeddingUnavailable, Error) as error:
        logger.warning("%d rows stay without embedding until the next sweep: %s", len(pks), error)


@dataclass(frozen=True)
class _Gaps:
    """What one row lacks: a text for each column. `whole`: all it has, because its vectors are of another model."""

    pk: int
    texts: Mapping[str, str]
    whole: bool


def fill(model: type[Model], rows: Sequence[Any]) -> int:
    """Compute and store what these rows lack of the current sentence model; return how many were written.

    No transaction is open while the network computes. A text without a usable vector stays without one, and its row
    says so.
    """
    gaps = [_gaps(model, row) for row in rows]
    # Many experiences have a text in common.
    texts = list(dict.fromkeys(text for one in gaps for text in one.texts.values()))
    found = dict(zip(texts, spaces.to_store(texts), strict=True))
    ready = [
        (one, {column: literal(vector) for column, text in one.texts.items() if (vector := found[text]) is not None})
        for one in gaps
        if one.texts
    ]
    return _store(model, ready) if ready else 0


def _gaps(model: type[Model], row: Any) -> _Gaps:
    columns = TEXTS[model]
    whole = row.embedded_by != spaces.current() and any(getattr(row, column) is not None for column in columns)
    wanted = {column: getattr(row, text) for column, text in columns.items() if whole or getattr(row, column) is None}
    return _Gaps(row.pk, {column: text for column, text in wanted.items() if text}, whole)


def _store(model: type[Model], ready: Sequence[tuple[_Gaps, Mapping[str, str]]]) -> int:
    """Write the embeddings of these rows in one statement; how many were written.

    A row that is locked is passed over: two processes that fill the same rows would wait for each other, and whoever
    deletes one wants no embedding of it. So is a row whose text, or whose model, is another one by now: a vector must
    not stand beside a text that it was not made of. The sweep finds what is still missing.
    """
    columns, table = TEXTS[model], model._meta.db_table
    # Names of our own tables and columns; every value is a parameter.
    taken = ", ".join(
        f"{one} = CASE WHEN found.whole THEN found.{one}::vector ELSE coalesce(kept.{one}, found.{one}::vector) END"
        for one in columns
    )
    arrays = ", ".join(f"unnest(%({one})s::text[]), unnest(%({one}_of)s::text[])" for one in columns)
    names = ", ".join(f"{one}, {one}_of" for one in columns)
    missing = " OR ".join(f"kept.{one} IS NULL AND found.{one} IS NOT NULL" for one in columns)
    unchanged = " AND ".join(
        f"(found.{one}_of IS NULL OR encode(sha256(convert_to(kept.{text}, 'UTF8')), 'hex') = found.{one}_of)"
        for one, text in columns.items()
    )
    empty = " AND ".join(f"kept.{one} IS NULL" for one in columns)
    statement = f"""
        WITH free AS (SELECT id FROM {table} WHERE id = ANY(%(id)s) FOR NO KEY UPDATE SKIP LOCKED)
        UPDATE {table} AS kept
        SET embedded_by = %(model)s, unread_by = CASE WHEN found.unread THEN %(model)s ELSE '' END, {taken}
        FROM free JOIN ROWS FROM (
            unnest(%(id)s::bigint[]), unnest(%(whole)s::boolean[]), unnest(%(unread)s::boolean[]), {arrays}
        ) AS found (id, whole, unread, {names}) ON found.id = free.id
        WHERE kept.id = free.id AND {unchanged}
            AND (found.whole OR (found.unread OR {missing}) AND (kept.embedded_by = %(model)s OR {empty}))
    """  # noqa: S608  # names of our own tables
    values: dict[str, Any] = {"model": spaces.current(), "id": [one.pk for one, _ in ready]}
    values["whole"] = [one.whole for one, _ in ready]
    values["unread"] = [len(vectors) < len(one.texts) for one, vectors in ready]
    for column in columns:
        values[column] = [vectors.get(column) for _, vectors in ready]
        values[f"{column}_of"] = [_digest(one.texts[column]) if column in one.texts else None for one, _ in ready]
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.rowcount


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
