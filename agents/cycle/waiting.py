"""What waits for a worker, by kind: asked in one statement, before each turn and for the pages that show it."""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings
from django.db import connection

from agents.bdi.intentions.shares import Work
from agents.bus.moves import FREE as REQUEST_IS_FREE
from agents.models import ShadowRun
from agents.record import leased
from agents.record.lease import Turn, claimable_sql

# What could be taken now, as a query for each kind. Dry runs that are looked at are a part of those that wait.
_STANDS_STILL = "EXISTS (SELECT FROM agents_standstill)"
_DRY_RUN_IS_FREE = f"{leased.free_sql(ShadowRun)} AND NOT {_STANDS_STILL}"
_REQUESTS = "SELECT id FROM agents_busrequest WHERE state IN ('waiting', 'running') AND NOT in_background AND "
_QUERIES: Mapping[Work, str] = {
    Work.TYPED: f"SELECT id FROM agents_handcommand WHERE state = 'waiting' AND NOT {_STANDS_STILL}",  # noqa: S608  # our own words
    Work.APPROVED: claimable_sql(Turn.APPROVED),
    Work.REQUESTS: _REQUESTS + REQUEST_IS_FREE,
    Work.PLANNING: claimable_sql(Turn.PLANNING),
    Work.DRY_RUNS: f"SELECT id FROM agents_shadowrun WHERE {_DRY_RUN_IS_FREE}",  # noqa: S608
    Work.LEARNING: claimable_sql(Turn.LEARNING),
}
BACKGROUND = "background"
_COUNTED = (*_QUERIES.items(), (BACKGROUND, claimable_sql(Turn.BACKGROUND)))
_MAY_DRY_RUN = (
    "(SELECT count(*) < %(dry_runs)s FROM agents_shadowrun WHERE state = 'running' AND lease_until > clock_timestamp())"
)
_EXIST = "SELECT " + ", ".join(
    f"EXISTS ({query}){f' AND {_MAY_DRY_RUN}' if kind is Work.DRY_RUNS else ''}" for kind, query in _QUERIES.items()
)
_COUNT_OF = "(SELECT count(*) FROM ({query} LIMIT %(most)s) AS found)"
_COUNT = "SELECT " + ", ".join(_COUNT_OF.format(query=query) for _, query in _COUNTED)


def for_workers() -> set[Work]:
    """The kinds of which a worker's process could take something now."""
    with connection.cursor() as cursor:
        cursor.execute(_EXIST, {"dry_runs": settings.SHADOW_RUNS_MAX})
        row = cursor.fetchone() or ()
    found = {kind for kind, exists in zip(_QUERIES, row, strict=False) if exists}
    return found | {Work.LOOKED_AT} if Work.DRY_RUNS in found else found


def counts(up_to: int) -> dict[str, int]:
    """How many turns of each kind wait for a worker, or for the pool; counting stops at `up_to` of a kind."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"most": up_to})
        row = cursor.fetchone() or ()
    return {str(kind): int(number) for (kind, _), number in zip(_COUNTED, row, strict=False)}
