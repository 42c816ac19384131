"""What people and programs typed to mastermind, and what it answered."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from agents.models.goals import Goal


class GivenCommand(models.Model):
    """One line, how it was understood and answered, and the goal it made.

    Sealed when it is given: what an analysis found becomes wishes of whoever asked for it.
    """

    sealed = ("by_id", "via", "line", "command", "outcome", "answer", "goal_id", "key")
    acted_on = Q(command="coord_analyze", taken_at=None, goal__isnull=False)

    class Via(models.TextChoices):
        TERMINAL = "terminal"
        PAGE = "page"
        API = "api"

    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="given_commands")
    at = models.DateTimeField(auto_now_add=True)
    via = models.CharField(max_length=8, choices=Via.choices)
    line = models.TextField()
    # The command as it was understood; empty where it was not.
    command = models.CharField(max_length=32, blank=True)
    outcome = models.CharField(max_length=16)
    answer = models.JSONField()
    # Null: it made none.
    goal = models.ForeignKey(Goal, null=True, blank=True, on_delete=models.PROTECT, related_name="given_commands")
    # Of a page or a program that may send the same twice.
    key = models.CharField(max_length=200, blank=True)
    # When what a goal of coord_analyze found went into the backlog.
    taken_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["by", "key"], condition=~Q(key=""), name="command_given_once"),
        ]
        indexes = [
            models.Index(fields=["by", "-id"], name="command_newest"),
            models.Index(
                fields=["goal"],
                condition=Q(command="coord_analyze", taken_at__isnull=True, goal__isnull=False),
                name="command_findings_to_take",
            ),
        ]

    def __str__(self) -> str:
        return self.line
