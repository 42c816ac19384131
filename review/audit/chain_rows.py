"""A chain in the database: adding a row, and checking all rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.conf import settings
from django.db import connection
from django.utils import timezone

from review.audit import chain
from review.models.chained import Chained

Row = TypeVar("Row", bound=Chained)


@dataclass(frozen=True)
class Chain(Generic[Row]):
    """The rows of one model. `lock`: a fixed number that no other part of mindX locks; `entry_of`: what is signed."""

    model: type[Row]
    lock: int
    entry_of: Callable[[Row], chain.Signed]

    def add(self, row: Row) -> Row:
        """Append a row, complete except for its moment and signature. Call it inside a transaction.

        The race it closes: two additions that read the same last row. The lock is held until the transaction ends,
        so the next one reads the row that this one wrote.
        """
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [self.lock])
        rows = self.model._default_manager.order_by("-pk")
        row.previous_hash = rows.values_list("hash", flat=True).first() or ""
        row.at = timezone.now()
        row.hash = chain.hash_of(self.entry_of(row), row.previous_hash, settings.APPROVAL_KEY)
        row.save(force_insert=True)
        return row

    def walk(self) -> chain.Walk:
        """Verify every row, oldest first."""
        rows = self.model._default_manager.order_by("pk")
        links = (chain.Link(row.pk, self.entry_of(row), row.previous_hash, row.hash) for row in rows.iterator())
        last = rows.last()
        return chain.Walk(rows.count(), last.hash if last else "", chain.first_break(links, settings.APPROVAL_KEY))
