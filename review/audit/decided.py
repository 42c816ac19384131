"""What people decided, as the journal has it: the one record of decisions on plans, designs, choices of rules,
requests of the inbox and versions of the library.

A decision is told as long as an entry holds that says so: its signature fits its content. What another table says of
who decided what is told only if it agrees with the entry (`of`).
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from people.journal import Event
from people.models import User
from review.audit import canonical, chain, journal
from review.models import AuditEntry

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Decided:
    """One decision: the verdict of a person on what has this digest; `data` is all that the entry has."""

    by: User
    at: datetime
    verdict: str
    digest: str
    data: Mapping[str, Any]

    @property
    def via(self) -> str:
        """Where it was made: browser or api."""
        return str(self.data.get("via", "browser"))

    @property
    def comment(self) -> str:
        """What the person wrote."""
        return str(self.data.get("comment") or self.data.get("why") or "")


def of(event: Event, subjects: Collection[str]) -> dict[str, list[Decided]]:
    """The decisions of this kind on each of the subjects, the newest first; entries that do not hold are left out."""
    rows = AuditEntry.objects.filter(event=event.value, subject__in=set(subjects), by__isnull=False)
    found: dict[str, list[Decided]] = {}
    for row in rows.select_related("by").order_by("-pk"):
        if not holds(row):
            logger.error("An entry of the journal was not signed by mindX", extra={"entry": row.pk})
        elif row.by is not None:
            # Entries on the inbox were once written with another word.
            verdict = str(row.data.get("verdict") or row.data.get("decision") or "")
            said = Decided(row.by, row.at, verdict, str(row.data.get("digest", "")), row.data)
            found.setdefault(row.subject, []).append(said)
    return found


def holds(row: AuditEntry) -> bool:
    """Whether this entry has exactly what was signed, wherever it stands in the chain."""
    try:
        signed = chain.hash_of(journal.entry_of(row), row.previous_hash, settings.APPROVAL_KEY)
    except (ValueError, TypeError):  # content that cannot be signed
        return False
    return canonical.same(row.hash, signed)
