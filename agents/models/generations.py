"""What language models were asked for a goal's plan."""

from __future__ import annotations

from django.db import models

from agents.models.goals import Goal
from library.models import ModelCall


class Generation(models.Model):
    """One attempt of a model at a goal's plan: the call that made it, and everything that was wrong with it.

    Prompt, answer, tokens, cost and time stand with the call. `turn` counts the times that the goal was planned by a
    model, `attempt` the calls within one of them: 1 is the plan, the others are repairs.
    """

    append_only = True

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="generations")
    turn = models.PositiveIntegerField()
    attempt = models.PositiveIntegerField()
    call = models.ForeignKey(ModelCall, on_delete=models.PROTECT, related_name="+")
    # [{position, field, code, message}]; empty: this is the plan.
    problems = models.JSONField(default=list)
    # The model's own word that it cannot.
    cannot = models.TextField(blank=True)
    # Which versions of the firmware the model was told, in words: "general 1.2.0, finance 1.0.0".
    firmware = models.CharField(max_length=200, blank=True, default="", db_default="")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["goal", "turn", "attempt"], name="generation_once")]

    def __str__(self) -> str:
        return f"attempt {self.attempt} at a plan of goal {self.goal_id}"
