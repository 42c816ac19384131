"""Which notices people got about designs and choices of rules."""

from __future__ import annotations

from django.db import models

from agents.models import LevelDocument


class LevelTold(models.Model):
    """Which notices people got about a design or a choice, so that nobody is told twice."""

    document = models.OneToOneField(LevelDocument, on_delete=models.CASCADE, related_name="told")
    end_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["id"], condition=models.Q(end_at__isnull=True), name="level_told_open")]

    def __str__(self) -> str:
        return f"told of {self.document_id}"
