"""A/B trials of two versions of a component, and the goals and answers that live ones count."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from agents.models.common import one_of
from agents.models.evolution import Rollout
from agents.models.goals import Goal
from agents.states import TrialState
from library.models import Component, ComponentVersion


class VersionTrial(models.Model):
    """Which of two versions works more often, asked of new goals or answers, or of earlier ones that are replayed.

    What was asked and promised before it began stays with it. Its verdict is worked out of its cases: those of its
    replay, or its own pairs of goals or answers. It never puts a version to use. Sealed when it begins and ends.
    """

    sealed = (
        "component_id",
        "a_id",
        "b_id",
        "mode",
        "by_id",
        "difference",
        "differ",
        "alpha",
        "power",
        "most_cases",
        "rollout_id",
        "state",
        "verdict",
    )
    acted_on = models.Q(state=TrialState.RUNNING.value)

    class Mode(models.TextChoices):
        """On what."""

        LIVE = "live"
        REPLAYED = "replayed"

    class Verdict(models.TextChoices):
        """The verdict; empty while the trial runs."""

        RUNNING = "", "Running"
        A_BETTER = "a_better", "A is better"
        B_BETTER = "b_better", "B is better"
        NO_DIFFERENCE = "no_difference", "No difference that large"
        UNDECIDED = "undecided", "Undecided"
        STOPPED = "stopped", "Stopped"

    component = models.ForeignKey(Component, on_delete=models.CASCADE, related_name="+")
    a = models.ForeignKey(ComponentVersion, on_delete=models.CASCADE, related_name="+")
    b = models.ForeignKey(ComponentVersion, on_delete=models.CASCADE, related_name="+")
    mode = models.CharField(max_length=16, choices=Mode.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    why = models.TextField(blank=True)
    # In percentage points and percent, as `evolution.trial_plans.Asked`.
    difference = models.PositiveSmallIntegerField()
    differ = models.PositiveSmallIntegerField()
    alpha = models.PositiveSmallIntegerField()
    power = models.PositiveSmallIntegerField()
    # It ends after so many cases, and notices the difference with this chance in percent.
    most_cases = models.PositiveIntegerField()
    power_stated = models.FloatField()
    # The canary of a live one, for one half of goals or requests; null: replayed.
    rollout = models.OneToOneField(Rollout, null=True, on_delete=models.SET_NULL, related_name="trial")
    seen_plan = models.BigIntegerField(default=0)
    state = models.CharField(max_length=16, default=TrialState.RUNNING.value)
    verdict = models.CharField(max_length=16, choices=Verdict.choices, blank=True, default=Verdict.RUNNING)
    reason = models.TextField(blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            one_of("state", TrialState, "version_trial_state_known"),
            models.UniqueConstraint(
                fields=["component"], condition=Q(state="running"), name="one_open_trial_per_component"
            ),
            models.CheckConstraint(
                condition=Q(state="running", verdict="") | (Q(state="ended") & ~Q(verdict="")),
                name="version_trial_ends_with_a_verdict",
            ),
            models.CheckConstraint(condition=~Q(a=models.F("b")), name="version_trial_of_two_versions"),
        ]

    def __str__(self) -> str:
        return f"trial {self.pk} of {self.a} and {self.b}"

    @property
    def is_live(self) -> bool:
        """Whether new goals or requests are its cases."""
        return self.mode == self.Mode.LIVE

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.state == TrialState.RUNNING


class VersionTrialCase(models.Model):
    """A goal, or an answer of a model, that chance gave to one of both versions of a live trial.

    `worked` is null until it is known, and stays null where nobody will know, as of a goal that was dropped.
    """

    trial = models.ForeignKey(VersionTrial, on_delete=models.CASCADE, related_name="cases")
    goal = models.ForeignKey(Goal, null=True, on_delete=models.SET_NULL, related_name="+")
    call = models.BigIntegerField(null=True)
    is_b = models.BooleanField()
    worked = models.BooleanField(null=True)
    added_at = models.DateTimeField(auto_now_add=True)
    known_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "goal"], name="version_trial_goal_once"),
            models.UniqueConstraint(fields=["trial", "call"], name="version_trial_call_once"),
        ]

    def __str__(self) -> str:
        return f"case {self.pk} of trial {self.trial_id}"
