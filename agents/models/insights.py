"""The cases behind the insights of the mind, and their sums of days that are over.

One row for each planning of a goal and for each value that mindX settled by itself: what a number of the insights
counts is what such rows a page lists. Failures and their recoveries have rows of their own already, which change after
their day is over (a step ends late, an operator corrects a class), so their sums follow each change.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from agents.bdi.learning.corrections import Came
from agents.bdi.planning.latency import STAGES
from agents.models.actors import Agent
from agents.models.common import one_of
from agents.models.goals import Goal
from agents.models.plans import Plan


class Planning(models.Model):
    """One planning of a goal that ended with a plan or without: how many attempts it took, and how long each stage.

    Milliseconds; null: the stage was not reached. Written in the statement that stores a valid plan.
    """

    append_only = True

    plan = models.OneToOneField(Plan, on_delete=models.CASCADE, related_name="planning")
    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="+", db_index=False)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+", db_index=False)
    source = models.CharField(max_length=16, choices=Plan.Source.choices)
    is_valid = models.BooleanField()
    attempts = models.PositiveSmallIntegerField()
    # From the moment since which it could be planned to its adoption.
    waited_ms = models.PositiveIntegerField(null=True)
    perceive_ms = models.PositiveIntegerField(null=True)
    rules_ms = models.PositiveIntegerField(null=True)
    understand_ms = models.PositiveIntegerField(null=True)
    model_ms = models.PositiveIntegerField(null=True)
    validate_ms = models.PositiveIntegerField(null=True)
    # From that same moment to the plan, everything included.
    total_ms = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["-at", "-id"], name="planning_newest"),
            models.Index(fields=["agent", "-at", "-id"], name="planning_of_agent"),
        ]

    def __str__(self) -> str:
        return f"planning of goal {self.goal_id}"

    @property
    def stages(self) -> list[tuple[str, int]]:
        """The stages that were reached, in their order, with their milliseconds."""
        took = ((name, getattr(self, f"{name}_ms")) for name in STAGES)
        return [(name, ms) for name, ms in took if ms is not None]


class Correction(models.Model):
    """A value that mindX settled by itself in place of what was said or left out, and what came of it.

    Judged once, when its goal has ended (`agents.bdi.learning.corrections`). The same value in several steps or
    revisions of a goal is one row.
    """

    append_only = True

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="corrections")
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+", db_index=False)
    tool = models.CharField(max_length=64)
    command = models.CharField(max_length=64)
    parameter = models.CharField(max_length=64)
    origin = models.CharField(max_length=16)
    original = models.JSONField(null=True)
    value = models.JSONField(null=True)
    note = models.TextField(blank=True)
    confidence = models.FloatField(default=1.0)
    came = models.CharField(max_length=12)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [one_of("came", Came, "correction_came_known")]
        indexes = [
            models.Index(fields=["-at", "-id"], name="correction_newest"),
            models.Index(fields=["agent", "-at", "-id"], name="correction_of_agent"),
            models.Index(fields=["origin", "-at", "-id"], name="correction_of_origin"),
        ]

    def __str__(self) -> str:
        return f"{self.tool}.{self.command} {self.parameter}: {self.came}"


class _Sums(models.Model):
    """Sums of one day (UTC), of one measure: plannings, corrections, or the time of one stage.

    `what` is the source, the origin or the stage, `came` how the cases ended. Of a time, `counts` says how many cases
    each of `buckets` has, which are powers of `agents.bdi.planning.latency.GROWTH` of a millisecond.
    """

    day = models.DateField()
    measure = models.CharField(max_length=12)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+", db_index=False)
    what = models.CharField(max_length=16)
    tool = models.CharField(max_length=64, blank=True)
    came = models.CharField(max_length=12, blank=True)
    cases = models.PositiveIntegerField()
    # Attempts of plannings, milliseconds of a stage.
    amount = models.BigIntegerField(default=0)
    buckets = ArrayField(models.SmallIntegerField(), default=list)
    counts = ArrayField(models.IntegerField(), default=list)
    # The table has them a second time, as one number that the server adds up over many days: `packed`, a generated
    # column of `agents.bdi.planning.latency.DIGITS` decimal digits for each bucket. That is more than a DecimalField
    # can have.

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.measure} {self.what} {self.came} on {self.day}"


class MindDay(_Sums):
    """Sums of a day that is over."""

    append_only = True

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["day", "measure", "agent", "what", "tool", "came"], name="mind_day_once")
        ]


class DaySoFar(_Sums):
    """Sums of the day that is not over, of its cases before the whole hour `until`. Made anew with each hour."""

    until = models.DateTimeField()


class RecoveryDay(models.Model):
    """How many failures of a day (UTC) came to what by a strategy; several rows of the same are added up.

    A trigger on the failures writes a row for each that is new and two for each that changes, one of them negative, so
    the sums are right at every moment and nobody waits for another's. A beat makes one row of many.
    """

    day = models.DateField()
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False)
    tool = models.CharField(max_length=64, blank=True)
    failure_class = models.CharField(max_length=32)
    # With its variant, as statistics name it.
    strategy = models.CharField(max_length=65)
    came = models.CharField(max_length=12)
    cases = models.IntegerField()

    class Meta:
        indexes = [models.Index(fields=["day"], name="recovery_day")]

    def __str__(self) -> str:
        return f"{self.cases} × {self.failure_class}, {self.strategy} {self.came} on {self.day}"
