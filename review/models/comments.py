"""What people say and ask about a plan, and how often a goal's plan may be sent back."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models import Agent, Goal, IntentPlan

ANCHOR_LENGTH = 300


class Comment(models.Model):
    """A person's words about a plan, one of its steps or one of its arguments: a note, or a question.

    Open notes go to the planner and the log with the next decision. `anchor` is its place in the revision where it was
    written, `anchor_now` the same place in the newest revision that it was carried to (`review.reading.anchors`).
    """

    class Kind(models.TextChoices):
        NOTE = "note"
        QUESTION = "question"

    class State(models.TextChoices):
        OPEN = "open"
        # A later revision changed what it is about; for a question: somebody answered.
        ADDRESSED = "addressed"
        # What it is about is gone.
        STALE = "stale"
        # Its writer resolved it.
        RESOLVED = "resolved"

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="comments")
    intent_plan = models.ForeignKey(IntentPlan, on_delete=models.CASCADE, related_name="comments")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="comments")
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.NOTE)
    text = models.TextField()
    anchor = models.CharField(max_length=ANCHOR_LENGTH, blank=True)
    # What the anchor named when it was written, in words: step numbers change from revision to revision.
    about = models.TextField(blank=True)
    state = models.CharField(max_length=12, choices=State.choices, default=State.OPEN)
    anchor_now = models.CharField(max_length=ANCHOR_LENGTH, blank=True)
    # The revision of `anchor_now`, and the one that addressed it or removed its place.
    revision_now = models.PositiveIntegerField(default=0)
    settled_in = models.PositiveIntegerField(null=True, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=["open", "addressed", "stale", "resolved"]), name="comment_state_known"
            ),
            models.CheckConstraint(condition=~models.Q(text=""), name="comment_text_not_empty"),
        ]
        indexes = [
            models.Index(
                fields=["goal"], condition=models.Q(kind="question", state="open"), name="comment_open_question"
            )
        ]

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def is_question(self) -> bool:
        """True for a question, which a change of the plan does not answer."""
        return self.kind == self.Kind.QUESTION

    @property
    def state_words(self) -> str:
        """Its state as people say it."""
        if self.is_question and self.state == self.State.ADDRESSED:
            return "answered"
        done = {"addressed": "addressed in", "stale": "outdated since"}.get(self.state)
        return f"{done} r{self.settled_in}" if done and self.settled_in else self.state


class Answer(models.Model):
    """What somebody answered to a question about a plan. It stays as it was written."""

    append_only = True

    question = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="answers")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="answers")
    text = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.CheckConstraint(condition=~models.Q(text=""), name="answer_text_not_empty")]

    def __str__(self) -> str:
        return self.text[:60]


class RoundLimit(models.Model):
    """How often a goal's plan may be sent back before a person must write it, for an agent."""

    # Null: every agent.
    agent = models.ForeignKey(Agent, null=True, blank=True, on_delete=models.CASCADE, related_name="round_limits")
    rounds = models.PositiveSmallIntegerField(help_text="1 to 50 requests for changes of one goal.")

    class Meta:
        ordering = ["agent"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(rounds__range=(1, 50)),
                name="round_limit_1_to_50",
                violation_error_message="From 1 to 50 rounds.",
            ),
            models.UniqueConstraint(
                fields=["agent"],
                nulls_distinct=False,
                name="one_round_limit_per_agent",
                violation_error_message="There is a limit for this agent already; change that one.",
            ),
        ]

    def __str__(self) -> str:
        return str(self.agent) if self.agent else "every agent"
