"""What is in the library."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from library import prepared
from library.models import Component, ComponentVersion
from people import sealing

logger = logging.getLogger(__name__)


def active_versions(kind: str) -> QuerySet[ComponentVersion]:
    """Return the versions in use, by name."""
    return (
        ComponentVersion.objects.filter(component__kind=kind, status=ComponentVersion.Status.ACTIVE)
        .select_related("component", "created_by")
        .defer("content_embedding", "applicability_embedding")
        .order_by("component__name")
    )


# The columns that a seal covers, and the newest seal, in the order of `_genuine`.
_SEALED = f"""version.id, component.kind, component.name, version.version, version.body, version.status,
        version.canary_percent, version.origin, version.created_by_id,
        {sealing.newest_sql(ComponentVersion, "version.id")}"""
_ACTIVE_TEXTS = f"""
    SELECT {_SEALED}
    FROM {Component._meta.db_table} AS component JOIN {ComponentVersion._meta.db_table} AS version
        ON version.component_id = component.id
    WHERE component.kind = %(kind)s AND component.name = ANY(%(names)s::text[]) AND version.status = %(active)s
"""  # noqa: S608  # names of our own tables


def active_texts(kind: str, names: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return version and body of those of these names that are in use, by name."""
    values: dict[str, Any] = {"kind": kind, "names": list(names), "active": ComponentVersion.Status.ACTIVE.value}
    found = filter(None, map(_genuine, prepared.rows(_ACTIVE_TEXTS, values)))
    return {row["component__name"]: (row["version"], row["body"]) for row in found}


_TEXTS = f"""
    SELECT {_SEALED}
    FROM {Component._meta.db_table} AS component JOIN {ComponentVersion._meta.db_table} AS version
        ON version.component_id = component.id
    WHERE component.kind = %(kind)s AND component.name = ANY(%(names)s::text[])
"""  # noqa: S608  # names of our own tables


def guarded_texts(kind: str, names: Collection[str]) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """As `active_texts`, with those versions that are not what was sealed, whatever their status, as "name version":
    who relies on what a text forbids must not take a forged row for one that was put out of use.
    """
    used: dict[str, tuple[str, str]] = {}
    forged: list[str] = []
    for row in prepared.rows(_TEXTS, {"kind": kind, "names": list(names)}):
        found = _genuine(row)
        if found is None:
            forged.append(f"{row[2]} {row[3]}")
        elif found["status"] == ComponentVersion.Status.ACTIVE:
            used[found["component__name"]] = (found["version"], found["body"])
    return used, sorted(forged)


def _genuine(row: Sequence[Any]) -> dict[str, Any] | None:
    """The sealed columns of a row by their names; None, and a line in the log, where they are not what was sealed."""
    key, *columns, newest = row
    found = dict(zip(sealing.fields_of(ComponentVersion), columns, strict=True))
    if sealing.fits(ComponentVersion, key, found, newest):
        return found
    logger.error("A version was not sealed by mindX and is not used: %s %s", found["component__name"], found["version"])
    return None


_SHARED_TEXTS = f"""
    SELECT {_SEALED}
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
    rows = filter(None, map(_genuine, prepared.rows(_SHARED_TEXTS, values)))
    found = {row["status"]: Text(row["version"], row["body"], int(row["canary_percent"])) for row in rows}
    return found.get(status.ACTIVE.value), found.get(status.CANARY.value)
