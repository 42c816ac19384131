"""What is in the library."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet
from pgvector.django import CosineDistance

from library import prepared
from library.language import embeddings
from library.models import Component, ComponentVersion
from library.search import nearest_first


def active_versions(kind: str) -> QuerySet[ComponentVersion]:
    """Return the versions in use, by name."""
    return (
        ComponentVersion.objects.filter(component__kind=kind, status=ComponentVersion.Status.ACTIVE)
        .select_related("component", "created_by")
        .defer("content_embedding", "applicability_embedding")
        .order_by("component__name")
    )


_ACTIVE_TEXTS = f"""
    SELECT component.name, version.version, version.body
    FROM {Component._meta.db_table} AS component JOIN {ComponentVersion._meta.db_table} AS version
        ON version.component_id = component.id
    WHERE component.kind = %(kind)s AND component.name = ANY(%(names)s::text[]) AND version.status = %(active)s
"""  # noqa: S608  # names of our own tables


def active_texts(kind: str, names: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return version and body of those of these names that are in use, by name."""
    values: dict[str, Any] = {"kind": kind, "names": list(names), "active": ComponentVersion.Status.ACTIVE.value}
    return {name: (version, body) for name, version, body in prepared.rows(_ACTIVE_TEXTS, values)}


def nearest(kind: str, text: str, limit: int = 3) -> list[tuple[ComponentVersion, float]]:
    """Return the active versions whose "when to use it" is nearest in meaning, each with its cosine similarity.

    EmbeddingUnavailable when the text cannot be embedded.
    """
    (vector,) = embeddings.embed([text])
    with nearest_first():
        found = list(
            active_versions(kind)
            .filter(applicability_embedding__isnull=False)
            .annotate(distance=CosineDistance("applicability_embedding", vector))
            .order_by("distance")[:limit]
        )
    return [(version, 1.0 - version.distance) for version in found]
