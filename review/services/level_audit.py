"""The chain of decisions on designs and choices of rules: adding the next link, and walking all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.conf import settings
from django.db import connection
from django.utils import timezone

from agents.models import LevelDocument
from people.journal import Event
from people.models import User
from review import chain
from review.models import LevelDecision
from review.services import journal

# Any fixed number that no other part of mindX locks: "mXlv".
_CHAIN_LOCK = 0x6D586C76


def add(
    document: LevelDocument,
    verdict: LevelDecision.Verdict,
    *,
    by: User,
    via: str,
    comment: str,
    choice: Mapping[str, str] | None = None,
) -> LevelDecision:
    """Append a decision. Call it inside the transaction that moves the document, as its last part.

    The race it closes: two decisions reading the same last row. The lock is held until the transaction ends; only the
    journal's is taken after it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CHAIN_LOCK])
    row = LevelDecision(
        document=document,
        digest=document.digest,
        verdict=verdict.value,
        by=by,
        via=via,
        comment=comment,
        choice=dict(choice or {}),
        at=timezone.now(),
        previous_hash=LevelDecision.objects.order_by("-pk").values_list("hash", flat=True).first() or "",
    )
    row.hash = chain.hash_of(_entry(row), row.previous_hash, settings.APPROVAL_KEY)
    row.save(force_insert=True)
    told = {"what": document.get_kind_display(), "row": row.pk, "verdict": row.verdict, "digest": row.digest}
    told |= {"document": document.pk, "via": via, "comment": comment, "choice": row.choice}
    journal.write(Event.LEVEL, by=by, subject=f"goal:{document.goal_id}", data=told)
    return row


def walk() -> chain.Walk:
    """Verify every row, oldest first."""
    rows = LevelDecision.objects.order_by("pk")
    last = rows.last()
    return chain.Walk(rows.count(), last.hash if last else "", chain.first_break(_links(), settings.APPROVAL_KEY))


def _links() -> Iterator[chain.Link]:
    for row in LevelDecision.objects.order_by("pk").iterator():
        yield chain.Link(row.pk, _entry(row), row.previous_hash, row.hash)


def _entry(row: LevelDecision) -> chain.LevelEntry:
    return chain.LevelEntry(
        row.document_id, row.digest, row.verdict, row.by_id, row.via, row.comment, row.choice, row.at
    )
