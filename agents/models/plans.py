"""Plans, what is approved of them, and their trial in a copy."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from agents.models.common import DIGEST_HEX, one_of
from agents.models.goals import Goal
from agents.models.leased import LeasedWork
from agents.models.workspaces import Workspace
from agents.states import SHADOW_MOVES, PlanState, ShadowState


class Plan(models.Model):
    """Steps as proposed, with the evidence they stand on."""

    append_only = True

    class Source(models.TextChoices):
        RULE = "rule"
        MODEL = "model"
        PERSON = "person"
        RECOVERY = "recovery"
        UNDERSTANDING = "understanding"

    # Here and below, the index on goal and number is its index.
    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="plans", db_index=False)
    number = models.PositiveIntegerField()
    source = models.CharField(max_length=16, choices=Source.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    steps = models.JSONField()
    evidence = models.JSONField(default=dict)
    problems = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["goal", "number"], name="plan_number_once_per_goal")]

    def __str__(self) -> str:
        return f"plan {self.number} of goal {self.goal_id}"


# The states of plans of which something is still to come.
_OPEN = (PlanState.AWAITING_REVIEW.value, PlanState.APPROVED.value, PlanState.EXECUTING.value)


class IntentPlan(models.Model):
    """One immutable, fully bound revision of a plan: what people review and workers execute.

    `document` is canonical JSON (RFC 8785) and `digest` its SHA-256 in hex; a trigger forbids changing either.
    Fence, cancel flag, approved digest and position stand on this row, so that one conditional update decides.
    That the state is one of the table's, the digest a SHA-256 and what runs what was approved is checked by a trigger
    too (migration 0002), which runs when one of them is written: a check of the table would run at every step.
    It is sealed when it is proposed: no policy approves a plan that mindX did not propose.
    """

    sealed = ("goal_id", "plan_id", "workspace_id", "revision", "digest")
    acted_on = Q(state__in=_OPEN)

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="intent_plans", db_index=False)
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="intent_plans")
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="intent_plans")
    revision = models.IntegerField()
    document = models.BinaryField()
    digest = models.CharField(max_length=DIGEST_HEX)
    state = models.CharField(max_length=16, default=PlanState.AWAITING_REVIEW.value)
    reason = models.TextField(blank=True)
    # The intent the executor is at, from 1; one past the last when all have been done.
    position = models.IntegerField(default=1)
    # Why the plan is being aborted; while set, only clean-up steps run.
    aborting = models.TextField(blank=True)
    # Files whose content its main steps would put other content over, as they stood when it was proposed.
    replaces = models.JSONField(default=list, blank=True)
    fence = models.BigIntegerField(default=0)
    approved_digest = models.CharField(max_length=DIGEST_HEX, blank=True)
    cancel_requested = models.BooleanField(default=False)
    # The steps of the revision before that were not approved: {position, tool, command, params, sentence, reason, by}.
    left_out = models.JSONField(default=list, blank=True)
    # What becomes of them when this plan is complete: "plan_again", or "drop".
    rest = models.CharField(max_length=12, default="drop")
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    # What its document's checks showed when it was complete (`agents.bdi.outcome.outcome.CheckResult`); null: not
    # looked at.
    check_results = models.JSONField(null=True, blank=True)
    # How firmly its agent holds on, as it was read when a worker took it up; no column.
    commitment = ""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["goal", "revision"], name="intent_plan_revision_once_per_goal"),
            models.UniqueConstraint(
                fields=["workspace"], condition=Q(state="executing"), name="one_running_plan_per_workspace"
            ),
            models.UniqueConstraint(
                fields=["goal"],
                condition=Q(state__in=["awaiting_review", "approved", "executing"]),
                name="one_open_intent_plan_per_goal",
            ),
        ]
        indexes = [models.Index(fields=["state", "id"], name="intent_plan_state_oldest")]

    def __str__(self) -> str:
        return f"intent plan {self.pk}"

    def get_absolute_url(self) -> str:
        """The page on which it is reviewed."""
        return reverse("review-plan", args=[self.pk])

    @property
    def has_missed(self) -> bool:
        """Whether every step of it ran and what its goal asked for did not come about."""
        return self.state == PlanState.COMPLETE and self.goal.has_missed


class ShadowRun(LeasedWork):
    """A plan tried in a throw-away copy of its workspace, so that people see what it does before they decide.

    `base` is the snapshot it started from and `after` the one it came to; `findings` says what each main step proved
    (`agents.bdi.forecast.shadow.Finding`). Its lease is its own: it never keeps the plan itself from running. The
    worker that did it seals what it found, by which policies approve.
    """

    sealed = ("intent_plan_id", "number", "state", "base", "after", "findings")
    acted_on = Q(state=ShadowState.DONE.value, intent_plan__state__in=_OPEN)
    moves = SHADOW_MOVES
    free, given_up = ShadowState.WAITING, ShadowState.IMPOSSIBLE

    intent_plan = models.ForeignKey(IntentPlan, on_delete=models.CASCADE, related_name="shadow_runs")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=16, default=ShadowState.WAITING.value)
    base = models.CharField(max_length=DIGEST_HEX, blank=True)
    after = models.CharField(max_length=DIGEST_HEX, blank=True)
    findings = models.JSONField(default=list)
    # What went otherwise when the plan really ran: sentences, and paths that differ. Null until that is known.
    surprises = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            one_of("state", ShadowState, "shadow_run_state_known"),
            models.UniqueConstraint(fields=["intent_plan", "number"], name="shadow_run_number_once_per_plan"),
            models.UniqueConstraint(
                fields=["intent_plan"], condition=Q(state__in=["waiting", "running"]), name="one_open_shadow_run"
            ),
        ]
        indexes = [models.Index(fields=["id"], condition=Q(state__in=["waiting", "running"]), name="shadow_run_open")]

    def __str__(self) -> str:
        return f"dry run {self.number} of intent plan {self.intent_plan_id}"
