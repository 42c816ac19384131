"""Fills the embeddings of rows: after the transaction that wrote them, and again by sweep for those that stayed empty.

An embedding is null until it could be computed and never a vector of zeros. Texts of a row never change after it was
written, so two processes that fill the same row write the same numbers.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from functools import partial

from django.db import transaction
from django.db.models import Model, Q, QuerySet, Value

from library.errors import EmbeddingUnavailable
from library.language import embeddings
from library.models import ComponentVersion, Experience

logger = logging.getLogger(__name__)

# For each model, which column holds the embedding of which text.
_TEXTS: dict[type[Model], dict[str, str]] = {
    ComponentVersion: {"content_embedding": "body", "applicability_embedding": "applicability_text"},
    Experience: {
        f"{field}_embedding": field
        for field in (
            "primary_goal_description",
            "sub_task_description",
            "input_context_summary",
            "output_summary",
        )
    },
}
SWEEP_ROWS = 64


def embed_on_commit(*rows: ComponentVersion | Experience) -> None:
    """Embed new rows of one kind as soon as their transaction has ended; a failure leaves them to the sweep."""
    if rows:
        transaction.on_commit(partial(_embed_quietly, type(rows[0]), [row.pk for row in rows]), robust=True)


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


def _embed_quietly(model: type[Model], pks: list[int]) -> None:
    try:
        _fill(model, list(_missing(model).filter(pk__in=pks)))
    except EmbeddingUnavailable as error:
        logger.warning("%d rows stay without embedding until the next sweep: %s", len(pks), error)


def _fill(model: type[Model], rows: Sequence[Model]) -> int:
    """Compute and store what is missing in these rows. No transaction is open while the network computes."""
    gaps = [
        (row, column, getattr(row, text))
        for row in rows
        for column, text in _TEXTS[model].items()
        if getattr(row, column) is None and getattr(row, text)
    ]
    found: dict[int, dict[str, list[float]]] = defaultdict(dict)
    for (row, column, _), vector in zip(gaps, embeddings.embed([text for *_, text in gaps]), strict=True):
        found[row.pk][column] = vector
    for pk, vectors in found.items():
        # The row may have been forgotten meanwhile; then this changes nothing.
        model._default_manager.filter(pk=pk).update(**vectors)
    return len(rows)
