"""Copies of components that goals work on, and which candidate of the library came of each."""

from __future__ import annotations

from django.db import models

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

    def __str__(self) -> str:
        return f"the copy of {self.target_kind} {self.target_name} of goal {self.goal_id}"
