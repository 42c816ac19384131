"""Decisions on designs and choices of rules, and which notices people got about them."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models import DIGEST_HEX, LevelDocument
from review.models.chained import Chained


class LevelDecision(Chained):
    """One verdict on one design or choice of rules, chained to the one before it as decisions on plans are."""

    class Verdict(models.TextChoices):
        APPROVE = "approve"
        REJECT = "reject"
        REQUEST_CHANGES = "request_changes"

    document = models.ForeignKey(LevelDocument, on_delete=models.PROTECT, related_name="decisions")
    digest = models.CharField(max_length=DIGEST_HEX)
    verdict = models.CharField(max_length=16, choices=Verdict.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="level_decisions")
    via = models.CharField(max_length=8, default="browser")
    comment = models.TextField(blank=True)
    # Rules chosen in place of the agent's, by the key of their goal.
    choice = models.JSONField(default=dict, blank=True)

    class Meta(Chained.Meta):
        # Two people at the same moment: only the first decision is stored, whatever the second request has read.
        constraints = [models.UniqueConstraint(fields=["document"], name="one_decision_per_level_document")]

    def __str__(self) -> str:
        return f"{self.verdict} of {self.document_id} by {self.by_id}"


class LevelTold(models.Model):
    """Which notices people got about a design or a choice, so that nobody is told twice."""

    document = models.OneToOneField(LevelDocument, on_delete=models.CASCADE, related_name="told")
    end_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["id"], condition=models.Q(end_at__isnull=True), name="level_told_open")]

    def __str__(self) -> str:
        return f"told of {self.document_id}"
