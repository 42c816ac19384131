"""The chain of what happened to commands typed by hand: keeping the next event, and walking all of them."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from agents.audit import Event
from people.journal import Event as Happening
from review import chain
from review.models import TypedEvent
from review.services import journal

# Any fixed number that no other part of mindX locks: "mXty".
_CHAIN_LOCK = 0x6D587479


def keep(event: Event) -> None:
    """Append the event; it is kept exactly when the caller's transaction is.

    The race it closes: two events reading the same last row. The lock is held until the transaction ends. Only the
    journal's is taken after it, the last one of all.
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
        told = {"row": row.pk, "what": row.what, "command": row.command_id, "text": row.text, "why": row.why}
        journal.write(Happening.TYPED, by=event.by, subject=f"goal:{row.goal_id}", data=told)


def walk() -> chain.Walk:
    """Verify every row, oldest first."""
    rows = TypedEvent.objects.order_by("pk")
    last = rows.last()
    return chain.Walk(rows.count(), last.hash if last else "", chain.first_break(_links(), settings.APPROVAL_KEY))


def _links() -> Iterator[chain.Link]:
    for row in TypedEvent.objects.order_by("pk").iterator():
        yield chain.Link(row.pk, _entry(row), row.previous_hash, row.hash)


def _entry(row: TypedEvent) -> chain.TypedEntry:
    return chain.TypedEntry(
        row.what, row.goal_id, row.command_id or 0, row.by_id, row.text, row.before, row.after, row.why, row.at
    )
