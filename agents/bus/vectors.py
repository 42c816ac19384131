"""The embeddings of members: made soon after what they say of themselves has changed, and again with a new model."""

from __future__ import annotations

import logging
from typing import Any

from django.db.models import Q

from agents.models import BusMember
from library.errors import EmbeddingUnavailable
from library.language import spaces

logger = logging.getLogger(__name__)

TEXTS = {"description_embedding": "description", "offer_embedding": "offer"}
AT_ONCE = 64


def embed_missing(most: int = AT_ONCE) -> int:
    """Embed members that lack a vector of the current sentence model; how many were written.

    Never call this inside a transaction. A text without a usable vector is not asked for again by this model.
    """
    current = spaces.current()
    lacking = Q(description_embedding=None) & ~Q(description="") | Q(offer_embedding=None) & ~Q(offer="")
    wanted = BusMember.objects.filter(lacking | ~Q(embedded_by=current)).exclude(unread_by=current)
    rows = list(wanted.order_by("-pk")[:most])
    texts = list(dict.fromkeys(text for row in rows for text in (row.description, row.offer) if text))
    try:
        found = dict(zip(texts, spaces.to_store(texts), strict=True))
    except EmbeddingUnavailable as error:
        logger.warning("Embedding of members of the bus is postponed: %s", error)
        return 0
    return sum(_store(row, found, current) for row in rows)


def _store(row: BusMember, found: dict[str, Any], model: str) -> int:
    """The race it closes: what the member says changes meanwhile. A vector never stands beside another text."""
    vectors = {column: found.get(getattr(row, text)) for column, text in TEXTS.items()}
    unread = any(getattr(row, text) and vectors[column] is None for column, text in TEXTS.items())
    same = BusMember.objects.filter(pk=row.pk, description=row.description, offer=row.offer)
    return same.update(embedded_by=model, unread_by=model if unread else "", **vectors)
