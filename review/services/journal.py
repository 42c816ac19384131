"""The journal: one append-only chain of what people did, for those who must look it up later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from people.journal import Event
from people.models import User
from review import chain
from review.models import AuditEntry

# Any fixed number that no other part of mindX locks: "mXjo".
_CHAIN_LOCK = 0x6D586A6F
# A text longer than this is cut: an entry says what happened, its row elsewhere holds the whole.
TEXT_MAX = 2_000
_SUBJECT_MAX = 200


def write(event: Event, *, by: User | None, subject: str, data: Mapping[str, Any]) -> AuditEntry:
    """Append an entry; it is kept exactly when the caller's transaction is.

    The race it closes: two entries reading the same last row. The lock is held until the transaction ends; it is the
    last one that a transaction takes, after rows, the log's counter and the other chains. No worker takes it while it
    executes a plan.
    """
    with transaction.atomic(savepoint=False):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CHAIN_LOCK])
        row = AuditEntry(
            version=chain.JournalEntry.newest,
            event=event.value,
            by=by,
            name=by.username if by else "",
            subject=_plain(subject)[:_SUBJECT_MAX],
            data=_plain(data),
            at=timezone.now(),
            previous_hash=AuditEntry.objects.order_by("-pk").values_list("hash", flat=True).first() or "",
        )
        row.hash = chain.hash_of(entry_of(row), row.previous_hash, settings.APPROVAL_KEY)
        row.save(force_insert=True)
    return row


def walk() -> chain.Walk:
    """Verify every entry, oldest first."""
    rows = AuditEntry.objects.order_by("pk")
    last = rows.last()
    return chain.Walk(rows.count(), last.hash if last else "", chain.first_break(_links(), settings.APPROVAL_KEY))


def entry_of(row: AuditEntry) -> chain.JournalEntry:
    """What the row's signature stands for."""
    return chain.JournalEntry(row.event, row.by_id or 0, row.name, row.subject, row.data, row.at, row.version)


def _links() -> Iterator[chain.Link]:
    for row in AuditEntry.objects.order_by("pk").iterator():
        yield chain.Link(row.pk, entry_of(row), row.previous_hash, row.hash)


def _plain(value: Any) -> Any:
    """As Postgres and the canonical form can hold it: no NUL, no unpaired surrogate, no number beyond 2**53."""
    if isinstance(value, str):
        text = value if len(value) <= TEXT_MAX else f"{value[:TEXT_MAX]}…"
        return text.replace("\0", "\u2400").encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_plain(str(name)): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    return _plain(str(value))
