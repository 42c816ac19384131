"""What people review before there is a plan: a written design, and the choice of a rule."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from agents.models.common import DIGEST_HEX, one_of
from agents.models.goals import Goal
from agents.states import LEVEL_SETTLED, LevelState


class LevelDocument(models.Model):
    """One version of a goal's design, or one choice of rules, as it is put before reviewers.

    `document` is canonical JSON (`agents.bdi.planning.levels`) and `digest` its SHA-256 in hex; a trigger forbids
    changing either, so what was approved is what was shown. What settles it is sealed with it: planning goes by nothing
    else.
    """

    sealed = ("goal_id", "kind", "number", "digest", "state", "chosen", "decided_by_id")
    acted_on = Q(state__in=sorted(state.value for state in LEVEL_SETTLED))

    class Kind(models.TextChoices):
        DESIGN = "design", "design"
        SELECTION = "selection", "choice of rules"

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="level_documents")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    number = models.PositiveIntegerField()
    document = models.BinaryField()
    digest = models.CharField(max_length=DIGEST_HEX)
    # Who wrote the design; null: the agent chose the rule.
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=16, default=LevelState.AWAITING_REVIEW.value)
    reason = models.TextField(blank=True)
    # Of an approved choice: the version id of the rule to plan with, by the key of its goal (`levels.Choice.key`).
    chosen = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("state", LevelState, "level_state_known"),
            models.CheckConstraint(condition=Q(kind__in=["design", "selection"]), name="level_kind_known"),
            models.CheckConstraint(condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="level_digest_is_sha256"),
            models.UniqueConstraint(fields=["goal", "kind", "number"], name="level_number_once_per_goal"),
            models.UniqueConstraint(
                fields=["goal", "kind"], condition=Q(state="awaiting_review"), name="one_waiting_level_per_goal"
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(state="awaiting_review"), name="level_waiting_oldest"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of goal {self.goal_id}"

    def get_absolute_url(self) -> str:
        """The page on which it is reviewed."""
        return reverse("review-level", args=[self.pk])
