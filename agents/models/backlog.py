"""The coordinator's backlog: wishes about components, what was tried for each, and the rules that stop it."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from pgvector.django import HnswIndex, VectorField

from agents.mastermind import duplicates, stops
from agents.models.common import one_of
from agents.models.goals import Goal
from agents.states import BACKLOG_OPEN, BacklogState

DIMENSIONS = 384
_OPEN = [state.value for state in BACKLOG_OPEN]
_DEFAULTS = stops.Rules()


class BacklogItem(models.Model):
    """One wish. What says the same is counted on it; in other words, it is a row of its own that points here.

    Sealed with its state: a goal is made only of what somebody approved.
    """

    sealed = ("target", "suggestion", "critical", "source", "by_id", "source_goal_id", "state", "decided_by_id")
    acted_on = Q(state__in=_OPEN)

    class Source(models.TextChoices):
        PERSON = "person"
        ANALYSIS = "analysis"
        FAILURES = "failures"

    # As a component's key: kind, colon, name.
    target = models.CharField(max_length=300)
    suggestion = models.TextField()
    text_key = models.CharField(max_length=64)
    # Null: not embedded, so only the same words are the same wish.
    embedding = VectorField(dimensions=DIMENSIONS, null=True, blank=True)
    priority = models.PositiveSmallIntegerField(default=3)
    # Only a reviewer approves it.
    critical = models.BooleanField(default=False)
    source = models.CharField(max_length=8, choices=Source.choices)
    # Null: mindX itself added it.
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="backlog_items"
    )
    # The goal whose findings or failure it comes from.
    source_goal = models.ForeignKey(Goal, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=12, default=BacklogState.PENDING.value)
    reason = models.TextField(blank=True)
    # How often it was said, those that point here included.
    count = models.PositiveIntegerField(default=1)
    last_said_at = models.DateTimeField(default=timezone.now)
    merged_into = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="merged")
    # How near the two meanings are, where mindX merged them; null where a person did.
    likeness = models.FloatField(null=True, blank=True)
    tries = models.PositiveIntegerField(default=0)
    # Since the last that made something better, or since a person let it go on.
    failures = models.PositiveIntegerField(default=0)
    outcome = models.CharField(max_length=12, blank=True)
    outcome_words = models.TextField(blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["priority", "id"]
        constraints = [
            one_of("state", BacklogState, "backlog_state_known"),
            models.CheckConstraint(condition=Q(priority__range=(1, 5)), name="backlog_priority_1_to_5"),
            models.CheckConstraint(condition=~Q(suggestion=""), name="backlog_text_not_empty"),
            models.CheckConstraint(
                condition=Q(state=BacklogState.MERGED.value, merged_into__isnull=False)
                | (~Q(state=BacklogState.MERGED.value) & Q(merged_into__isnull=True)),
                name="backlog_merged_into_one",
            ),
            # What was done may be wished again.
            models.UniqueConstraint(
                fields=["text_key"], condition=~Q(state=BacklogState.DONE.value), name="backlog_wish_once"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "priority", "id"], name="backlog_by_state"),
            models.Index(fields=["priority", "id"], condition=Q(state__in=_OPEN), name="backlog_open"),
            models.Index(fields=["by", "priority", "id"], name="backlog_of_person"),
            models.Index(fields=["target", "priority", "id"], name="backlog_by_target"),
            HnswIndex(
                name="backlog_wish_hnsw",
                fields=["embedding"],
                opclasses=["vector_cosine_ops"],
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.pk}"

    @property
    def target_kind(self) -> str:
        """tool, agent, rule, firmware, path …"""
        return self.target.partition(":")[0]

    @property
    def target_name(self) -> str:
        """The component's name."""
        return self.target.partition(":")[2]


class BacklogTry(models.Model):
    """One goal that an item was taken up by, and what came of it."""

    item = models.ForeignKey(BacklogItem, on_delete=models.CASCADE, related_name="attempts")
    goal = models.OneToOneField(Goal, on_delete=models.PROTECT, related_name="backlog_try")
    begun_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=12, blank=True)
    words = models.TextField(blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome__in=["", *stops.OUTCOMES]) & (Q(ended_at__isnull=True) | ~Q(outcome="")),
                name="backlog_try_outcome_known",
            )
        ]
        indexes = [
            models.Index(fields=["-ended_at"], condition=Q(ended_at__isnull=False), name="backlog_try_ended"),
            models.Index(fields=["begun_at"], name="backlog_try_begun"),
            models.Index(fields=["id"], condition=Q(ended_at__isnull=True), name="backlog_try_open"),
        ]

    def __str__(self) -> str:
        return f"try of item {self.item_id}"


def _bounded(name: str) -> models.BaseConstraint:
    least, most = stops.BOUNDS[name]
    return models.CheckConstraint(condition=Q(**{f"{name}__range": (least, most)}), name=f"backlog_rules_{name}")


class BacklogRules(models.Model):
    """The stop rules, one row for each version that was saved; the newest counts, at each decision."""

    append_only = True

    failures_of_one = models.PositiveIntegerField(default=_DEFAULTS.failures_of_one)
    without_success = models.PositiveIntegerField(default=_DEFAULTS.without_success)
    per_day = models.PositiveIntegerField(default=_DEFAULTS.per_day)
    near_enough = models.FloatField(
        default=duplicates.NEAR_ENOUGH, validators=[MinValueValidator(0.5), MaxValueValidator(1.0)]
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = verbose_name_plural = "stop rules of the backlog"
        constraints = [
            *(_bounded(name) for name in stops.BOUNDS),
            models.CheckConstraint(condition=Q(near_enough__range=(0.5, 1.0)), name="backlog_rules_near_enough"),
        ]

    def __str__(self) -> str:
        return f"stop rules of {self.at}"


class BacklogLift(models.Model):
    """A person let the backlog go on: what failed before counts no more, and the day's number begins anew."""

    append_only = True

    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    reason = models.CharField(max_length=300)
    # What had stopped it.
    stopped_by = models.TextField()

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(F("at").desc(), name="backlog_lift_newest")]

    def __str__(self) -> str:
        return f"resumed by {self.by_id}"
