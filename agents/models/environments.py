"""Runs of agents in environments, an action a row, and learned policies with the episodes they were trained by."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from agents.models.actors import Agent
from agents.models.common import DIGEST_HEX, one_of
from agents.models.leased import LastingWork
from agents.states import ENVIRONMENT_RUN_MOVES, TRAINING_MOVES, EnvironmentRunState, TrainingState


class EnvironmentRun(LastingWork):
    """An agent acts in a simulation by the rules that were drawn for it. Its lease is its own.

    `at_step` is the number of its last action; `stop_at` the one after which it pauses, null: none. `asked` is what a
    person has to choose: the number of the action and the actions that are valid. `first_percept` is null until the
    environment has begun.
    """

    moves = ENVIRONMENT_RUN_MOVES
    free, given_up = EnvironmentRunState.READY, EnvironmentRunState.ENDED
    sealed = (
        "by_id",
        "agent_id",
        "environment",
        "task",
        "variation",
        "fallback",
        "share",
        "rules_text",
        "step_limit",
    )
    acted_on = ~Q(state=EnvironmentRunState.ENDED.value)
    is_sealed_when_asked = True

    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+")
    environment = models.CharField(max_length=60)
    task = models.CharField(max_length=100)
    variation = models.PositiveIntegerField()
    # In the environment's words, once it has begun.
    goal = models.TextField(blank=True)
    fallback = models.CharField(max_length=16, blank=True)
    # Percent of the rules there are.
    share = models.PositiveSmallIntegerField(default=100)
    # The text that is followed, and each rule with where it is from and its digest.
    rules_text = models.TextField(blank=True)
    rules = models.JSONField(default=list)
    step_limit = models.PositiveSmallIntegerField(default=100)
    state = models.CharField(max_length=16, default=EnvironmentRunState.READY.value)
    # Why it ended, one word: `over`, `loop`, `replay_differs` …; empty until then.
    outcome = models.CharField(max_length=32, blank=True)
    at_step = models.PositiveIntegerField(default=0)
    stop_at = models.PositiveIntegerField(null=True, blank=True)
    first_percept = models.TextField(null=True, blank=True)
    score_before = models.FloatField(default=0.0)
    score = models.FloatField(default=0.0)
    asked = models.JSONField(null=True, blank=True)
    answer = models.CharField(max_length=200, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    submission_key = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("state", EnvironmentRunState, "environment_run_state_known"),
            models.UniqueConstraint(
                fields=["by", "submission_key"], condition=~Q(submission_key=""), name="environment_run_submitted_once"
            ),
            models.CheckConstraint(condition=Q(share__lte=100), name="environment_run_share_in_percent"),
        ]
        indexes = [models.Index(fields=["state", "id"], name="environment_run_state_oldest")]

    def __str__(self) -> str:
        return f"environment run {self.pk}"

    def gives_up(self) -> dict[str, Any]:
        """It is over, and nobody is asked for an action any more."""
        return {"outcome": "workers_lost", "asked": None}

    def get_absolute_url(self) -> str:
        """Its page."""
        return reverse("environment-run", args=[self.pk])


class EnvironmentAction(models.Model):
    """One action of a run: who chose it and why, and what the environment said then.

    `beliefs` are what it was decided by ([sentence, source, age in steps]); `decisions` the rules that were weighed
    since the action before, as `agents.environments.weighing` writes them; `why` what held the contexts of its rule.
    `policy` is the digest of the learned policy that chose it; `person` who did.
    """

    append_only = True

    run = models.ForeignKey(EnvironmentRun, on_delete=models.CASCADE, related_name="actions", db_index=False)
    number = models.PositiveIntegerField()
    action = models.TextField()
    by = models.CharField(max_length=16)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    policy = models.CharField(max_length=DIGEST_HEX, blank=True)
    rule = models.TextField()
    line = models.PositiveIntegerField()
    goals = models.JSONField()
    why = models.JSONField()
    beliefs = models.JSONField()
    decisions = models.JSONField()
    percept = models.TextField()
    accepted = models.BooleanField()
    is_over = models.BooleanField()
    score = models.FloatField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="environment_action_once")]

    def __str__(self) -> str:
        return f"action {self.number} of run {self.run_id}"


class EnvironmentPolicy(LastingWork):
    """A learned policy of one task: what it has learned (null: nothing yet), and its training, which has its own lease.

    `episodes_left` is the budget that is open; `generation` counts how often it was reset.
    """

    moves = TRAINING_MOVES
    free, given_up = TrainingState.WAITING, TrainingState.STOPPED
    sealed = ("environment", "task", "share", "seed", "by_id")
    acted_on = Q(state__in=(TrainingState.WAITING.value, TrainingState.RUNNING.value))
    is_sealed_when_asked = True

    environment = models.CharField(max_length=60)
    task = models.CharField(max_length=100)
    # Percent of the rules that act beside it in training.
    share = models.PositiveSmallIntegerField(default=0)
    seed = models.PositiveIntegerField(default=0)
    data = models.BinaryField(null=True, blank=True)
    digest = models.CharField(max_length=DIGEST_HEX, blank=True)
    state = models.CharField(max_length=16, default=TrainingState.STOPPED.value)
    episodes_left = models.PositiveIntegerField(default=0)
    episodes = models.PositiveIntegerField(default=0)
    generation = models.PositiveIntegerField(default=0)
    choices = models.PositiveBigIntegerField(default=0)
    lessons = models.PositiveBigIntegerField(default=0)
    # How often it still tries something at random, 0 to 1.
    explores = models.FloatField(default=1.0)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["environment", "task"]
        constraints = [
            one_of("state", TrainingState, "environment_policy_state_known"),
            models.UniqueConstraint(fields=["environment", "task"], name="environment_policy_once"),
            models.CheckConstraint(condition=Q(share__lte=100), name="environment_policy_share_in_percent"),
        ]

    def __str__(self) -> str:
        return f"policy of {self.environment} {self.task}"

    def gives_up(self) -> dict[str, Any]:
        """Whoever trains it again says for how many episodes."""
        return {"episodes_left": 0, "lost_workers": 0}

    def get_absolute_url(self) -> str:
        """Its page."""
        return reverse("environment-policy", args=[self.pk])


class EnvironmentEpisode(models.Model):
    """One variation that a policy was trained on: what was scored and who acted how often."""

    append_only = True

    policy = models.ForeignKey(EnvironmentPolicy, on_delete=models.CASCADE, related_name="played", db_index=False)
    generation = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    variation = models.PositiveIntegerField()
    score = models.FloatField()
    actions_by_rules = models.PositiveIntegerField()
    actions_by_policy = models.PositiveIntegerField()
    reason = models.CharField(max_length=32)
    seconds = models.FloatField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["generation", "number"]
        constraints = [
            models.UniqueConstraint(fields=["policy", "generation", "number"], name="environment_episode_once")
        ]

    def __str__(self) -> str:
        return f"episode {self.number} of policy {self.policy_id}"
