"""What people say about a plan."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models import Goal, IntentPlan


class Comment(models.Model):
    """A reviewer's words on a plan; they reach the planner and the log."""

    class State(models.TextChoices):
        OPEN = "open"
        ADDRESSED = "addressed"
        STALE = "stale"

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="comments")
    intent_plan = models.ForeignKey(IntentPlan, on_delete=models.CASCADE, related_name="comments")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="comments")
    text = models.TextField()
    state = models.CharField(max_length=12, choices=State.choices, default=State.OPEN)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text[:60]
