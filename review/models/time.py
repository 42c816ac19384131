"""How long a plan may wait."""

from __future__ import annotations

from django.db import models

from agents.models import IntentPlan
from review.timing import Limit


class TimeLimit(models.Model):
    """How long plans of a priority may wait for a decision. It applies to plans that enter the queue from now on."""

    # Null: every priority.
    priority = models.PositiveSmallIntegerField(null=True, blank=True, help_text="1 to 5; empty: every priority")
    minutes = models.PositiveIntegerField(help_text="From when a plan entered the queue; 1 to 525,600.")
    escalate_percent = models.PositiveSmallIntegerField(
        default=50, help_text="After this share of the time the plan is marked as urgent; 100: never."
    )
    to_manual = models.BooleanField(
        default=False, help_text="When the time is over, the goal waits for a person. Otherwise it is dropped."
    )
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["priority"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(priority__isnull=True) | models.Q(priority__range=(1, 5)),
                name="time_limit_priority_1_to_5",
                violation_error_message="A priority is a number from 1 to 5.",
            ),
            models.CheckConstraint(
                condition=models.Q(minutes__range=(1, 525_600)),
                name="time_limit_minutes",
                violation_error_message="From one minute to a year.",
            ),
            models.CheckConstraint(
                condition=models.Q(escalate_percent__range=(1, 100)),
                name="time_limit_share",
                violation_error_message="A share is 1 to 100 per cent.",
            ),
            models.UniqueConstraint(
                fields=["priority"],
                nulls_distinct=False,
                name="one_time_limit_per_priority",
                violation_error_message="There is a limit for this priority already; change that one.",
            ),
        ]

    def __str__(self) -> str:
        return f"priority {self.priority}" if self.priority else "every priority"

    def as_limit(self) -> Limit:
        """In the form that the pure core uses."""
        return Limit(self.priority, self.minutes, self.escalate_percent, self.changed_at, self.to_manual)


class ReviewClock(models.Model):
    """Until when a plan may wait, as set when it got its clock. The moments are null once it no longer waits."""

    intent_plan = models.OneToOneField(IntentPlan, on_delete=models.CASCADE, related_name="clock")
    minutes = models.PositiveIntegerField()
    extended_min = models.PositiveIntegerField(default=0)
    escalate_at = models.DateTimeField(null=True)
    escalated_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    to_manual = models.BooleanField(default=False)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], condition=models.Q(due_at__isnull=False), name="review_clock_due"),
            models.Index(
                fields=["escalate_at"],
                condition=models.Q(escalate_at__isnull=False, escalated_at__isnull=True),
                name="review_clock_escalate",
            ),
        ]

    def __str__(self) -> str:
        return f"clock of {self.intent_plan_id}"
