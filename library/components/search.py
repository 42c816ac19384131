"""Find versions of components: by what they are of use for, by what they are, and by their words.

A search ranks in one statement. *Task* compares what is to be done with each version's applicability text, *query*
what is looked for with its body; the score is weight x task + (1 - weight) x query, and a little for what has proved
itself. An index over both vectors offers the candidates by this very sum (`library.both_vectors`).

While there are vectors of two sentence models, each ranks its own versions, and what is found by words stands beside
them as a third ranking (`library.search`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from library import both_vectors, prepared
from library.language import spaces
from library.models import Component, ComponentVersion
from library.search import literal, models_sql, nearest_first, rare_models, words

# How much the task counts beside the query.
WEIGHT = 0.7
# So many of the nearest are ranked: what usage adds can move one up among them.
CANDIDATES = 60
# So few versions are compared one by one: an HNSW graph promises no row behind a filter that few pass.
EXACT_UP_TO = 1_500
TEXT_MAX_CHARACTERS = 4_000
# A version that is used often and well gains at most this much.
USAGE_MOST = 0.05
_USES_FOR_MOST = 10
_VERSION, _COMPONENT = ComponentVersion._meta.db_table, Component._meta.db_table
_FROM = f"{_VERSION} AS version JOIN {_COMPONENT} AS component ON component.id = version.component_id"
_WAITS = "version.applicability_embedding IS NULL AND version.content_embedding IS NULL"
_VECTORS = "(version.applicability_embedding IS NOT NULL OR version.content_embedding IS NOT NULL)"
_BOTH = both_vectors.sql("version.applicability_embedding", "version.content_embedding")
_COMPARED = f"({_VECTORS} AND version.embedded_by = ANY(%(answered)s::text[]))"
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
    """Best first. `by_words` says why meaning could not be compared; `some_by_words` why that of some versions could
    not, whose sentence model does not answer. Both are empty when all is well.
    """

    items: tuple[Found, ...]
    by_words: str = ""
    some_by_words: str = ""


def search(
    query: str = "", task: str = "", filters: Filters = Filters(), *, weight: float = WEIGHT, limit: int = 20
) -> Results:
    """Return the versions that suit the task and resemble the query; by name when neither is given.

    Where sentences cannot be embedded, all words of both must appear in a version's name, texts or tags.
    """
    query, task = (text.replace("\0", "")[:TEXT_MAX_CHARACTERS].strip() for text in (query, task))
    reach, values = _reach(filters)
    if not query and not task:
        return Results(_by_words(reach, values, "", limit))
    wanted = {name: text for name, text in (("task", task), ("content", query)) if text}
    few, models = _looked_at(reach, values)
    asked = spaces.to_ask(list(wanted.values()), models or [spaces.current()])
    said = "; ".join(asked.reasons.values())
    if not asked.vectors:
        return Results(_by_words(reach, values, f"{query} {task}", limit), said)
    weight = weight if len(wanted) == 2 else float("task" in wanted)
    values |= {"weight": weight, "limit": limit} | _by_model(wanted, asked.vectors, weight)
    # What waits for its vectors is found by its name at least.
    said_in = _words(values, f"{query} {task}")
    values["silent"] = list(asked.reasons)
    rare = rare_models(f"SELECT FROM {_FROM} WHERE {reach} AND {_VECTORS}", values, models)
    values["few"] = few
    those = _few(said_in) if few is not None else _candidates(reach, said_in, asked, rare)
    # Few are compared one by one: no index is asked, and nothing has to be set for it.
    with nullcontext() if few is not None else nearest_first(strictly=False), connection.cursor() as cursor:
        cursor.execute(_ranked(those, wanted, len(asked.vectors)), values)
        return Results(_loaded(cursor.fetchall()), some_by_words=said)


def _by_model(wanted: Collection[str], vectors: Mapping[str, Sequence[spaces.Vector]], weight: float) -> dict[str, Any]:
    """The models that answered, by number, and what is asked as each of them understands it."""
    values: dict[str, Any] = {"answered": list(vectors)}
    for at, (model, understood) in enumerate(vectors.items()):
        values[f"model{at}"] = model
        said = dict(zip(wanted, understood, strict=True))
        values |= {f"{name}{at}": literal(vector) for name, vector in said.items()}
        values[f"both{at}"] = literal(both_vectors.question(said.get("task"), said.get("content"), weight))
    return values


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


def _looked_at(reach: str, values: dict[str, Any]) -> tuple[list[int] | None, list[str]]:
    """The versions that pass the filters if they are so few that each is compared, else None; and the sentence models
    that vectors are of.
    """
    found = prepared.row(
        f"SELECT (SELECT CASE WHEN cardinality(ids) <= {EXACT_UP_TO} THEN ids END FROM"  # noqa: S608  # our own names
        f" (SELECT ARRAY(SELECT version.id FROM {_FROM} WHERE {reach} LIMIT {EXACT_UP_TO + 1}) AS ids) AS passing),"
        f" {models_sql(ComponentVersion)}",
        values,
    )
    few, models = found or ([], [])
    return few, list(models)


def _few(said_in: str) -> str:
    return f"SELECT version.id FROM {_FROM} WHERE version.id = ANY(%(few)s) AND ({_COMPARED} OR {said_in})"  # noqa: S608  # our own names


def _candidates(reach: str, said_in: str, asked: spaces.Questions, rare: Collection[str]) -> str:
    """The nearest by the index, every one of a rare model, and what is found by its words."""
    those = f"SELECT version.id FROM {_FROM} WHERE {reach}"  # noqa: S608  # our own names
    without = f"({_WAITS} OR version.embedded_by = ANY(%(silent)s::text[]))" if asked.reasons else _WAITS
    arms = [f"{those} AND {without} AND {said_in} LIMIT {CANDIDATES}"]
    for at, model in enumerate(asked.vectors):
        own = f"{those} AND version.embedded_by = %(model{at})s"
        if model in rare:
            arms.append(f"{own} AND {_VECTORS}")
        else:
            arms.append(f"{own} AND {_VECTORS} ORDER BY {_BOTH} <#> %(both{at})s::halfvec LIMIT {CANDIDATES}")
    return " UNION ".join(f"({arm})" for arm in arms)


def _ranked(those: str, asked: Collection[str], models: int) -> str:
    task, content = (
        _likeness(column, name, models) if name in asked else "NULL::float8"
        for name, column in (("task", "applicability_embedding"), ("content", "content_embedding"))
    )
    # Only names and numbers of this file are put together here; every value is a parameter. Materialized: else each of
    # the three places that name a likeness compares the vectors anew, which is half of the time of a search.
    return (
        f"WITH scored AS MATERIALIZED (SELECT id, {task} AS task, {content} AS content, {_USAGE} AS usage,"  # noqa: S608
        f" CASE WHEN {_COMPARED} THEN embedded_by ELSE '' END AS ranking"
        f" FROM {_VERSION} AS version WHERE id IN ({those})),"
        " summed AS (SELECT *, least(1.0, %(weight)s * coalesce(task, 0)"
        " + (1.0 - %(weight)s) * coalesce(content, 0) + usage) AS total FROM scored)"
        " SELECT id, task, content, usage, total FROM summed"
        " ORDER BY row_number() OVER (PARTITION BY ranking ORDER BY total DESC, id DESC), total DESC, id DESC"
        " LIMIT %(limit)s"
    )


def _likeness(column: str, name: str, models: int) -> str:
    """A row is compared with the question as its own model understands it."""
    each = (f"WHEN %(model{at})s THEN 1.0 - ({column} <=> %({name}{at})s::vector)" for at in range(models))
    return f"CASE embedded_by {' '.join(each)} END"


def _words(values: dict[str, Any], text: str) -> str:
    """All words of the text stand in a version's name, texts or tags."""
    said = ["true"]
    for number, forms in enumerate(words(text)):
        any_of = []
        for at, pattern in enumerate(forms):
            values[f"word{number}_{at}"] = pattern
            any_of.append(
                "upper(concat_ws(' ', component.name, component.description, array_to_string(component.tags, ' '),"
                f" version.applicability_text, version.body)) LIKE upper(%(word{number}_{at})s::text)"
            )
        said.append(f"({' OR '.join(any_of)})")
    return " AND ".join(said)


def _by_words(reach: str, values: dict[str, Any], text: str, limit: int) -> tuple[Found, ...]:
    condition = f"{reach} AND {_words(values, text)}"
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
