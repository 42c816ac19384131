"""Verdicts of entailment models in Postgres: read once a turn, written once after it, and dropped when they are old.

A row names its sentences by digests under a key of this installation. Nobody can read a sentence from them, and without
the key nobody can try out either whether a certain one is among them; so erasing a goal leaves nothing to erase here.
Losing them costs time only: where the table is empty, gone or out of reach, the model is asked again.
"""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models.functions import Now

from library.models import EntailmentVerdict

logger = logging.getLogger(__name__)

KEEP_DAYS = 90
MOST_ROWS = 200_000
# Read at once at most: about 1 MB.
MOST_READ = 4_096
_TABLE = EntailmentVerdict._meta.db_table
_READ = f"""
    SELECT pair, entailment, neutral, contradiction FROM {_TABLE}
    WHERE judged_by = %s AND premise = ANY(%s) ORDER BY id DESC LIMIT {MOST_READ}
"""  # noqa: S608  # names of our own table
# Two workers may have asked about the same pair at the same time.
_WRITE = f"""
    INSERT INTO {_TABLE} (judged_by, premise, pair, entailment, neutral, contradiction)
    SELECT %s, * FROM unnest(%s::uuid[], %s::uuid[], %s::float8[], %s::float8[], %s::float8[])
    ON CONFLICT (judged_by, pair) DO NOTHING
"""  # noqa: S608  # names of our own table
_OLDEST_KEPT = f"SELECT id FROM {_TABLE} ORDER BY id DESC OFFSET %s LIMIT 1"  # noqa: S608  # names of our own table

Pair = tuple[str, str]
# The probabilities of entailment, neutral and contradiction.
Shares = tuple[float, float, float]


def digest(*sentences: str) -> UUID:
    """The digest of a sentence or of a pair; spaces between words do not count."""
    said = "\0".join(" ".join(sentence.split()) for sentence in sentences)
    key = hashlib.sha256(f"entailment verdicts {settings.SECRET_KEY}".encode()).digest()
    return UUID(bytes=hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=16, key=key).digest())


def about(premises: Iterable[str], judged_by: str) -> dict[UUID, Shares]:
    """What is known about these premises, by the digest of the pair: one statement, the newest 4,096 verdicts.

    Nothing where the table cannot be read.
    """
    asked = list({digest(premise) for premise in premises})
    if not asked:
        return {}
    try:
        # The savepoint, if there is a transaction, keeps it usable after an error.
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_READ, [judged_by, asked])
            return {row[0]: row[1:] for row in cursor.fetchall() if _are_shares(row[1:])}
    except DatabaseError as error:
        logger.warning("Verdicts of entailment cannot be read, so the model is asked again: %s", error)
        return {}


def keep(found: Mapping[Pair, Shares], judged_by: str) -> None:
    """Write what a model has said; what cannot be written is not missed."""
    rows = [(digest(pair[0]), digest(*pair), *shares) for pair, shares in found.items() if _are_shares(shares)]
    if not rows:
        return
    # In the same order in every process: two that write the same pairs never wait for each other in a circle.
    columns = [list(column) for column in zip(*sorted(rows, key=lambda row: row[1]), strict=True)]
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_WRITE, [judged_by, *columns])
    except DatabaseError as error:
        logger.warning("Verdicts of entailment cannot be written: %s", error)


def prune() -> int:
    """Drop what is older than 90 days, and beyond the newest 200,000 the rest; how many went."""
    gone, _ = EntailmentVerdict.objects.filter(at__lt=Now() - timedelta(days=KEEP_DAYS)).delete()
    with connection.cursor() as cursor:
        cursor.execute(_OLDEST_KEPT, [MOST_ROWS])
        beyond = cursor.fetchone()
    if beyond is not None:
        gone += EntailmentVerdict.objects.filter(pk__lte=beyond[0]).delete()[0]
    return gone


def _are_shares(numbers: Sequence[float]) -> bool:
    return all(math.isfinite(number) and 0 <= number <= 1 for number in numbers)
