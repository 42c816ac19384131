"""The chain of what happened to commands typed by hand."""

from __future__ import annotations

from django.db import transaction

from agents.record.audit import Event
from people.journal import Event as Happening
from review.audit import chain, journal
from review.audit.chain_rows import Chain
from review.models import TypedEvent


def keep(event: Event) -> None:
    """Append the event, as part of the caller's transaction.

    Only the journal's lock is taken after this chain's lock.
    """
    with transaction.atomic():
        row = _CHAIN.add(
            TypedEvent(
                what=event.what.value,
                goal_id=event.goal_id,
                command_id=event.command_id,
                by=event.by,
                text=event.text,
                before=event.before,
                after=event.after,
                why=event.why,
            )
        )
        told = {"row": row.pk, "what": row.what, "command": row.command_id, "text": row.text, "why": row.why}
        journal.write(Happening.TYPED, by=event.by, subject=f"goal:{row.goal_id}", data=told)


def _entry(row: TypedEvent) -> chain.TypedEntry:
    return chain.TypedEntry(
        row.what, row.goal_id, row.command_id or 0, row.by_id, row.text, row.before, row.after, row.why, row.at
    )


_CHAIN = Chain(TypedEvent, 0x6D587479, _entry)  # "mXty"
walk = _CHAIN.walk
