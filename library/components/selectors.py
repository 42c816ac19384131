"""What is in the library."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from library import prepared
from library.models import Component, ComponentVersion


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
