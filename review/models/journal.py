"""The journal, and what people typed by hand."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models import DIGEST_HEX, Goal, HandCommand
from agents.record.audit import What
from review.models.chained import Chained


class TypedEvent(Chained):
    """One thing that happened to a command typed by hand, chained to the one before it as decisions are."""

    what = models.CharField(max_length=16, choices=[(what.value, what.value) for what in What])
    goal = models.ForeignKey(Goal, on_delete=models.PROTECT, related_name="typed_events")
    # Null: refused, so there is no command.
    command = models.ForeignKey(HandCommand, null=True, on_delete=models.PROTECT, related_name="events")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="typed_events")
    text = models.TextField()
    before = models.CharField(max_length=DIGEST_HEX, blank=True)
    after = models.CharField(max_length=DIGEST_HEX, blank=True)
    why = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.what} by {self.by}"


class AuditEntry(Chained):
    """One thing that a person did, or tried to: an entry of the journal, chained to the one before it.

    Written by `review.audit.journal`, which everything below reaches through `people.journal`.
    """

    version = models.PositiveSmallIntegerField()
    event = models.CharField(max_length=32)
    # Null: nobody was logged in, or a command on the server.
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="audit_entries", db_index=False
    )
    # The login name as it was then.
    name = models.CharField(max_length=150, blank=True)
    # A kind and an id, as in "goal:12".
    subject = models.CharField(max_length=200)
    data = models.JSONField(default=dict)

    class Meta(Chained.Meta):
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["by", "-id"], name="audit_by_newest"),
            models.Index(fields=["event", "-id"], name="audit_event_newest"),
            models.Index(fields=["subject", "-id"], name="audit_subject_newest"),
            models.Index(fields=["at"], name="audit_at"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.subject}"
