"""Find versions of components: by what they are of use for, by what they are, and by their words.

A search ranks in one statement. *Task* compares what is to be done with each version's applicability text, *query*
what is looked for with its body; the score is weight x task + (1 - weight) x query, and a little for what has proved
itself. Each of the two finds its own nearest candidates, and every candidate gets both scores.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from library.errors import EmbeddingUnavailable
from library.language import embeddings
from library.models import Component, ComponentVersion
from library.search import literal, nearest_first

# How much the task counts beside the query.
WEIGHT = 0.7
# Each comparison ranks at most this many of its nearest versions.
CANDIDATES = 100
# So few versions are compared one by one: an HNSW graph promises no row behind a filter that few pass.
EXACT_UP_TO = 1_500
TEXT_MAX_CHARACTERS = 4_000
# A version that is used often and well gains at most this much.
USAGE_MOST = 0.05
_USES_FOR_MOST = 10
_WILD = re.compile(r"[\\%_]")
_VERSION, _COMPONENT = ComponentVersion._meta.db_table, Component._meta.db_table
_FROM = f"{_VERSION} AS version JOIN {_COMPONENT} AS component ON component.id = version.component_id"
_WAITS = "version.applicability_embedding IS NULL AND version.content_embedding IS NULL"
_HAS_VECTORS = f"NOT ({_WAITS})"
_USAGE = (
    f"CASE WHEN uses = 0 THEN 0 ELSE least({USAGE_MOST}, {USAGE_MOST} * uses / {_USES_FOR_MOST}.0"
    " * successes / greatest(successes + failures, 1)) END"
)


@dataclass(frozen=True)
class Filters:
    """Which versions are looked at; what is empty excludes none."""

    kind: str = ""
    domain: str = ""
    status: str = ComponentVersion.Status.ACTIVE.value
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scores:
    """Cosine similarities (-1 to 1) of task and query, None where that was not asked or has no vector; the usage's
    share (0 to 0.05), and the sum that ranks, at most 1.
    """

    task: float | None = None
    content: float | None = None
    usage: float = 0.0
    total: float = 0.0


@dataclass(frozen=True)
class Found:
    """A version, and why it stands where it stands."""

    version: ComponentVersion
    scores: Scores = field(default_factory=Scores)


@dataclass(frozen=True)
class Results:
    """Best first. `by_words` says why meaning could not be compared, else it is empty."""

    items: tuple[Found, ...]
    by_words: str = ""


def search(
    query: str = "", task: str = "", filters: Filters = Filters(), *, weight: float = WEIGHT, limit: int = 20
) -> Results:
    """Return the versions that suit the task and resemble the query; by name when neither is given.

    Where sentences cannot be embedded, all words of both must appear in a version's name, texts or tags.
    """
    query, task = (text.replace("\0", "")[:TEXT_MAX_CHARACTERS].strip() for text in (query, task))
    reach, values = _reach(filters)
    if not query and not task:
        return Results(_by_words(reach, values, (), limit))
    wanted = {name: text for name, text in (("task", task), ("content", query)) if text}
    try:
        vectors = dict(zip(wanted, embeddings.embed(list(wanted.values())), strict=True))
    except EmbeddingUnavailable as error:
        return Results(_by_words(reach, values, f"{query} {task}".split(), limit), str(error))
    values |= {name: literal(vector) for name, vector in vectors.items()}
    values |= {"weight": weight if len(vectors) == 2 else float("task" in vectors), "limit": limit}
    # What waits for its vectors is found by its name at least.
    words = _words(values, f"{query} {task}".split()[:12])
    with nearest_first(), connection.cursor() as cursor:
        if _are_few(reach, values):
            those = f"SELECT version.id FROM {_FROM} WHERE {reach} AND ({_HAS_VECTORS} OR {words})"  # noqa: S608  # our own names
        else:
            arms = [_nearest(reach, name) for name in vectors]
            arms.append(f"SELECT version.id FROM {_FROM} WHERE {reach} AND {_WAITS} AND {words} LIMIT {CANDIDATES}")  # noqa: S608  # our own names
            those = " UNION ".join(f"({arm})" for arm in arms)
        cursor.execute(_ranked(those, set(vectors)), values)
        return Results(_loaded(cursor.fetchall()))


def _reach(filters: Filters) -> tuple[str, dict[str, Any]]:
    """The filters as a condition, with the values it names."""
    said, values = ["true"], dict[str, Any]()
    for column, value in (
        ("component.kind", filters.kind),
        ("component.domain", filters.domain),
        ("version.status", filters.status),
    ):
        if value:
            name = column.partition(".")[2]
            said.append(f"{column} = %({name})s")
            values[name] = value
    if filters.tags:
        said.append("component.tags @> %(tags)s::text[]")
        values["tags"] = list(filters.tags)
    return " AND ".join(said), values


def _are_few(reach: str, values: dict[str, Any]) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FROM (SELECT FROM {_FROM} WHERE {reach} LIMIT {EXACT_UP_TO + 1}) AS few",  # noqa: S608  # names of our own tables
            values,
        )
        return int(cursor.fetchone()[0]) <= EXACT_UP_TO


def _nearest(reach: str, name: str) -> str:
    column = {"task": "applicability_embedding", "content": "content_embedding"}[name]
    near = f"SELECT version.id FROM {_FROM} WHERE {reach} AND version.{column} IS NOT NULL"  # noqa: S608  # our own names
    return f"{near} ORDER BY version.{column} <=> %({name})s::vector LIMIT {CANDIDATES}"


def _ranked(those: str, asked: set[str]) -> str:
    task = "1.0 - (applicability_embedding <=> %(task)s::vector)" if "task" in asked else "NULL::float8"
    content = "1.0 - (content_embedding <=> %(content)s::vector)" if "content" in asked else "NULL::float8"
    # Only names and numbers of this file are put together here; every value is a parameter.
    return (
        f"WITH scored AS (SELECT id, {task} AS task, {content} AS content, {_USAGE} AS usage"  # noqa: S608
        f" FROM {_VERSION} WHERE id IN ({those}))"
        " SELECT id, task, content, usage, least(1.0, %(weight)s * coalesce(task, 0)"
        " + (1.0 - %(weight)s) * coalesce(content, 0) + usage) AS total"
        " FROM scored ORDER BY total DESC, id DESC LIMIT %(limit)s"
    )


def _words(values: dict[str, Any], words: Sequence[str]) -> str:
    said = ["true"]
    for number, word in enumerate(words):
        values[f"word{number}"] = "%" + _WILD.sub(r"\\\g<0>", word) + "%"
        said.append(
            f"upper(concat_ws(' ', component.name, component.description, array_to_string(component.tags, ' '),"
            f" version.applicability_text, version.body)) LIKE upper(%(word{number})s::text)"
        )
    return " AND ".join(said)


def _by_words(reach: str, values: dict[str, Any], words: Sequence[str], limit: int) -> tuple[Found, ...]:
    condition = f"{reach} AND {_words(values, words[:12])}"
    statement = (
        f"SELECT version.id, NULL, NULL, {_USAGE}, {_USAGE} FROM {_FROM} WHERE {condition}"  # noqa: S608  # names of our own tables
        " ORDER BY component.name, version.id DESC LIMIT %(limit)s"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, values | {"limit": limit})
        return _loaded(cursor.fetchall())


def _loaded(rows: Sequence[tuple[Any, ...]]) -> tuple[Found, ...]:
    versions = (
        ComponentVersion.objects.select_related("component", "created_by")
        .defer("content_embedding", "applicability_embedding")
        .in_bulk([row[0] for row in rows])
    )
    return tuple(
        Found(versions[pk], Scores(task, content, float(usage), float(total)))
        for pk, task, content, usage, total in rows
        if pk in versions  # removed meanwhile
    )
