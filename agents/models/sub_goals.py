"""What steps of an approved plan ask to be made of a goal: its parts."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from agents.models.goals import Goal


class SubGoal(models.Model):
    """A part of a goal, as a step of its approved plan said it; `goal` from the moment when that was made.

    The same step tried again has the same key, finds its row, and adds no second one. The worker that runs the step
    seals it, and the one that makes the goal makes none of a row without its seal.
    """

    sealed = ("key", "parent_id", "number", "name", "text", "after", "workspace")
    acted_on = Q(goal=None, parent__ended_at=None)

    # SHA-256 over the goal, the command and its parameters.
    key = models.CharField(max_length=64, unique=True)
    parent = models.ForeignKey(Goal, on_delete=models.PROTECT, related_name="sub_goals")
    # In the order in which they were said, from 1.
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=40)
    text = models.TextField()
    # The names of those before it that it waits for.
    after = models.JSONField(default=list)
    # Empty: the parent's.
    workspace = models.CharField(max_length=80, blank=True)
    goal = models.OneToOneField(Goal, null=True, on_delete=models.PROTECT, related_name="said_by")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["parent", "number"]
        constraints = [
            models.UniqueConstraint(fields=["parent", "number"], name="sub_goal_number"),
            models.UniqueConstraint(fields=["parent", "name"], name="sub_goal_name"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of goal {self.parent_id}"
