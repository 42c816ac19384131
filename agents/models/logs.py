"""The log of a goal, numbered without gaps."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from agents.models.goals import Goal


class LogCounter(models.Model):
    """The last log number of a goal, in a row of its own so that logging never waits for the goal's row.

    The database makes it together with its goal (migration 0002).
    """

    goal = models.OneToOneField(Goal, on_delete=models.CASCADE, primary_key=True, related_name="log_counter")
    last = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.last)


class LogLine(models.Model):
    """One line of a goal's log; numbers are 1, 2, 3 … without gaps.

    The table is parted by goal (migration 0002): `agents.record.log_retention` has partitions made and dropped.
    """

    append_only = True

    pk = models.CompositePrimaryKey("goal_id", "number")
    # The constraint on goal and number is the index; the counter, which each line is counted in, refers to the goal.
    goal = models.ForeignKey(
        Goal, on_delete=models.CASCADE, related_name="log_lines", db_index=False, db_constraint=False
    )
    number = models.BigIntegerField()
    at = models.DateTimeField()
    source = models.CharField(max_length=64)
    stage = models.CharField(max_length=16)
    level = models.CharField(max_length=8, default="info")
    text = models.TextField()
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["goal", "number"], name="log_line_number_once_per_goal")]
        # Errors are few: the first one is found without reading what stands before it.
        indexes = [models.Index(fields=["goal", "number"], condition=Q(level="error"), name="log_line_errors")]

    def __str__(self) -> str:
        return f"{self.number} {self.text[:60]}"


class LogExpiry(models.Model):
    """Logs that were let go: of the goals from `first_goal` to `last_goal`, all of which had ended `keep_days` ago."""

    append_only = True

    first_goal = models.BigIntegerField()
    last_goal = models.BigIntegerField()
    keep_days = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        verbose_name = "removed log"

    def __str__(self) -> str:
        return f"goals {self.first_goal} to {self.last_goal}"
