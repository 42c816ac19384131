"""Failures with what was decided about each, and what operators set for those decisions.

Rules, policies and settings have one row for every saved version: the newest counts, and is read at each decision.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from agents.bdi.recovery.failures import FailureClass
from agents.bdi.recovery.strategies import Strategy
from agents.models.actors import Agent
from agents.models.common import one_of
from agents.models.goals import Goal
from agents.models.plans import IntentPlan
from agents.models.runs import Attempt


class FailureRule(models.Model):
    """An operator's rule that says which class a failure has. All conditions that are set must hold."""

    append_only = True

    name = models.CharField(max_length=80)
    number = models.PositiveIntegerField()
    # Conditions; empty is any.
    stage = models.CharField(max_length=16, blank=True)
    tool = models.CharField(max_length=64, blank=True)
    command = models.CharField(max_length=64, blank=True)
    # The class that the tool itself reported.
    error_class = models.CharField(max_length=32, blank=True)
    exit_code = models.IntegerField(null=True, blank=True)
    limit = models.CharField(max_length=32, blank=True)
    host = models.CharField(max_length=260, blank=True)
    # Words that stand in what the step wrote or was told, in any case of letters.
    text = models.CharField(max_length=200, blank=True)
    failure_class = models.CharField(max_length=32)
    enabled = models.BooleanField(default=True)
    note = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("failure_class", FailureClass, "failure_rule_class_known"),
            models.UniqueConstraint(fields=["name", "number"], name="failure_rule_version_once"),
            models.CheckConstraint(condition=~Q(name=""), name="failure_rule_has_a_name"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.number}"


class FailureRecord(models.Model):
    """A failure with the facts it was classified by, the strategy that was chosen, and how that ended.

    Of a step, `attempt` is the try that failed; of planning there is none.
    """

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="failures")
    # The goal's, so that a count by agents reads no goals; null in rows that are older than this column.
    agent = models.ForeignKey(Agent, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    attempt = models.OneToOneField(Attempt, null=True, on_delete=models.CASCADE, related_name="failure")
    stage = models.CharField(max_length=16)
    position = models.PositiveIntegerField(default=0)
    tool = models.CharField(max_length=64, blank=True)
    command = models.CharField(max_length=64, blank=True)
    facts = models.JSONField(default=dict)
    # The class by facts and rules as they were, and the one that counts, which an operator may have corrected.
    classified_as = models.CharField(max_length=32)
    failure_class = models.CharField(max_length=32)
    reason = models.TextField()
    rule = models.ForeignKey(FailureRule, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    strategy = models.CharField(max_length=32)
    variant = models.CharField(max_length=32, blank=True)
    why = models.TextField(blank=True)
    # What could have been chosen and how likely each seemed, by strategy.
    weighed = models.JSONField(default=dict)
    # The strategy that was chosen next for the same step, after this one had not helped; "": none.
    overtaken_by = models.CharField(max_length=64, blank=True, default="")
    # Whether the recovered step has succeeded in the end; null until it has ended.
    succeeded = models.BooleanField(null=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    # Where the step went on when it was in another revision: these positions of it stand in the step's place.
    carried_by = models.ForeignKey(IntentPlan, null=True, on_delete=models.SET_NULL, related_name="+")
    carried_first = models.PositiveIntegerField(default=0)
    carried_last = models.PositiveIntegerField(default=0)
    # Until when nothing that failed on the same tool and hosts is tried again; null: it was no cool-down.
    cools_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("failure_class", FailureClass, "failure_class_known"),
            one_of("strategy", Strategy, "failure_strategy_known"),
        ]
        indexes = [
            models.Index(fields=["failure_class", "tool", "strategy", "-id"], name="failure_by_cell"),
            models.Index(fields=["id"], condition=Q(settled_at=None), name="failure_unsettled"),
            models.Index(fields=["-at", "-id"], name="failure_newest"),
            models.Index(fields=["tool", "cools_until"], condition=~Q(cools_until=None), name="failure_cooling"),
        ]

    def __str__(self) -> str:
        return f"failure {self.pk}: {self.failure_class}"

    @property
    def cell_strategy(self) -> str:
        """The strategy with its variant, as statistics name it."""
        return f"{self.strategy}:{self.variant}" if self.variant else self.strategy


class ClassCorrection(models.Model):
    """An operator said that a failure was of another class."""

    append_only = True

    failure = models.ForeignKey(FailureRecord, on_delete=models.CASCADE, related_name="corrections")
    old = models.CharField(max_length=32)
    new = models.CharField(max_length=32)
    why = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [one_of("new", FailureClass, "class_correction_known")]

    def __str__(self) -> str:
        return f"{self.old} → {self.new}"


class RecoveryPolicy(models.Model):
    """What an operator pinned or banned for a class, for one tool or (tool empty) for all."""

    append_only = True

    failure_class = models.CharField(max_length=32)
    tool = models.CharField(max_length=64, blank=True)
    number = models.PositiveIntegerField()
    # A strategy with its variant, as statistics name it; "": nothing is pinned.
    pinned = models.CharField(max_length=64, blank=True)
    banned = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    note = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "recovery policies"
        constraints = [
            one_of("failure_class", FailureClass, "recovery_policy_class_known"),
            models.UniqueConstraint(fields=["failure_class", "tool", "number"], name="recovery_policy_version_once"),
        ]

    def __str__(self) -> str:
        return f"{self.failure_class} of {self.tool or 'every tool'}, version {self.number}"


class RecoverySetting(models.Model):
    """A saved value of one setting of recovery; `agents.bdi.recovery.recovery_settings` has their names and bounds."""

    append_only = True

    name = models.CharField(max_length=64)
    value = models.FloatField()
    note = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.name} = {self.value:g}"


class RecoveryReset(models.Model):
    """From here on statistics of a cell begin anew. Empty fields are every class, tool or strategy."""

    append_only = True

    failure_class = models.CharField(max_length=32, blank=True)
    tool = models.CharField(max_length=64, blank=True)
    strategy = models.CharField(max_length=64, blank=True)
    # The newest failure that no longer counts.
    up_to = models.BigIntegerField()
    # The reset that this row takes back; such a row resets nothing itself.
    takes_back = models.BigIntegerField(null=True)
    why = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"reset up to failure {self.up_to}" if self.takes_back is None else f"reset {self.takes_back} taken back"


class RecoveryStatistic(models.Model):
    """What is known of a class × tool × strategy, worked out from its failures; shared by all agents.

    `recent` holds the newest outcomes, oldest first, a 1 for each that succeeded, and `ids` the failures they are of,
    by which the outcomes of several strategies are put in order.
    """

    failure_class = models.CharField(max_length=32)
    tool = models.CharField(max_length=64, blank=True)
    strategy = models.CharField(max_length=64)
    cases = models.PositiveIntegerField(default=0)
    successes = models.PositiveIntegerField(default=0)
    # The moving average of the reference, for display.
    average = models.FloatField(default=0.5)
    recent = models.TextField(blank=True)
    ids = ArrayField(models.BigIntegerField(), default=list)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["failure_class", "tool", "strategy"]
        constraints = [
            models.UniqueConstraint(fields=["failure_class", "tool", "strategy"], name="recovery_statistic_once")
        ]

    def __str__(self) -> str:
        return f"{self.failure_class} × {self.tool} × {self.strategy}: {self.successes} of {self.cases}"


class HandItem(models.Model):
    """A person is asked to fix what mindX could not: all facts of one failure, and the answer that was given."""

    class Answer(models.TextChoices):
        FIX = "fix", "fixed the parameters"
        DONE = "done", "did it by hand"
        AGAIN = "again", "let it be tried again"
        SKIP = "skip", "skipped the step"
        INSTEAD = "instead", "put other steps in its place"
        ABORT = "abort", "gave up the plan"
        PLAN = "plan", "wrote a plan"

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="hand_items")
    intent_plan = models.ForeignKey(IntentPlan, null=True, on_delete=models.CASCADE, related_name="hand_items")
    failure = models.OneToOneField(FailureRecord, on_delete=models.CASCADE, related_name="hand_item")
    position = models.PositiveIntegerField(default=0)
    opened_at = models.DateTimeField(auto_now_add=True)
    answer = models.CharField(max_length=8, choices=Answer.choices, blank=True)
    note = models.TextField(blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["goal"], condition=Q(answered_at=None), name="one_open_hand_item_per_goal")
        ]

    def __str__(self) -> str:
        return f"hand for goal {self.goal_id}"
