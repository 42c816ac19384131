"""What is in the library."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from django.db.models import QuerySet
from pgvector.django import CosineDistance

from library import prepared
from library.errors import EmbeddingUnavailable
from library.language import spaces
from library.models import Component, ComponentVersion
from library.search import models_of, nearest_first


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


_SHARED_TEXTS = f"""
    SELECT version.status, version.version, version.body, version.canary_percent
    FROM {Component._meta.db_table} AS component JOIN {ComponentVersion._meta.db_table} AS version
        ON version.component_id = component.id
    WHERE component.kind = %(kind)s AND component.name = %(name)s AND version.status IN (%(active)s, %(canary)s)
"""  # noqa: S608  # names of our own tables


@dataclass(frozen=True)
class Text:
    """A version in use. `percent`: of a canary its share, else 0."""

    version: str
    body: str
    percent: int = 0


def texts_in_use(kind: str, name: str) -> tuple[Text | None, Text | None]:
    """Return the active version and the canary of one component, each where there is one."""
    status = ComponentVersion.Status
    values = {"kind": kind, "name": name, "active": status.ACTIVE.value, "canary": status.CANARY.value}
    found = {row[0]: Text(row[1], row[2], int(row[3])) for row in prepared.rows(_SHARED_TEXTS, values)}
    return found.get(status.ACTIVE.value), found.get(status.CANARY.value)


def nearest(kind: str, text: str, limit: int = 3) -> list[tuple[ComponentVersion, float]]:
    """Return the active versions whose "when to use it" is nearest in meaning, each with its cosine similarity.

    Where vectors are of two sentence models, the nearest of each come first. EmbeddingUnavailable when none of them
    answers.
    """
    models = models_of(ComponentVersion) or [spaces.current()]
    asked = spaces.to_ask([text], models)
    if not asked.vectors:
        raise EmbeddingUnavailable("; ".join(asked.reasons.values()))
    rankings = []
    with nearest_first():
        for model, (vector,) in asked.vectors.items():
            those = active_versions(kind).filter(applicability_embedding__isnull=False, embedded_by=model)
            near = those.annotate(distance=CosineDistance("applicability_embedding", vector)).order_by("distance")
            rankings.append([(version, 1.0 - version.distance) for version in near[:limit]])
    return [found for place in zip_longest(*rankings) for found in place if found is not None][:limit]
