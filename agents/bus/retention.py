"""An end for the log of the bus, and for requests that ended long ago.

Entries are never changed, so they go by a function of the database that decides what is old enough (migration 0020).
Requests go when nothing refers to them any more: what stands below them went before, and so did what was logged of
them. Called every hour; what is left then is for the next one.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from agents.models import BusBreaker, BusEntry, BusRequest
from people import sealing

logger = logging.getLogger(__name__)

# Rows of one transaction, and how many of these an hour has.
ENTRIES_AT_ONCE, REQUESTS_AT_ONCE, ROUNDS = 5_000, 1_000, 40


@dataclass(frozen=True)
class Gone:
    """How many rows were removed."""

    entries: int = 0
    requests: int = 0


def keep() -> Gone:
    """Let go of what is older than the setting says; of nothing where it says 0."""
    return expire(settings.BUS_KEEP_DAYS)


def expire(keep_days: int) -> Gone:
    """Let go of entries that are so many days old, and of requests that ended so many days ago."""
    if not keep_days:
        return Gone()
    entries = requests = 0
    for _ in range(ROUNDS):
        gone = _entries(keep_days)
        entries += gone
        if gone < ENTRIES_AT_ONCE:
            break
    for _ in range(ROUNDS):
        # A request is looked at again when those below it have gone.
        if not (gone := _requests(keep_days)):
            break
        requests += gone
    if entries or requests:
        logger.info("Removed %d entries and %d requests of the bus, %d days old.", entries, requests, keep_days)
    return Gone(entries, requests)


def _entries(keep_days: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT agents_bus_expire(%s, %s)", [keep_days, ENTRIES_AT_ONCE])
        return int(cursor.fetchone()[0])


def _requests(keep_days: int) -> int:
    """One batch. Their seals stay and get one that fits nothing, so that no row can be brought back."""
    ended = Q(ended_at__lt=Now() - timedelta(days=keep_days))
    of_open_goals = Q(parent__isnull=False, parent__ended_at=None) | Q(goal__isnull=False, goal__ended_at=None)
    others = [Exists(BusRequest.objects.filter(**{by: OuterRef("pk")})) for by in ("within", "root", "replay_of")]
    logged = Exists(BusEntry.objects.filter(request=OuterRef("pk")))
    with transaction.atomic():
        free = BusRequest.objects.filter(ended, ~logged, *(~one for one in others)).exclude(of_open_goals)
        locked = free.select_for_update(skip_locked=True, of=("self",)).order_by("pk")
        ids = list(locked.values_list("pk", flat=True)[:REQUESTS_AT_ONCE])
        BusBreaker.objects.filter(trial__in=ids).update(trial=None)
        sealing.end_all(BusRequest, ids)
        BusRequest.objects.filter(pk__in=ids).delete()
    return len(ids)
