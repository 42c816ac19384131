"""Notices, and how they are delivered."""

from __future__ import annotations

import functools
import operator

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from agents.models import Goal, IntentPlan, Lesson, LevelDocument
from review.models.comments import Comment
from review.models.inbox import InboxRequest


class NoticeKind(models.TextChoices):
    """What a notice is about."""

    AWAITS = "awaits", "a plan waits for my decision"
    ASSIGNED = "assigned", "a plan was assigned to me"
    URGENT = "urgent", "a plan's time is running out"
    EXPIRED = "expired", "nobody decided in time"
    OUTCOME = "outcome", "a plan that I decided or asked for has ended"
    QUESTION = "question", "somebody asks me about a plan"
    ANSWER = "answer", "somebody answered what I asked"
    BUDGET = "budget", "a day's budget for language models is used up"
    ERROR = "error", "a goal failed inside mindX"
    LESSON = "lesson", "somebody ended or promoted what I taught"
    INBOX = "inbox", "a program asks in the inbox"


# What a notice may lead to.
ABOUT = ("intent_plan", "level_document", "goal", "lesson", "inbox_request")


def _about_one_of(*names: str) -> models.Q:
    """Exactly one of these is set."""
    cases = (models.Q(**{f"{one}__isnull": one != there for one in names}) for there in names)
    return functools.reduce(operator.or_, cases)


class PlanTold(models.Model):
    """Which notices people got about a plan, so that nobody is told twice."""

    intent_plan = models.OneToOneField(IntentPlan, on_delete=models.CASCADE, related_name="told")
    urgent_at = models.DateTimeField(null=True)
    end_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["id"], condition=models.Q(end_at__isnull=True), name="plan_told_open")]

    def __str__(self) -> str:
        return f"told of {self.intent_plan_id}"


class Notice(models.Model):
    """A notice for one person; `text` never contains arguments, paths or output."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=8, choices=NoticeKind.choices)
    # What it is about: a plan, a design or choice of rules, a goal, a lesson, or a request in the inbox.
    intent_plan = models.ForeignKey(IntentPlan, null=True, on_delete=models.CASCADE, related_name="notices")
    level_document = models.ForeignKey(LevelDocument, null=True, on_delete=models.CASCADE, related_name="notices")
    # A goal that waits for its agent's budget, or failed because of an error in mindX.
    goal = models.ForeignKey(Goal, null=True, on_delete=models.CASCADE, related_name="notices")
    # The version of it that ended it.
    lesson = models.ForeignKey(Lesson, null=True, on_delete=models.CASCADE, related_name="notices")
    # The partial index below is for this: most notices are about something else.
    inbox_request = models.ForeignKey(
        InboxRequest, null=True, on_delete=models.CASCADE, related_name="notices", db_index=False
    )
    # The question that was asked, or answered.
    comment = models.ForeignKey(Comment, null=True, on_delete=models.CASCADE, related_name="notices")
    text = models.TextField()
    at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "kind", "intent_plan"], condition=models.Q(comment__isnull=True), name="notice_once"
            ),
            models.UniqueConstraint(fields=["user", "kind", "comment"], name="comment_notice_once"),
            models.UniqueConstraint(fields=["user", "kind", "level_document"], name="level_notice_once"),
            models.CheckConstraint(condition=_about_one_of(*ABOUT), name="notice_leads_to_one"),
        ]
        indexes = [
            models.Index(fields=["user", "-id"], name="notice_newest"),
            models.Index(fields=["user"], condition=models.Q(read_at__isnull=True), name="notice_unread"),
            models.Index(
                fields=["inbox_request"], condition=models.Q(inbox_request__isnull=False), name="notice_of_inbox"
            ),
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def about(self) -> IntentPlan | LevelDocument | Goal | Lesson | InboxRequest:
        """What it leads to."""
        found = self.intent_plan or self.level_document or self.goal or self.lesson or self.inbox_request
        assert found is not None  # noqa: S101  # a constraint says so
        return found

    @property
    def about_words(self) -> str:
        """What it leads to, in words."""
        if self.level_document is not None:
            return f"{self.level_document.get_kind_display()} of goal {self.level_document.goal_id}"
        if self.goal_id is not None:
            return f"goal {self.goal_id}"
        if self.lesson_id is not None:
            return f"lesson {self.lesson_id}"
        if self.inbox_request_id is not None:
            return f"inbox request {self.inbox_request_id}"
        return f"plan {self.intent_plan_id}"


class NoticeChoice(models.Model):
    """Where a person gets notices besides the list. Without a row that they sealed by saving it: nowhere."""

    sealed = ("user_id", "email_kinds", "apprise_kinds", "apprise_address")
    acted_on = ~models.Q(email_kinds=[], apprise_kinds=[])

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_choice")
    email_kinds = ArrayField(models.CharField(max_length=8), default=list, blank=True)
    apprise_kinds = ArrayField(models.CharField(max_length=8), default=list, blank=True)
    # A secret: it can be entered, but is never shown, logged or audited.
    apprise_address = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"choice of {self.user_id}"


class Delivery(models.Model):
    """A notice on its way to an e-mail or other address, sealed with its text when it is put on its way."""

    sealed = ("notice__user_id", "notice__kind", "notice__text", "channel")
    acted_on = models.Q(state="waiting")

    class Channel(models.TextChoices):
        EMAIL = "email"
        APPRISE = "apprise"

    class State(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        FAILED = "failed"

    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, related_name="deliveries")
    channel = models.CharField(max_length=8, choices=Channel.choices)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    reason = models.CharField(max_length=300, blank=True)
    next_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["notice", "channel"], name="delivery_once")]
        indexes = [models.Index(fields=["next_at"], condition=models.Q(state="waiting"), name="delivery_waiting")]

    def __str__(self) -> str:
        return f"{self.channel} {self.state}"
