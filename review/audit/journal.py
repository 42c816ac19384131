"""The journal: one append-only chain of what people did, for those who must look it up later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from people.journal import DECISIONS, Event
from people.models import User
from review.audit import chain
from review.audit.chain_rows import Chain
from review.models import AuditEntry

# A longer text is cut: an entry says what happened; the whole text is in another row. Decisions are kept whole.
TEXT_MAX = 2_000
_DECISION_MAX = 20_000
_SUBJECT_MAX = 200


def write(event: Event, *, by: User | None, subject: str, data: Mapping[str, Any]) -> AuditEntry:
    """Append an entry, as part of the caller's transaction.

    The chain's lock is the last one that a transaction takes, after rows, the log's counter and the other chains. No
    worker takes it while it executes a plan.
    """
    most = _DECISION_MAX if event in DECISIONS else TEXT_MAX
    with transaction.atomic(savepoint=False):
        return _CHAIN.add(
            AuditEntry(
                version=chain.JournalEntry.newest,
                event=event.value,
                by=by,
                name=by.username if by else "",
                subject=_plain(subject, most)[:_SUBJECT_MAX],
                data=_plain(data, most),
            )
        )


def entry_of(row: AuditEntry) -> chain.JournalEntry:
    """The content that the row's signature covers."""
    return chain.JournalEntry(row.event, row.by_id or 0, row.name, row.subject, row.data, row.at, row.version)


_CHAIN = Chain(AuditEntry, 0x6D586A6F, entry_of)  # "mXjo"
walk = _CHAIN.walk


def _plain(value: Any, most: int) -> Any:
    """As Postgres and the canonical form can store it: no NUL, no unpaired surrogate, no number beyond 2**53."""
    if isinstance(value, str):
        text = value if len(value) <= most else f"{value[:most]}…"
        return text.replace("\0", "\u2400").encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_plain(str(name), most): _plain(item, most) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item, most) for item in value]
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    return _plain(str(value), most)
