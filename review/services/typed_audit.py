"""The chain of what happened to commands typed by hand: keeping the next event, and walking all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from agents.audit import Event
from review import chain
from review.models import TypedEvent

# Any fixed number that no other part of mindX locks: "mXty".
_CHAIN_LOCK = 0x6D587479


@dataclass(frozen=True)
class Walk:
    """What a walk over the chain found: `broken` is None when every row holds."""

    rows: int
    last_hash: str
    broken: chain.Break | None


def keep(event: Event) -> None:
    """Append the event; it is kept exactly when the caller's transaction is.

    The race it closes: two events reading the same last row. The lock is held until the transaction ends. It is the
    last one that a transaction takes, after rows and the log's counter.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CHAIN_LOCK])
        previous = TypedEvent.objects.order_by("-pk").values_list("hash", flat=True).first() or ""
        row = TypedEvent(
            what=event.what.value,
            goal_id=event.goal_id,
            command_id=event.command_id,
            by=event.by,
            text=event.text,
            before=event.before,
            after=event.after,
            why=event.why,
            at=timezone.now(),
            previous_hash=previous,
        )
        row.hash = chain.hash_of(_entry(row), previous, settings.APPROVAL_KEY)
        row.save(force_insert=True)


def walk() -> Walk:
    """Verify every row, oldest first."""
    rows = TypedEvent.objects.order_by("pk")
    last = rows.last()
    return Walk(rows.count(), last.hash if last else "", chain.first_break(_links(), settings.APPROVAL_KEY))


def _links() -> Iterator[chain.Link]:
    for row in TypedEvent.objects.order_by("pk").iterator():
        yield chain.Link(row.pk, _entry(row), row.previous_hash, row.hash)


def _entry(row: TypedEvent) -> chain.TypedEntry:
    return chain.TypedEntry(
        row.what, row.goal_id, row.command_id or 0, row.by_id, row.text, row.before, row.after, row.why, row.at
    )
