"""The queue: the place of each plan, news that were not processed yet, and filters that people saved."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.utils import timezone

from agents.models import Agent, IntentPlan, Workspace
from review.reading.danger import Danger
from review.reading.outcomes import KEY_HEX, UNTRIED, Outcome
from review.risk.assessment import Level

SHAPE_HEX = 32


class QueueEntry(models.Model):
    """The place of a plan in the queue, in columns of one index, and what the sweeps have done for it.

    It is written in the transaction that proposes the plan. A trigger on the plan's state updates `waits`, so an
    entry is always right about whether the plan was decided. The fields that it copies from plan and goal never change.
    """

    intent_plan = models.OneToOneField(
        IntentPlan, on_delete=models.CASCADE, primary_key=True, related_name="queue_entry"
    )
    waits = models.BooleanField(default=True)
    # As in PlanRisk; `unknown` until that has been worked out.
    rank = models.PositiveSmallIntegerField(default=Level.UNKNOWN.rank)
    # `review.reading.danger.Danger`.
    danger = models.PositiveSmallIntegerField(default=Danger.UNKNOWN.value, db_default=Danger.UNKNOWN.value)
    priority = models.PositiveSmallIntegerField()
    # Its time is running out: it comes before every priority.
    is_urgent = models.BooleanField(default=False)
    queued_at = models.DateTimeField(default=timezone.now)
    rung = models.GeneratedField(
        expression=F("danger") * 100
        + F("rank") * 10
        + Case(When(is_urgent=True, then=Value(0)), default=F("priority"), output_field=models.SmallIntegerField()),
        output_field=models.SmallIntegerField(),
        db_persist=True,
    )
    # The same for plans with the same steps (`review.reading.shapes`); "" if the bytes are not a plan.
    shape = models.CharField(max_length=SHAPE_HEX, blank=True)
    # What its newest dry run came to (`review.reading.outcomes`), and the key of that: plans of one shape whose runs
    # came to the same in outcome and kinds of effect are a group.
    outcome = models.CharField(max_length=10, default=UNTRIED.outcome.value, db_default=UNTRIED.outcome.value)
    trial = models.CharField(max_length=KEY_HEX, default=UNTRIED.key, db_default=UNTRIED.key)
    # What each step acts on (`review.risk.targets`), by position; cases are counted by it.
    targets = ArrayField(models.TextField(blank=True), null=True, blank=True)
    # "tool.command" of every step, each once.
    does = ArrayField(models.CharField(max_length=130), default=list)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+", db_index=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+", db_index=False)
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    # Who means to decide it. Others can still decide.
    assigned_to = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    # The state of its workspace at which it was last found to stand on what it was tried on.
    stood_at = models.CharField(max_length=64, blank=True, db_default="")
    # What the sweeps have done. Each has a partial index with only the rows left to do.
    has_clock = models.BooleanField(default=False)
    is_told = models.BooleanField(default=False)
    is_urgent_told = models.BooleanField(default=False)
    is_end_told = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(rank__range=(0, 3)), name="queue_entry_rank_0_to_3"),
            models.CheckConstraint(condition=Q(danger__range=(0, 7)), name="queue_entry_danger_0_to_7"),
            models.CheckConstraint(condition=Q(priority__range=(1, 5)), name="queue_entry_priority_1_to_5"),
            models.CheckConstraint(
                condition=Q(outcome__in=[each.value for each in Outcome]), name="queue_entry_outcome_known"
            ),
        ]
        indexes = [
            models.Index(fields=["rung", "queued_at", "intent_plan"], condition=Q(waits=True), name="queue_order"),
            models.Index(
                fields=["shape", "trial", "rung", "queued_at", "intent_plan"],
                condition=Q(waits=True),
                name="queue_group",
            ),
            models.Index(
                fields=["submitted_by", "rung", "queued_at", "intent_plan"],
                condition=Q(waits=True),
                name="queue_submitter",
            ),
            models.Index(
                fields=["assigned_to", "rung", "queued_at", "intent_plan"],
                condition=Q(waits=True, assigned_to__isnull=False),
                name="queue_assigned",
            ),
            models.Index(
                fields=["priority", "intent_plan"], condition=Q(waits=True, has_clock=False), name="queue_no_clock"
            ),
            models.Index(fields=["intent_plan"], condition=Q(waits=True, is_told=False), name="queue_not_told"),
            models.Index(
                fields=["intent_plan"],
                condition=Q(waits=True, is_urgent=True, is_urgent_told=False),
                name="queue_urgent_not_told",
            ),
            models.Index(
                fields=["intent_plan"], condition=Q(waits=False, is_end_told=False), name="queue_end_not_told"
            ),
        ]

    def __str__(self) -> str:
        return f"place of {self.intent_plan_id}"

    @property
    def is_grave(self) -> bool:
        """Whether each such plan is looked at by itself."""
        return Danger(self.danger).is_grave

    @property
    def level(self) -> str:
        """The risk as a word."""
        return tuple(Level)[self.rank].value

    @property
    def group(self) -> str:
        """The same for plans that may be decided together; "" for one that is decided alone."""
        return f"{self.shape}.{self.trial}" if self.shape and Outcome(self.outcome).may_be_batched else ""


class PlanNews(models.Model):
    """News about a plan for its risk and the policies: it was proposed, or tried in a copy.

    A trigger on dry runs adds a row when one ends; the code that processes news deletes the rows that it has read.
    So a lost hint loses nothing, without comparing every waiting plan with its runs.
    """

    intent_plan = models.ForeignKey(IntentPlan, on_delete=models.CASCADE, related_name="news")

    def __str__(self) -> str:
        return f"news of {self.intent_plan_id}"


class SavedFilter(models.Model):
    """A filter of the queue that a person saved under a name. `query` is its part of the address."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="review_filters")
    name = models.CharField(max_length=60)
    query = models.TextField()

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="saved_filter_once_per_person")]

    def __str__(self) -> str:
        return self.name
