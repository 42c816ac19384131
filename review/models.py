"""Decisions and approvals, policies, time limits, what people typed, the journal. Most rows are append-only."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from agents.audit import What
from agents.models import DIGEST_HEX, Goal, HandCommand, IntentPlan, ShadowRun
from review.policy.states import PolicyState
from review.policy.verdict import Action
from review.timing import Limit


class Decision(models.Model):
    """One verdict of a person on one digest, chained to the decision before it.

    `hash` is an HMAC-SHA-256 over this row's content and `previous_hash`, with a key outside the database: a row
    changed or removed later breaks the chain.
    """

    append_only = True

    class Verdict(models.TextChoices):
        APPROVE = "approve"
        REJECT = "reject"
        REQUEST_CHANGES = "request_changes"
        # Other values in a step: a new revision, which is decided in its turn.
        EDIT = "edit"
        # Where a policy asks for two people: what the first one says, what is taken back before the second one came,
        # and what the second one says of a plan that was approved before the policy asked.
        FIRST_APPROVAL = "first_approval"
        WITHDRAW = "withdraw"
        SECOND_APPROVAL = "second_approval"

    intent_plan = models.ForeignKey(IntentPlan, on_delete=models.PROTECT, related_name="decisions")
    digest = models.CharField(max_length=DIGEST_HEX)
    verdict = models.CharField(max_length=16, choices=Verdict.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="decisions")
    via = models.CharField(max_length=8, default="browser")
    comment = models.TextField(blank=True)
    # What else was decided: values that were changed, steps that were left out and why.
    edits = models.JSONField(default=dict, blank=True)
    # The policy that decided in the name of `by`, its owner; null: the person did.
    policy = models.ForeignKey(
        "PolicyVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="decisions"
    )
    at = models.DateTimeField()
    previous_hash = models.CharField(max_length=DIGEST_HEX, blank=True)
    hash = models.CharField(max_length=DIGEST_HEX, unique=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.verdict} by {self.by}"


class Approval(models.Model):
    """What a person allowed to run: one digest, sealed with a key outside the database."""

    append_only = True

    intent_plan = models.OneToOneField(IntentPlan, on_delete=models.PROTECT, related_name="approval")
    decision = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="approval")
    digest = models.CharField(max_length=DIGEST_HEX)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="approvals")
    # Recovery allowed in advance, e.g. {"tries": 3}: further tries of the same approved bytes.
    envelope = models.JSONField(default=dict)
    at = models.DateTimeField()
    mac = models.CharField(max_length=DIGEST_HEX)

    def __str__(self) -> str:
        return f"approval of {self.intent_plan_id} by {self.by}"


class TypedEvent(models.Model):
    """One thing that happened to a command typed by hand, chained to the one before it as decisions are."""

    append_only = True

    what = models.CharField(max_length=16, choices=[(what.value, what.value) for what in What])
    goal = models.ForeignKey(Goal, on_delete=models.PROTECT, related_name="typed_events")
    # Null: refused, so there is no command.
    command = models.ForeignKey(HandCommand, null=True, on_delete=models.PROTECT, related_name="events")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="typed_events")
    text = models.TextField()
    before = models.CharField(max_length=DIGEST_HEX, blank=True)
    after = models.CharField(max_length=DIGEST_HEX, blank=True)
    why = models.TextField(blank=True)
    at = models.DateTimeField()
    previous_hash = models.CharField(max_length=DIGEST_HEX, blank=True)
    hash = models.CharField(max_length=DIGEST_HEX, unique=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.what} by {self.by}"


class AuditEntry(models.Model):
    """One thing that a person did, or tried to: an entry of the journal, chained to the one before it.

    Written by `review.services.journal`, which everything below reaches through `people.journal`.
    """

    append_only = True

    version = models.PositiveSmallIntegerField()
    event = models.CharField(max_length=32)
    # Null: nobody who was logged in, or a command on the server.
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="audit_entries", db_index=False
    )
    # The login name as it was then.
    name = models.CharField(max_length=150, blank=True)
    # A kind and an id, as in "goal:12".
    subject = models.CharField(max_length=200)
    data = models.JSONField(default=dict)
    at = models.DateTimeField()
    previous_hash = models.CharField(max_length=DIGEST_HEX, blank=True)
    hash = models.CharField(max_length=DIGEST_HEX, unique=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["by", "-id"], name="audit_by_newest"),
            models.Index(fields=["event", "-id"], name="audit_event_newest"),
            models.Index(fields=["subject", "-id"], name="audit_subject_newest"),
            models.Index(fields=["at"], name="audit_at"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.subject}"


class TimeLimit(models.Model):
    """How long plans of a priority may wait for a decision. It holds for plans that come into the queue from now on."""

    # Null: every priority.
    priority = models.PositiveSmallIntegerField(null=True, blank=True, help_text="1 to 5; empty: every priority")
    minutes = models.PositiveIntegerField(help_text="From when a plan entered the queue; 1 to 525,600.")
    escalate_percent = models.PositiveSmallIntegerField(
        default=50, help_text="After this share of the time the plan is marked as urgent; 100: never."
    )
    to_manual = models.BooleanField(
        default=False, help_text="When the time is over the goal asks for a hand; otherwise it is dropped."
    )
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["priority"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(priority__isnull=True) | models.Q(priority__range=(1, 5)),
                name="time_limit_priority_1_to_5",
                violation_error_message="A priority is a number from 1 to 5.",
            ),
            models.CheckConstraint(
                condition=models.Q(minutes__range=(1, 525_600)),
                name="time_limit_minutes",
                violation_error_message="From one minute to a year.",
            ),
            models.CheckConstraint(
                condition=models.Q(escalate_percent__range=(1, 100)),
                name="time_limit_share",
                violation_error_message="A share is 1 to 100 per cent.",
            ),
            models.UniqueConstraint(
                fields=["priority"],
                nulls_distinct=False,
                name="one_time_limit_per_priority",
                violation_error_message="There is a limit for this priority already; change that one.",
            ),
        ]

    def __str__(self) -> str:
        return f"priority {self.priority}" if self.priority else "every priority"

    def as_limit(self) -> Limit:
        """As the pure core takes it."""
        return Limit(self.priority, self.minutes, self.escalate_percent, self.changed_at, self.to_manual)


class ReviewClock(models.Model):
    """Until when a plan may wait, as it was when it got its clock. The moments are null once it waits no more."""

    intent_plan = models.OneToOneField(IntentPlan, on_delete=models.CASCADE, related_name="clock")
    minutes = models.PositiveIntegerField()
    extended_min = models.PositiveIntegerField(default=0)
    escalate_at = models.DateTimeField(null=True)
    escalated_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    to_manual = models.BooleanField(default=False)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], condition=models.Q(due_at__isnull=False), name="review_clock_due"),
            models.Index(
                fields=["escalate_at"],
                condition=models.Q(escalate_at__isnull=False, escalated_at__isnull=True),
                name="review_clock_escalate",
            ),
        ]

    def __str__(self) -> str:
        return f"clock of {self.intent_plan_id}"


class PlanRisk(models.Model):
    """The risk of a plan as it was last worked out: when it was proposed, and again after its shadow run.

    `rank` orders a queue (0 is looked at first); `steps` holds each step's level, reasons and share of failures.
    `shadow_run` is the newest run that it knows of, which also says that policies have looked at that run.
    """

    intent_plan = models.OneToOneField(IntentPlan, on_delete=models.CASCADE, related_name="risk", primary_key=True)
    level = models.CharField(max_length=8)
    rank = models.PositiveSmallIntegerField()
    reasons = models.JSONField(default=list)
    steps = models.JSONField(default=list)
    # How often plans of the same rule failed; null when no rule made it.
    rule = models.JSONField(null=True, blank=True)
    shadow_run = models.ForeignKey(ShadowRun, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(level="high", rank=0)
                | models.Q(level="unknown", rank=1)
                | models.Q(level="medium", rank=2)
                | models.Q(level="low", rank=3),
                name="plan_risk_rank_of_its_level",
            )
        ]

    def __str__(self) -> str:
        return f"{self.level} risk of {self.intent_plan_id}"


class ReviewPolicy(models.Model):
    """A policy by its name: which version counts, and whether it is in force. What it says stands in its versions."""

    name = models.CharField(max_length=120, unique=True)
    state = models.CharField(max_length=12, default=PolicyState.DRAFT.value)
    reason = models.TextField(blank=True)
    # The number of its newest version, which is the one that counts.
    number = models.PositiveIntegerField(default=1)
    # The version that was last replayed on history, and what it would have decided otherwise than people did.
    replayed = models.PositiveIntegerField(default=0)
    replay = models.JSONField(default=dict, blank=True)
    # Outcomes of plans that it approved before this moment do not suspend it: a person has looked at them.
    enabled_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(state="enabled") | models.Q(replayed=models.F("number")),
                name="policy_is_replayed_before_it_is_enabled",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=[state.value for state in PolicyState]), name="policy_state_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PolicyVersion(models.Model):
    """What a policy says, once and for all: a change is a new version. `owner` answers for what it approves."""

    append_only = True

    policy = models.ForeignKey(ReviewPolicy, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    action = models.CharField(max_length=16, choices=[(action.value, action.value) for action in Action])
    conditions = models.JSONField(default=dict)
    # Only of one that approves: so many plans a day, until when, and how many in a hundred go to a person all the same.
    budget = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField(null=True, blank=True)
    sampling_percent = models.PositiveSmallIntegerField(default=0)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="policy_versions")
    note = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["policy", "number"], name="policy_version_once"),
            models.CheckConstraint(
                condition=~models.Q(action="auto_approve") | models.Q(budget__gte=1, expires_at__isnull=False),
                name="approving_policy_has_budget_and_end",
            ),
            models.CheckConstraint(
                condition=models.Q(sampling_percent__range=(0, 100)), name="policy_sampling_in_a_hundred"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.policy} {self.number}"


class PolicyDay(models.Model):
    """How many plans a policy approved on one day (UTC): the row on which two sweepers meet."""

    policy = models.ForeignKey(ReviewPolicy, on_delete=models.CASCADE, related_name="days")
    day = models.DateField()
    used = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["policy", "day"], name="policy_day_once")]

    def __str__(self) -> str:
        return f"{self.policy} {self.day}: {self.used}"


class PolicyChange(models.Model):
    """Who changed what of a policy, and when: its history, kept."""

    append_only = True

    policy = models.ForeignKey(ReviewPolicy, on_delete=models.PROTECT, related_name="changes")
    # Null: mindX itself suspended it.
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    event = models.CharField(max_length=24)
    data = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.event} {self.policy}"


class PolicyEvaluation(models.Model):
    """What all policies came to for one plan at one moment; `fired` names version, condition and step of each."""

    append_only = True

    class Moment(models.TextChoices):
        SHADOW = "shadow"
        APPROVE = "approve"
        CLAIM = "claim"

    intent_plan = models.ForeignKey(IntentPlan, on_delete=models.CASCADE, related_name="policy_evaluations")
    moment = models.CharField(max_length=8, choices=Moment.choices)
    # "" when no policy spoke.
    action = models.CharField(max_length=16, blank=True)
    version = models.ForeignKey(PolicyVersion, null=True, on_delete=models.PROTECT, related_name="evaluations")
    fired = models.JSONField(default=list)
    declined = models.JSONField(default=list)
    # What became of it, where the verdict alone does not say: sampled for a person, over the budget, refused.
    outcome = models.TextField(blank=True)
    is_sample = models.BooleanField(default=False)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.moment}: {self.action or 'a person decides'}"


class HeldDecision(models.Model):
    """A decision of the browser that can still be taken back. It becomes a `Decision` when its time has come.

    `ruling` is all that was decided (`review.services.ruling`). `dropped` says why it never took effect; the row then
    stays until its person has read that.
    """

    intent_plan = models.ForeignKey(IntentPlan, on_delete=models.CASCADE, related_name="held")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="held_decisions")
    digest = models.CharField(max_length=DIGEST_HEX)
    verdict = models.CharField(max_length=16)
    ruling = models.JSONField()
    made_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField()
    dropped = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["intent_plan"], condition=Q(dropped=""), name="one_held_decision_per_plan")
        ]
        indexes = [models.Index(fields=["due_at"], condition=Q(dropped=""), name="held_decision_due")]

    def __str__(self) -> str:
        return f"{self.verdict} by {self.by}, held"

    @property
    def seconds_left(self) -> int:
        """Whole seconds until it takes effect; one when that may be any moment."""
        return max(1, round((self.due_at - timezone.now()).total_seconds()))

    @property
    def look_again_s(self) -> int:
        """When an open page should ask what became of it: the sweep comes once a second."""
        return self.seconds_left + 1

    @property
    def words(self) -> str:
        """What takes effect."""
        verb = {"approve": "approved", "reject": "rejected", "request-changes": "sent back"}[self.verdict]
        if steps := self.ruling.get("intents"):
            return f"Steps {', '.join(map(str, steps))} of plan {self.intent_plan_id} are {verb}"
        return f"Plan {self.intent_plan_id} is {verb}"


class Comment(models.Model):
    """A reviewer's words on a plan; they reach the planner and the log."""

    class State(models.TextChoices):
        OPEN = "open"
        ADDRESSED = "addressed"
        STALE = "stale"

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="comments")
    intent_plan = models.ForeignKey(IntentPlan, on_delete=models.CASCADE, related_name="comments")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="comments")
    text = models.TextField()
    state = models.CharField(max_length=12, choices=State.choices, default=State.OPEN)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text[:60]


class NoticeKind(models.TextChoices):
    """What somebody is told of."""

    AWAITS = "awaits", "a plan waits for my decision"
    URGENT = "urgent", "a plan's time is running out"
    EXPIRED = "expired", "nobody decided in time"
    OUTCOME = "outcome", "how a plan ended that I decided or asked for"


class PlanTold(models.Model):
    """What people have been told of a plan already, so that nobody is told twice."""

    intent_plan = models.OneToOneField(IntentPlan, on_delete=models.CASCADE, related_name="told")
    urgent_at = models.DateTimeField(null=True)
    end_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["id"], condition=models.Q(end_at__isnull=True), name="plan_told_open")]

    def __str__(self) -> str:
        return f"told of {self.intent_plan_id}"


class Notice(models.Model):
    """One thing that one person is told; `text` never holds arguments, paths or output."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=8, choices=NoticeKind.choices)
    intent_plan = models.ForeignKey(IntentPlan, on_delete=models.CASCADE, related_name="notices")
    text = models.TextField()
    at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["user", "kind", "intent_plan"], name="notice_once")]
        indexes = [
            models.Index(fields=["user", "-id"], name="notice_newest"),
            models.Index(fields=["user"], condition=models.Q(read_at__isnull=True), name="notice_unread"),
        ]

    def __str__(self) -> str:
        return self.text


class NoticeChoice(models.Model):
    """What a person gets besides the list of notices. Without a row: nothing."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_choice")
    email_kinds = ArrayField(models.CharField(max_length=8), default=list, blank=True)
    apprise_kinds = ArrayField(models.CharField(max_length=8), default=list, blank=True)
    # A secret: it is asked for, never shown, logged or audited.
    apprise_address = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"choice of {self.user_id}"


class Delivery(models.Model):
    """A notice on its way to where somebody reads it outside of mindX."""

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
