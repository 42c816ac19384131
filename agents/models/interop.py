"""Agents of other systems: goals that they submitted, and those that mindX may ask."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models.common import one_of
from agents.models.goals import Goal
from agents.models.leased import AskedWork
from agents.states import AskedState
from library.models import ComponentVersion


class AgentTask(models.Model):
    """A goal as another system knows it: under an id that tells nothing, in a context."""

    append_only = True

    code = models.CharField(max_length=32, unique=True)
    goal = models.OneToOneField(Goal, on_delete=models.PROTECT, related_name="agent_task")
    context = models.CharField(max_length=150)
    # The client's id of the message that made it.
    message = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["context", "-id"], name="agent_task_context")]

    def __str__(self) -> str:
        return f"task {self.code} of goal {self.goal_id}"


class ForeignAgent(models.Model):
    """An agent elsewhere, as its card describes it: all of that is a stranger's text.

    It is asked by a tool of its own (`tool`), which nothing uses until a person has activated it.
    """

    name = models.CharField(max_length=30, unique=True)
    card_url = models.CharField(max_length=2_000)
    endpoint = models.CharField(max_length=2_000)
    card = models.JSONField()
    # SHA-256 of the card as it was read.
    card_digest = models.CharField(max_length=64)
    tool = models.CharField(max_length=40, unique=True)
    registered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="foreign_agents")
    registered_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class CardReading(AskedWork):
    """A card that a worker is to read, for a person. Once that has ended, `agent` is whose it was, null where it could
    not be read, and `version` what its tool would be from then on.
    """

    sealed = ("by_id", "address")
    acted_on = ~models.Q(state=AskedState.ENDED.value)

    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    address = models.CharField(max_length=2_000)
    reason = models.TextField(blank=True)
    agent = models.ForeignKey(ForeignAgent, null=True, on_delete=models.CASCADE, related_name="+")
    version = models.ForeignKey(ComponentVersion, null=True, on_delete=models.SET_NULL, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [one_of("state", AskedState, "card_reading_state_known")]
        indexes = [
            models.Index(fields=["id"], condition=models.Q(state__in=["waiting", "running"]), name="card_reading_open")
        ]

    def __str__(self) -> str:
        return f"reading {self.pk} of {self.address}"

    @property
    def is_open(self) -> bool:
        """Whether a worker has yet to end it."""
        return self.state != AskedState.ENDED
