"""Find experiences: by meaning, by words where meaning is not to be had, or the newest. Rights are part of the SQL."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeAlias

from django.db import connection
from django.db.models import Expression, F, FloatField, Q, QuerySet, Value
from pgvector.django import CosineDistance

from library.errors import EmbeddingUnavailable
from library.language import embeddings
from library.models import Experience
from library.search import nearest_first
from people.models import User
from people.roles import Role

# A search looks at this many nearest rows of each text; nobody reads the two-hundredth precedent.
CANDIDATES = 200
# So few rows are compared one by one, so that somebody with few of many finds theirs. An HNSW graph promises no row:
# rows that are nearly alike can cut one off from it, and a scan gives up after `hnsw.max_scan_tuples` of other people.
EXACT_UP_TO = 5_000
QUERY_MAX_CHARACTERS = 1_000
# Below this cosine similarity two goals share nothing that a reviewer could use (see `nearness`).
PRECEDENT_FROM = 0.25
# Stands for "found by its words": sorts below every cosine, and never leaves this file.
_BY_WORDS = -2.0
_EMBEDDED = ("primary_goal_description", "output_summary")

# An experience with its cosine similarity to the query; None when it was found by its words only.
Found = tuple[Experience, float | None]
# One way to find rows: ids and scores.
Arm: TypeAlias = "QuerySet[Experience, Any]"


def visible_to(user: User) -> QuerySet[Experience]:
    """Return what this person may read: their own; for reviewers, operators and admins everything."""
    if user.has_role(Role.REVIEWER, Role.OPERATOR):
        return Experience.objects.all()
    if user.is_active and user.pk is not None:
        return Experience.objects.filter(owner_id=user.pk)
    return Experience.objects.none()


def recent(
    *, user: User, outcome: str = "", limit: int = 20, after: tuple[datetime, int] | None = None
) -> list[Experience]:
    """Return the newest experiences this person may read; `after` is timestamp and id of the last one they have."""
    rows = _of_outcome(visible_to(user), outcome)
    if after is not None:
        # Said by itself as well, because an index leads to it; the alternative alone is looked for from the newest on.
        rows = rows.filter(timestamp__lte=after[0])
        rows = rows.filter(Q(timestamp__lt=after[0]) | Q(timestamp=after[0], pk__lt=after[1]))
    return list(_without_vectors(rows).order_by("-timestamp", "-pk")[:limit])


def search(
    query: str, *, user: User, limit: int = 20, after: tuple[float | None, int] | None = None, outcome: str = ""
) -> list[Found]:
    """Return what is nearest in meaning to the query among what this person may read, nearest first.

    A row counts by the nearer of its goal and what came of it. Rows that have no embedding yet, and all rows when
    sentences cannot be embedded here, are found by the query's words instead. `after` is similarity and id of the
    last row they have. At most 200 rows of each text are ranked.
    """
    query = query.replace("\0", "")[:QUERY_MAX_CHARACTERS].strip()
    if not query:
        return []
    rows = _of_outcome(visible_to(user), outcome)
    try:
        (vector,) = embeddings.embed([query])
    except EmbeddingUnavailable:
        arms = [_by_words(rows, query)]
    else:
        unembedded = rows.filter(primary_goal_description_embedding__isnull=True)
        exact = rows.order_by()[: EXACT_UP_TO + 1].count() <= EXACT_UP_TO
        arms = [*(_nearest(rows, text, vector, exact=exact) for text in _EMBEDDED), _by_words(unembedded, query)]
    ranked = _rank(arms, limit, after)
    found = _without_vectors(Experience.objects.filter(pk__in=[pk for pk, _ in ranked])).in_bulk()
    # One may have been forgotten between the two statements.
    return [(found[pk], None if score == _BY_WORDS else score) for pk, score in ranked if pk in found]


def nearest_to(text: str, *, user: User, limit: int = 3, without_goal: str = "") -> list[Found]:
    """Return the experiences that are like a goal's text, nearest first; often fewer than `limit`.

    `without_goal` is that goal's own reference. What merely is the least far is left out: it is no precedent.
    """
    found = search(text, user=user, limit=limit + 1)
    like = [one for one in found if one[1] is None or one[1] >= PRECEDENT_FROM]
    return [(row, similarity) for row, similarity in like if row.goal_ref != without_goal][:limit]


def _of_outcome(rows: QuerySet[Experience], outcome: str) -> QuerySet[Experience]:
    return rows.filter(final_outcome=outcome) if outcome else rows


def _without_vectors(rows: QuerySet[Experience]) -> QuerySet[Experience]:
    """Leave out 4 × 3 kB that no page shows."""
    vectors = [field.name for field in Experience._meta.get_fields() if field.name.endswith("_embedding")]
    return rows.select_related("owner").defer(*vectors)


def _nearest(rows: QuerySet[Experience], text: str, vector: list[float], *, exact: bool) -> Arm:
    column = f"{text}_embedding"
    near = rows.filter(**{f"{column}__isnull": False}).annotate(distance=CosineDistance(column, vector))
    # An HNSW index serves the bare distance only: a sum with nothing is sorted from the rows themselves.
    by = F("distance") + Value(0.0, FloatField()) if exact else F("distance")
    return _arm(near.order_by(by), Value(1.0, FloatField()) - F("distance"))


def _by_words(rows: QuerySet[Experience], query: str) -> Arm:
    """Rows that hold every word of the query, in the goal or in what came of it; the newest first."""
    for word in query.split()[:12]:
        rows = rows.filter(Q(primary_goal_description__icontains=word) | Q(output_summary__icontains=word))
    return _arm(rows.order_by("-timestamp"), Value(_BY_WORDS, FloatField()))


def _arm(rows: QuerySet[Experience], score: Expression) -> Arm:
    return rows.annotate(score=score).values("pk", "score")[:CANDIDATES]


def _rank(arms: list[Arm], limit: int, after: tuple[float | None, int] | None) -> list[tuple[int, float]]:
    """Return (id, score) of the best rows of all arms, in one statement; the arms carry the rights."""
    compiled = [arm.query.sql_with_params() for arm in arms]
    union = " UNION ALL ".join(f"({sql})" for sql, _ in compiled)
    parameters = [parameter for _, some in compiled for parameter in some]
    beyond = ""
    if after is not None:
        beyond = "HAVING (max(arms.score), arms.id) < (%s, %s)"
        parameters += [_BY_WORDS if after[0] is None else after[0], after[1]]
    # Only SQL that Django compiled is put together here; every value is a parameter.
    statement = (
        f"SELECT arms.id, max(arms.score) FROM ({union}) AS arms(id, score) GROUP BY arms.id {beyond} "  # noqa: S608
        "ORDER BY max(arms.score) DESC, arms.id DESC LIMIT %s"
    )
    with nearest_first(), connection.cursor() as cursor:
        cursor.execute(statement, [*parameters, limit])
        return [(int(pk), float(score)) for pk, score in cursor.fetchall()]
