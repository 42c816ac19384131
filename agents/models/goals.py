"""Goals, their moves, and what is believed about them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from agents.bdi.outcome.outcome import MISSED, Outcome, shown_state
from agents.models.actors import Agent
from agents.models.common import one_of
from agents.models.workspaces import Workspace
from agents.states import GOAL_ENDED, GoalState


class Goal(models.Model):
    """What was asked for, and how far it has come. Who asked for what is sealed: policies approve by it, and workers
    make its parts by it.
    """

    sealed = ("text", "submitted_by_id", "agent_id", "workspace_id")
    acted_on = Q(ended_at=None)

    text = models.TextField()
    # `goal_owner_newest` is its index.
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="goals", db_index=False
    )
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="goals")
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="goals")
    # 1 is adopted first, 5 last.
    priority = models.PositiveSmallIntegerField(default=3)
    depends_on = models.ManyToManyField("self", symmetrical=False, related_name="dependants", blank=True)
    # The goal this one is a part of; when that has ended, this one is dropped. Its partial index is below.
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="children", db_index=False
    )
    # It does not start after this moment, and an agent that is not blindly committed drops it.
    deadline = models.DateTimeField(null=True, blank=True)
    state = models.CharField(max_length=16, default=GoalState.PENDING.value)
    reason = models.TextField(blank=True)
    submission_key = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    # The fenced lease on the goal's cycle; times are the database's clock.
    lease_owner = models.CharField(max_length=120, blank=True)
    lease_fence = models.BigIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    # How many workers in a row died over the same thing without getting further, and what that was.
    lost_workers = models.PositiveSmallIntegerField(default=0, db_default=0)
    lost_at = models.CharField(max_length=80, blank=True, default="", db_default="")
    # Not before this moment does a waiting cycle go on (retry with delay).
    wake_at = models.DateTimeField(null=True, blank=True)
    # Whether its next turn asks a language model, so that the background pool takes it and no worker process.
    in_background = models.BooleanField(default=False, db_default=False)
    learned_at = models.DateTimeField(null=True, blank=True)
    # The verdict once its plan has run to its end (`agents.bdi.outcome.outcome`). Empty before that and on older goals.
    outcome = models.CharField(max_length=16, blank=True, default="", db_default="")
    # What people put in place of planned values: {tool, command, parameter, original, value, by}, oldest first.
    wishes = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("state", GoalState, "goal_state_known"),
            models.CheckConstraint(condition=Q(priority__range=(1, 5)), name="goal_priority_1_to_5"),
            models.CheckConstraint(condition=~Q(text=""), name="goal_text_not_empty"),
            models.CheckConstraint(
                condition=Q(outcome="") | Q(state="achieved", outcome__in=[outcome.value for outcome in Outcome]),
                name="goal_outcome_known",
            ),
            models.UniqueConstraint(
                fields=["submitted_by", "submission_key"], condition=~Q(submission_key=""), name="goal_submitted_once"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "-id"], name="goal_state_newest"),
            models.Index(fields=["submitted_by", "-id"], name="goal_owner_newest"),
            models.Index(fields=["-ended_at"], condition=Q(ended_at__isnull=False), name="goal_ended_newest"),
            models.Index(
                fields=["priority", "id"],
                condition=~Q(state__in=sorted(state.value for state in GOAL_ENDED)),
                name="goal_open_by_priority",
            ),
            models.Index(fields=["parent"], condition=Q(parent__isnull=False), name="goal_children"),
            models.Index(fields=["priority", "id"], condition=Q(in_background=True), name="goal_in_background"),
            # The open ones may be the oldest: without it a list of them reads every goal that has ended since.
            models.Index(
                fields=["-id"],
                condition=~Q(state__in=sorted(state.value for state in GOAL_ENDED)),
                name="goal_open_newest",
            ),
        ]

    def __str__(self) -> str:
        return f"goal {self.pk}"

    def get_absolute_url(self) -> str:
        """The goal's page."""
        return reverse("goal", args=[self.pk])

    @property
    def has_ended(self) -> bool:
        """True in a state nothing leads out of."""
        return self.state in GOAL_ENDED

    @property
    def shown_state(self) -> str:
        """The state as people read it: of a goal whose plan ran to its end, what came of it."""
        return shown_state(self.state, self.outcome)

    @property
    def has_missed(self) -> bool:
        """Whether its plan ran to its end and what was asked for did not come about."""
        return self.outcome in MISSED

    @property
    def is_overdue(self) -> bool:
        """Whether it is open behind its deadline: it is not begun any more unless a person lets it go on."""
        return self.deadline is not None and self.deadline <= timezone.now() and not self.has_ended

    @property
    def is_put_off(self) -> bool:
        """Whether it waits by itself for a moment at which it is planned again; people may be quicker."""
        waits = self.state == GoalState.PENDING and self.wake_at is not None
        return waits and self.reason.startswith(("model_", "planned_later"))


class Transition(models.Model):
    """One move of a goal or an intent plan, written in the transaction that moved it."""

    append_only = True

    # The index on goal and id is its index. Who writes a move holds both rows: the database does not look again.
    goal = models.ForeignKey(
        Goal, on_delete=models.CASCADE, related_name="transitions", db_index=False, db_constraint=False
    )
    intent_plan = models.ForeignKey(
        "IntentPlan", null=True, on_delete=models.CASCADE, related_name="transitions", db_constraint=False
    )
    old = models.CharField(max_length=16)
    new = models.CharField(max_length=16)
    reason = models.TextField(blank=True)
    by = models.CharField(max_length=160)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["goal", "id"], name="transition_goal")]

    def __str__(self) -> str:
        return f"{self.old} → {self.new}"


class Belief(models.Model):
    """A sentence the agent held true while it worked on the goal."""

    # The database looks for the goal once a statement, by a trigger (migration 0002), and not once a row.
    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="beliefs", db_constraint=False)
    sentence = models.TextField()
    source = models.CharField(max_length=16)
    confidence = models.FloatField(default=1.0)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    retracted_by = models.CharField(max_length=160, blank=True)
    # What a person's words are about, when that is not the whole goal: "step 2, write: path".
    about = models.TextField(blank=True)
    # The sentence that a person denied with this one; while it stands, the agent does not believe it again.
    denies = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=Q(confidence__range=(0.0, 1.0)), name="belief_confidence_0_to_1")
        ]
        indexes = [
            models.Index(
                fields=["expires_at"],
                condition=Q(expires_at__isnull=False, retracted_by=""),
                name="belief_that_expires",
            )
        ]

    def __str__(self) -> str:
        return self.sentence
