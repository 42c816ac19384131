"""Room for the lines of goals to come, and an end for those of goals that ended long ago: both are partitions.

What may be made and dropped is decided inside two functions of the database (migration 0002), because the application
owns no table. Called every hour; what could not be done then, because somebody read for long, is done the next time.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import OperationalError, connection, transaction
from psycopg.errors import LockNotAvailable

logger = logging.getLogger(__name__)

# Whoever writes or reads a log waits behind us while we wait for somebody who reads for long: so not for long.
LOCK_MS = 500
# A partition at a time, each in a transaction of its own; the rest is for the next hour.
AT_ONCE = 24


def keep() -> int:
    """Make room ahead and let go of what is old; returns how many goal numbers' logs went."""
    if made := _called("SELECT agents_log_ahead()"):
        logger.info("Made %d partitions for logs.", made)
    return expire(settings.LOG_KEEP_DAYS)


def expire(keep_days: int) -> int:
    """Let go of the logs of goals that ended this many days ago (0: never); returns how many goal numbers that is."""
    gone = 0
    for _ in range(AT_ONCE if keep_days else 0):
        if not (last := _called("SELECT agents_log_expire(%s)", keep_days)):
            break
        gone += last
    if gone:
        logger.info("Removed the logs of %d goals that ended more than %d days ago.", gone, keep_days)
    return gone


@dataclass(frozen=True)
class Room:
    """How many goal numbers beyond the newest have a partition, and whether lines lie outside that should have one."""

    ahead: int
    outside: bool


def room() -> Room:
    """What the partitions have room for."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT top - coalesce((SELECT max(id) FROM agents_goal), 0) - 1,"
            " EXISTS (SELECT FROM agents_logline WHERE goal_id >= top)"
            " FROM (SELECT coalesce(max(high), 0) AS top FROM agents_logpartition) AS known"
        )
        ahead, outside = cursor.fetchone()
    return Room(max(0, ahead), outside)


@dataclass(frozen=True)
class Kept:
    """What the partitions hold, in bytes with their indexes, and when the last of them went (None: none has)."""

    partitions: int
    size_bytes: int
    gone_at: datetime | None


def kept() -> Kept:
    """What is kept of logs."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), coalesce(sum(pg_total_relation_size(name::regclass)), 0)::bigint,"
            " (SELECT max(at) FROM agents_logexpiry) FROM agents_logpartition"
        )
        return Kept(*cursor.fetchone())


def _called(statement: str, *values: int) -> int:
    """What the function says; 0 when a table it needs was in use."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = {LOCK_MS}")
            cursor.execute(statement, values)
            return int(cursor.fetchone()[0])
    except OperationalError as error:
        if not isinstance(error.__cause__, LockNotAvailable):
            raise
        logger.info("The table of logs was in use; its partitions are maintained in an hour.")
        return 0
