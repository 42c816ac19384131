"""Copies of components that goals work on, and which candidate of the library came of each."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from agents.models.goals import Goal
from library.models import ComponentVersion


class EvolvedCopy(models.Model):
    """The component whose copy a goal is to make better. What came of it is said once, when the goal has ended."""

    goal = models.OneToOneField(Goal, on_delete=models.PROTECT, related_name="evolved_copy")
    target_kind = models.CharField(max_length=16)
    target_name = models.CharField(max_length=120)
    wish = models.TextField(blank=True)
    # Null: no candidate came of it, or not yet.
    version = models.ForeignKey(
        ComponentVersion, null=True, blank=True, on_delete=models.SET_NULL, related_name="copies", editable=False
    )
    said = models.TextField(blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    # The text that a version of it would have, kept where whoever submitted the goal may write none; else "".
    proposed = models.TextField(blank=True, default="", db_default="")
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"the copy of {self.what} of goal {self.goal_id}"

    def get_absolute_url(self) -> str:
        """Its page."""
        return reverse("mastermind-copy", args=[self.pk])

    @property
    def what(self) -> str:
        """Kind and name of the component."""
        return f"{self.target_kind} {self.target_name}"

    @property
    def waits(self) -> bool:
        """Whether somebody who may write decides on it."""
        return bool(self.proposed) and self.decided_at is None
