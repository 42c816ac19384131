"""Find experiences: by meaning, by words where meaning is not to be had, or the newest. Rights are part of the SQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet, prefetch_related_objects

from library import both_vectors, prepared
from library.embedding import EXPERIENCE_TEXTS
from library.language import spaces
from library.models import ComponentVersion, Experience, ExperienceCorrection
from library.search import has_vectors, literal, models_of, models_sql, nearest_first, rare_models, words
from people.models import User
from people.roles import Role

# A search looks at this many nearest rows of each text; nobody reads the two-hundredth precedent.
CANDIDATES = 200
# So few rows are compared one by one, so that somebody with few of many finds theirs. An HNSW graph promises no row:
# rows that are nearly alike can cut one off from it, and a scan gives up after `hnsw.max_scan_tuples` of other people.
EXACT_UP_TO = 5_000
QUERY_MAX_CHARACTERS = 1_000
# Of the goal that corrected another one, in a prompt.
GOAL_TOLD_CHARS = 200
# Below this cosine similarity two goals share nothing that a reviewer could use (see `nearness`).
PRECEDENT_FROM = 0.25
# Stands for "found by its words" where a cosine would stand, and never leaves this file.
_BY_WORDS = -2.0
# What has every word of the query comes before what means something else, and after what means the same.
_SCORE_OF_WORDS = 0.5
# What worked comes before what is hardly nearer and did not: at most as much as use counts among components.
_SCORE = "max(arms.near + arms.worth)"
_WORTH = "CASE final_outcome WHEN 'success' THEN 0.05 WHEN 'partial_success' THEN 0.02 ELSE 0.0 END"

# An experience with its cosine similarity to the query; None when it was found by its words only. It is ranked by its
# `score`, in which its outcome counts too.
Found = tuple[Experience, float | None]
_TABLE = Experience._meta.db_table
# What a prompt or a review tells of one.
_OF_A_PRECEDENT = (
    "goal_ref",
    "kind",
    "sub_task_description",
    "workflow_id",
    "primary_goal_description",
    "final_outcome",
    "output_summary",
)
# 2 × 1.5 kB that no page shows.
VECTORS = frozenset(field.name for field in Experience._meta.concrete_fields if field.name.endswith("_embedding"))
_SHOWN = tuple(field.attname for field in Experience._meta.concrete_fields if field.name not in VECTORS)
# What of a row Django itself reads further, such as JSON.
_READ = {
    field.attname: field.from_db_value for field in Experience._meta.concrete_fields if hasattr(field, "from_db_value")
}


def that_would_find(version_id: int, *, user: User, first: int = 3, looked_at: int = 200) -> list[Experience]:
    """Of the newest goals that this person may read, those that would find this version among the first by their words.

    As a search without filters for versions in use does, by when these are of use.
    """
    goals = visible_to(user).filter(part="", merged_into=None).order_by("-timestamp")
    ids = list(goals.values_list("pk", flat=True)[:looked_at])
    with nearest_first(), connection.cursor() as cursor:
        cursor.execute(_WOULD_FIND, {"ids": ids, "version": version_id, "first": first})
        found = [row[0] for row in cursor.fetchall()]
    return list(goals.filter(pk__in=found))


# As a search by the task alone.
_BOTH = both_vectors.sql("version.applicability_embedding", "version.content_embedding")
_BOTH_OF_GOAL = both_vectors.sql("goal.primary_goal_description_embedding", "NULL::vector")
_WOULD_FIND = f"""
    SELECT goal.id FROM {_TABLE} AS goal CROSS JOIN LATERAL (
        SELECT version.id FROM {ComponentVersion._meta.db_table} AS version
        WHERE version.status = 'active' AND version.applicability_embedding IS NOT NULL
            AND version.embedded_by = goal.embedded_by
        ORDER BY {_BOTH} <#> {_BOTH_OF_GOAL} LIMIT %(first)s
    ) AS near
    WHERE goal.id = ANY(%(ids)s) AND goal.primary_goal_description_embedding IS NOT NULL AND near.id = %(version)s
"""  # noqa: S608  # names of our own tables


def visible_to(user: User) -> QuerySet[Experience]:
    """Return what this person may read: their own; for reviewers, operators and admins everything."""
    if not _may_read_some(user):
        return Experience.objects.none()
    return Experience.objects.all() if _may_read_all(user) else Experience.objects.filter(owner_id=user.pk)


def _may_read_all(user: User) -> bool:
    return user.has_role(Role.REVIEWER, Role.OPERATOR)


def _may_read_some(user: User) -> bool:
    return _may_read_all(user) or (user.is_active and user.pk is not None)


def recent(
    *, user: User, outcome: str = "", limit: int = 20, after: tuple[datetime, int] | None = None
) -> list[Experience]:
    """Return the newest experiences this person may read; `after` is timestamp and id of the last one they have."""
    rows = _of_outcome(visible_to(user), outcome).filter(merged_into=None)
    if after is not None:
        # Said by itself as well, because an index leads to it; the alternative alone is looked for from the newest on.
        rows = rows.filter(timestamp__lte=after[0])
        rows = rows.filter(Q(timestamp__lt=after[0]) | Q(timestamp=after[0], pk__lt=after[1]))
    return list(_without_vectors(rows).order_by("-timestamp", "-pk")[:limit])


def search(
    query: str,
    *,
    user: User,
    limit: int = 20,
    after: tuple[float, int] | None = None,
    outcome: str = "",
    only: Sequence[str] = (),
    goals_only: bool = False,
    tag: str = "",
) -> list[Found]:
    """Return what is nearest in meaning to the query among what this person may read, the best first.

    A row counts by the nearest of its four texts, and a success a little more. Rows that have no embedding yet, or one
    of a sentence model that does not answer, are found by the query's words instead. Where vectors are of two models,
    each ranks its own rows, and the best of each come first. `after` is score and id of the last row they have. At most
    200 rows of each text are ranked. `only`: these fields are read, and no others. `goals_only` leaves out recoveries.
    With a `tag` only what has it is found. What was merged into another is found as that one.
    """
    query = _asked(query)
    if not query or not _may_read_some(user):
        return []
    reach, values = _reach(user, outcome)
    if goals_only:
        reach += " AND part = ''"
    if tag:
        reach += " AND %(tag)s = ANY(tags)"
        values["tag"] = tag
    wanted = {"id", *(only or _SHOWN)}
    columns = [name for name in _SHOWN if name in wanted]  # in the model's own order, by which Django takes them
    is_few, models = _looked_at(reach, values)
    asked = spaces.to_ask([query], models or [spaces.current()])
    those = f"SELECT FROM {_TABLE} WHERE {reach} AND {has_vectors(Experience)}"
    exact = set(asked.vectors) if is_few else rare_models(those, values, models)
    arms = _arms(reach, query, values, asked, exact)
    ranking = _Ranking(limit, after, columns, by_place=len(models) > 1)
    # Where every row is compared, no setting of an index is needed, nor a plan by the values.
    if exact >= set(asked.vectors):
        ranked = _ranked(arms, values, ranking, is_prepared=True)
    else:
        with nearest_first():
            ranked = _ranked(arms, values, ranking)
    if not only:
        prefetch_related_objects(ranked, "owner")
    return [(row, row.similarity) for row in ranked]


def nearest_to(text: str, *, user: User, limit: int = 3, without_goal: str = "") -> list[Found]:
    """Return the experiences that are like a goal's text, nearest first; often fewer than `limit`.

    `without_goal` is that goal's own reference. What merely is the least far is left out: it is no precedent.
    """
    found = search(text, user=user, limit=limit + 1, only=_OF_A_PRECEDENT, goals_only=True)
    like = [one for one in found if one[1] is None or one[1] >= PRECEDENT_FROM]
    return [(row, similarity) for row, similarity in like if row.goal_ref != without_goal][:limit]


@dataclass(frozen=True)
class Corrected:
    """For which goal a person changed a plan that had followed an experience, and what they said.

    `by`: the experience of that goal.
    """

    by: int
    goal: str
    said: str


def corrections_of(ids: Sequence[int], *, user: User, most: int = 2) -> dict[int, list[Corrected]]:
    """By experience the newest corrections by goals that this person may read, newest first, at most so many each."""
    rows = ExperienceCorrection.objects.filter(experience_id__in=ids, by__in=visible_to(user)).order_by("-by_id")
    found: dict[int, list[Corrected]] = {}
    for pk, by, goal, said in rows.values_list("experience_id", "by_id", "by__primary_goal_description", "said"):
        if len(of_one := found.setdefault(pk, [])) < most:
            of_one.append(Corrected(by, goal[:GOAL_TOLD_CHARS], said))
    return found


def _of_outcome(rows: QuerySet[Experience], outcome: str) -> QuerySet[Experience]:
    return rows.filter(final_outcome=outcome) if outcome else rows


def _without_vectors(rows: QuerySet[Experience]) -> QuerySet[Experience]:
    return rows.select_related("owner").defer(*VECTORS)


def _reach(user: User, outcome: str) -> tuple[str, dict[str, Any]]:
    """What `visible_to` and the outcome leave, as a condition, with the values it names."""
    said, values = ["merged_into_id IS NULL"], dict[str, Any]()
    if not _may_read_all(user):
        said.append("owner_id = %(owner)s")
        values["owner"] = user.pk
    if outcome:
        said.append("final_outcome = %(outcome)s")
        values["outcome"] = outcome
    return " AND ".join(said), values


def _looked_at(reach: str, values: Mapping[str, Any]) -> tuple[bool, list[str]]:
    """Whether so few rows are within reach that each is compared, and the sentence models that vectors are of."""
    found = prepared.row(
        f"SELECT (SELECT count(*) FROM (SELECT FROM {_TABLE} WHERE {reach} LIMIT {EXACT_UP_TO + 1}) AS few),"  # noqa: S608  # our own names
        f" {models_sql(Experience)}",
        values,
    )
    count, models = found or (0, [])
    return int(count) <= EXACT_UP_TO, list(models)


def _arms(reach: str, query: str, values: dict[str, Any], asked: spaces.Questions, exact: Collection[str]) -> list[str]:
    """The statements that find rows: by each text and each model that answered, and by words what these cannot."""
    arms = []
    for at, (model, (vector,)) in enumerate(asked.vectors.items()):
        values |= {f"model{at}": model, f"vector{at}": literal(vector)}
        own = f"{reach} AND embedded_by = %(model{at})s"
        arms += [_nearest(own, text, at, exact=model in exact) for text in EXPERIENCE_TEXTS]
    if not asked.vectors:
        return [_by_words(reach, query, values)]
    arms.append(_by_words(f"{reach} AND primary_goal_description_embedding IS NULL", query, values))
    if asked.reasons:
        values["silent"] = list(asked.reasons)
        arms.append(_by_words(f"{reach} AND embedded_by = ANY(%(silent)s::text[])", query, values))
    return arms


def _asked(query: str) -> str:
    return query.replace("\0", "")[:QUERY_MAX_CHARACTERS].strip()


def why_by_words(query: str) -> tuple[str, str]:
    """Why this finds no experience by its meaning, and why some are not found so; both empty when all is well."""
    asked = spaces.to_ask([_asked(query) or "ready?"], models_of(Experience) or [spaces.current()])
    said = "; ".join(asked.reasons.values())
    return ("", said) if asked.vectors else (said, "")


def _nearest(reach: str, text: str, model: int, *, exact: bool) -> str:
    column = f"{text}_embedding"
    # OFFSET 0 keeps the order out of the inner statement, where an HNSW index would serve it.
    order = (
        f"OFFSET 0) AS near ORDER BY away LIMIT {CANDIDATES}" if exact else f"ORDER BY 3 LIMIT {CANDIDATES}) AS near"
    )
    return (
        f"SELECT id, 1.0 - away, {_WORTH}, {model} FROM (SELECT id, final_outcome,"  # noqa: S608  # names of our own tables
        f" {column} <=> %(vector{model})s::vector AS away FROM {_TABLE} WHERE {reach} AND {column} IS NOT NULL {order}"
    )


def _by_words(reach: str, query: str, values: dict[str, Any]) -> str:
    """Rows that hold every word of the query in any of their texts; the newest first."""
    for number, forms in enumerate(words(query)):
        any_of = []
        for at, pattern in enumerate(forms):
            values[f"word{number}_{at}"] = pattern
            any_of += [f"upper({text}) LIKE upper(%(word{number}_{at})s::text)" for text in EXPERIENCE_TEXTS]
        reach += f" AND ({' OR '.join(any_of)})"
    return (
        f"SELECT id, {_BY_WORDS}, {_SCORE_OF_WORDS - _BY_WORDS}, -1 FROM {_TABLE} WHERE {reach}"  # noqa: S608  # our own names
        f" ORDER BY timestamp DESC LIMIT {CANDIDATES}"
    )


@dataclass(frozen=True)
class _Ranking:
    """How many of the rows are wanted, after which one, with which columns. `by_place`: several models have ranked."""

    limit: int
    after: tuple[float, int] | None
    columns: Sequence[str]
    by_place: bool


def _ranked(arms: Sequence[str], values: dict[str, Any], ranking: _Ranking, *, is_prepared: bool = False) -> list[Any]:
    """Return the best rows of all arms, in one statement, with `score` and `similarity`; the arms carry the rights."""
    union = " UNION ALL ".join(f"({arm})" for arm in arms)
    beyond = ""
    if ranking.after is not None:
        beyond = "WHERE (score, id) < (%(score)s, %(id)s)"
        values |= {"score": ranking.after[0], "id": ranking.after[1]}
    # The likeness of one model says nothing beside that of another one, but the place in its own ranking does.
    score = (
        f"1.0::float8 / row_number() OVER (PARTITION BY max(arms.model) ORDER BY {_SCORE} DESC, arms.id DESC)"
        if ranking.by_place
        else _SCORE
    )
    # Only names and numbers of this file are put together here; every value is a parameter.
    best = (
        f"SELECT * FROM (SELECT arms.id, {score} AS score, max(arms.near) AS near"  # noqa: S608  # names of our own tables
        f" FROM ({union}) AS arms(id, near, worth, model) GROUP BY arms.id) AS ranked {beyond}"
        " ORDER BY score DESC, id DESC LIMIT %(limit)s"
    )
    statement = (
        f"SELECT {', '.join(ranking.columns)}, best.score, best.near FROM ({best}) AS best JOIN {_TABLE} USING (id) "  # noqa: S608  # names of our own tables
        "ORDER BY best.score DESC, id DESC"
    )
    named = {**values, "limit": ranking.limit}
    found = prepared.rows(statement, named) if is_prepared else _once(statement, named)
    return [_made(ranking.columns, row) for row in found]


def _once(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _made(columns: Sequence[str], row: Sequence[Any]) -> Any:
    """The experience of a row that ends with score and nearness; Django reads what it left out when it is asked for."""
    *held, score, near = row
    for at, name in enumerate(columns):
        if (read := _READ.get(name)) is not None:
            held[at] = read(held[at], None, connection)
    made: Any = Experience.from_db(connection.alias, columns, held)
    made.similarity = None if near == _BY_WORDS else float(near)
    made.score = float(score)
    return made
