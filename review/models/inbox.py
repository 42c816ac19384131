"""Calls of tools that programs outside of mindX ask people about."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse


class InboxRequest(models.Model):
    """A tool call that another framework wants to make, as it was received. These fields are never rewritten.

    `digest` is the SHA-256 over all that a person is shown; a decision names it. `source` says which program asks and
    `thread` is its own reference, both in its own words. `allowed` are the decisions that it accepts; `answer_schema`
    is the JSON Schema of edited arguments or of a response, null: any. `answer` is the arguments after an edit, or the
    response; `answer_digest` covers decision and answer.

    Sealed when it is received and when it is decided: people decide only what was asked, and the program is told only
    what they decided.
    """

    sealed = (
        "by_id",
        "source",
        "thread",
        "tool",
        "arguments",
        "description",
        "allowed",
        "answer_schema",
        "expires_at",
        "digest",
        "state",
        "decision",
        "answer",
        "answer_digest",
        "reason",
        "decided_by_id",
        "decided_at",
    )
    acted_on = Q(state__in=("waiting", "decided"))

    class State(models.TextChoices):
        """Its state. Only a decision approves anything: an expired request was not approved."""

        WAITING = "waiting"
        DECIDED = "decided"
        EXPIRED = "expired"
        CANCELLED = "cancelled"

    class Decision(models.TextChoices):
        """What a person can decide. To respond is to answer in place of the tool."""

        APPROVE = "approve"
        EDIT = "edit"
        REJECT = "reject"
        RESPOND = "respond"

    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    source = models.CharField(max_length=120)
    thread = models.CharField(max_length=200, blank=True)
    tool = models.CharField(max_length=200)
    arguments = models.JSONField()
    description = models.TextField(blank=True)
    allowed = ArrayField(models.CharField(max_length=8))
    answer_schema = models.JSONField(null=True, blank=True)
    expires_at = models.DateTimeField()
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    state = models.CharField(max_length=12, default=State.WAITING.value)
    decision = models.CharField(max_length=8, blank=True)
    answer = models.JSONField(null=True, blank=True)
    answer_digest = models.CharField(max_length=64, blank=True)
    reason = models.TextField(blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "decided", "expired", "cancelled"]), name="inbox_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state="decided", decided_at__isnull=False, decided_by__isnull=False)
                & Q(decision__in=["approve", "edit", "reject", "respond"])
                | ~Q(state="decided") & Q(decision="", decided_by=None),
                name="inbox_decided_by_somebody",
            ),
        ]
        indexes = [
            models.Index(fields=["expires_at"], condition=Q(state="waiting"), name="inbox_waiting"),
            models.Index(fields=["by", "-id"], name="inbox_of_a_person"),
        ]

    def __str__(self) -> str:
        return f"call of {self.tool[:60]} by {self.source[:60]}"

    def get_absolute_url(self) -> str:
        """Its page."""
        return reverse("inbox-request", args=[self.pk])
