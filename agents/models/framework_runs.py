"""Agents of other frameworks at work on goals: how far each has come, and what it called."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from agents.models.goals import Goal
from agents.toolkit.frameworks import FRAMEWORKS


class FrameworkRun(models.Model):
    """The work of a framework's agent on a goal. Its state is the goal's; it is changed only under the goal's lease.

    Sealed whenever it stands still: it goes on only from where it stood.
    """

    sealed = ("goal_id", "framework", "turn", "checkpoint", "answer")
    acted_on = Q(goal__ended_at=None)

    goal = models.OneToOneField(Goal, on_delete=models.CASCADE, related_name="framework_run")
    # The agent's when it began: one that is changed meanwhile could not read the checkpoint.
    framework = models.CharField(max_length=32)
    # How often the run has stood still to wait for calls, and all that the framework needs to go on from there.
    turn = models.PositiveIntegerField(default=0)
    checkpoint = models.JSONField(null=True)
    # What it has taken of its limits: questions to its model, tokens, and seconds at work.
    steps = models.PositiveIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)
    worked_s = models.FloatField(default=0.0)
    # Its last words. A model wrote them.
    answer = models.TextField(blank=True)
    began_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(framework__in=[name for name in FRAMEWORKS if name != "mindx"]),
                name="framework_run_framework_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.framework} at work on goal {self.goal_id}"


class FrameworkCall(models.Model):
    """A tool that a framework's agent called in one of its turns. Nothing but its goal ever runs, and that is made
    only of a call that is sealed.
    """

    sealed = ("run_id", "run__goal_id", "position", "turn", "call_id", "name", "params", "why")
    acted_on = Q(goal=None, refused="", run__goal__ended_at=None)

    run = models.ForeignKey(FrameworkRun, on_delete=models.CASCADE, related_name="calls", db_index=False)
    position = models.PositiveIntegerField()
    turn = models.PositiveIntegerField()
    # The framework's own id of the call, and the name it called.
    call_id = models.TextField()
    name = models.TextField()
    params = models.JSONField(default=dict)
    why = models.TextField(blank=True)
    # The goal whose plan is this call; null: not yet, or it could not become one, and `refused` says why.
    goal = models.OneToOneField(Goal, null=True, on_delete=models.CASCADE, related_name="framework_call")
    refused = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="framework_call_once"),
            models.CheckConstraint(
                condition=Q(goal__isnull=True) | Q(refused=""), name="framework_call_goal_or_refusal"
            ),
        ]

    def __str__(self) -> str:
        return f"call {self.position} of {self.run_id}: {self.name}"
