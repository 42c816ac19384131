"""Runs of modular agents, a row for each step, and the answers that steps were given."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from agents.models.actors import Agent
from agents.models.common import DIGEST_HEX, one_of
from agents.models.workspaces import Workspace
from agents.states import ModularState


class ModularRun(models.Model):
    """A run of a modular agent, from its start or as a branch of another run. Its lease is its own.

    `head` is the number of its newest step, from 0. `waits_for` lists what its next step wants, {key, kind, args}.
    `until`: it pauses after this step; null: it goes on to its end.
    """

    task = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+")
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    # The run and the step that it branched from; null: it began anew.
    root = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    base = models.ForeignKey("agents.ModularStep", null=True, on_delete=models.PROTECT, related_name="branches")
    # What a person changed in that step's state, as a sentence.
    edit = models.TextField(blank=True)
    state = models.CharField(max_length=16, default=ModularState.READY.value)
    reason = models.TextField(blank=True)
    head = models.PositiveIntegerField()
    until = models.PositiveIntegerField(null=True, blank=True)
    waits_for = models.JSONField(default=list, blank=True)
    lease_owner = models.CharField(max_length=120, blank=True)
    lease_fence = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [one_of("state", ModularState, "modular_run_state_known")]
        indexes = [
            models.Index(
                fields=["id"], condition=Q(state__in=["ready", "running", "waiting"]), name="modular_run_moving"
            )
        ]

    def __str__(self) -> str:
        return f"modular run {self.pk}"

    def get_absolute_url(self) -> str:
        """Its page."""
        return reverse("modular-run", args=[self.pk])

    @property
    def family(self) -> int:
        """The id of the run that all its branches go back to."""
        return self.root_id or self.pk


class ModularStep(models.Model):
    """The state after a step: the nodes that it added, and all of the state beside the nodes. Never rewritten.

    Of a branch the first step holds what a person changed. `now` is the moment that the module was told.
    """

    append_only = True

    run = models.ForeignKey(ModularRun, on_delete=models.PROTECT, related_name="steps")
    number = models.PositiveIntegerField()
    module_type = models.CharField(max_length=16)
    module = models.CharField(max_length=120)
    added = models.JSONField(default=list)
    document = models.JSONField()
    snapshot = models.CharField(max_length=DIGEST_HEX)
    now = models.CharField(max_length=40)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="modular_step_once")]

    def __str__(self) -> str:
        return f"step {self.number} of modular run {self.run_id}"


class ModularAnswer(models.Model):
    """The answer to something that a step wanted, kept as soon as it is there, so that a step done again finds it."""

    append_only = True

    run = models.ForeignKey(ModularRun, on_delete=models.PROTECT, related_name="answers")
    # The step that it is for.
    number = models.PositiveIntegerField()
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=16)
    answer = models.JSONField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "number", "key"], name="modular_answer_once")]

    def __str__(self) -> str:
        return f"{self.key} of step {self.number} of modular run {self.run_id}"


class ModularCall(models.Model):
    """The goal of a call that a step wants: its end wakes the run."""

    append_only = True

    run = models.ForeignKey(ModularRun, on_delete=models.PROTECT, related_name="calls")
    number = models.PositiveIntegerField()
    key = models.CharField(max_length=120)
    goal = models.OneToOneField("agents.Goal", on_delete=models.PROTECT, related_name="modular_call")

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "number", "key"], name="modular_call_once")]

    def __str__(self) -> str:
        return f"call {self.key} of step {self.number} of modular run {self.run_id}"
