"""Runs of modular agents: every step is a row with the state that it left, and nothing of it is ever rewritten."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from agents.models.actors import Agent
from agents.models.common import DIGEST_HEX, one_of
from agents.models.goals import Goal
from agents.models.leased import LastingWork
from agents.models.workspaces import Workspace
from agents.states import MODULAR_RUN_MOVES, ModularRunState


class ModularRun(LastingWork):
    """A task that a modular agent works on, for a person and with that person's rights. Its lease is its own.

    `at_step` is the step whose state it goes on from; `stop_at` the step after which it pauses, null: none. Whoever
    moves it to another state or other files seals it; steps and nodes are only ever added, so the state is what it was.
    """

    sealed = ("by_id", "agent_id", "workspace_id", "task", "at_step")
    acted_on = ~Q(state=ModularRunState.ENDED.value)
    moves = MODULAR_RUN_MOVES
    free, given_up, lost_most = ModularRunState.READY, ModularRunState.PAUSED, 6
    is_sealed_when_asked = True

    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+")
    # Where it works now: a branch goes on in a copy.
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    task = models.TextField()
    # The names of its modules, joined: what statistics compare.
    modules = models.CharField(max_length=300)
    state = models.CharField(max_length=16, default=ModularRunState.READY.value)
    at_step = models.PositiveIntegerField(default=1)
    stop_at = models.PositiveIntegerField(null=True, blank=True)
    # Empty, `achieved` or `limit`, as its present state says.
    outcome = models.CharField(max_length=16, blank=True)
    submission_key = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("state", ModularRunState, "modular_run_state_known"),
            models.UniqueConstraint(
                fields=["by", "submission_key"], condition=~Q(submission_key=""), name="modular_run_submitted_once"
            ),
        ]
        indexes = [models.Index(fields=["state", "id"], name="modular_run_state_oldest")]

    def __str__(self) -> str:
        return f"modular run {self.pk}"

    def get_absolute_url(self) -> str:
        """Its page."""
        return reverse("modular-run", args=[self.pk])

    def gives_up(self) -> dict[str, Any]:
        """A person who lets it go on begins to count anew."""
        return {"lost_workers": 0}


class ModularStep(models.Model):
    """One state of a run: after a step, or as a person edited it. `head` is the state without its nodes.

    `parent` is the number of the step whose state it was made from: a branch has another one than the step before.
    `answers` are what the step was told by models, tools and people, by which it can be done again. `now` is the moment
    that its module saw. `snapshot` are the files that the next step finds.
    """

    append_only = True

    class Kind(models.TextChoices):
        START = "start"
        STEP = "step"
        EDIT = "edit"

    run = models.ForeignKey(ModularRun, on_delete=models.CASCADE, related_name="steps", db_index=False)
    number = models.PositiveIntegerField()
    parent = models.PositiveIntegerField(null=True, blank=True)
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.STEP)
    module_type = models.CharField(max_length=16, blank=True)
    module = models.CharField(max_length=64, blank=True)
    head = models.JSONField()
    answers = models.JSONField(default=dict)
    now = models.CharField(max_length=40)
    # Nodes up to this number are there in its state.
    last_node = models.PositiveIntegerField(default=0)
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    snapshot = models.CharField(max_length=DIGEST_HEX)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="modular_step_once")]

    def __str__(self) -> str:
        return f"step {self.number} of run {self.run_id}"


class ModularNode(models.Model):
    """A node of a run's tree, as `agents.bdi.modular.document` writes it. Steps of all branches share one tree."""

    append_only = True

    run = models.ForeignKey(ModularRun, on_delete=models.CASCADE, related_name="nodes", db_index=False)
    number = models.PositiveIntegerField()
    # The step that added it.
    step = models.PositiveIntegerField()
    data = models.JSONField()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="modular_node_once")]

    def __str__(self) -> str:
        return f"node {self.number} of run {self.run_id}"


class ModularWant(models.Model):
    """Something that a step under way wants: a model's answer, a call of a tool, a person's choice. Answered once.

    Sealed when it is asked for and when it is answered: calls are made of it, and the next step is made of its answer.
    """

    sealed = ("run_id", "step", "key", "kind", "args", "answer", "by_id", "goal_id")
    acted_on = Q(step=F("run__at_step") + 1) & ~Q(run__state=ModularRunState.ENDED.value)

    run = models.ForeignKey(ModularRun, on_delete=models.CASCADE, related_name="wants", db_index=False)
    # The step that it is wanted for, and its name in there.
    step = models.PositiveIntegerField()
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=16)
    args = models.JSONField()
    answer = models.JSONField(null=True, blank=True)
    # The goal whose end answers a call.
    goal = models.ForeignKey(Goal, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "step", "key"], name="modular_want_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key} for step {self.step} of run {self.run_id}"
