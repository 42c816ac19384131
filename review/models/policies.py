"""The risk of plans, policies, and their verdicts."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models import IntentPlan, ShadowRun
from review.policy.states import PolicyState
from review.policy.verdict import Action
from review.reading.danger import DUE, Danger, Told


class PlanRisk(models.Model):
    """The risk of a plan as last worked out: when it was proposed, and again after its dry run.

    `rank` orders the queue (0 comes first); `steps` has each step's level, reasons and share of failures, and `trial`
    the result of the dry run, for lists (`review.reading.outcomes.Trial`); `danger` is its danger sentence
    (`review.reading.danger.Told`), null before that has been worked out. `shadow_run` is the newest run that was
    considered, also by policies.
    """

    intent_plan = models.OneToOneField(IntentPlan, on_delete=models.CASCADE, related_name="risk", primary_key=True)
    level = models.CharField(max_length=8)
    rank = models.PositiveSmallIntegerField()
    reasons = models.JSONField(default=list)
    steps = models.JSONField(default=list)
    # How often plans of the same rule failed; null when no rule made it.
    rule = models.JSONField(null=True, blank=True)
    # {"level", "reasons"} of what runs only after a failure; null when nothing does.
    after_failure = models.JSONField(null=True, blank=True)
    trial = models.JSONField(null=True, blank=True)
    danger = models.JSONField(null=True, blank=True)
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

    @property
    def told(self) -> Told:
        """Its danger sentence."""
        found = self.danger or {"kind": Danger.UNKNOWN, "sentence": DUE[:1].upper() + DUE[1:], "is_due": True}
        return Told(Danger(found["kind"]), found["sentence"], found["is_due"])


class ReviewPolicy(models.Model):
    """A policy: its name, its current version, and whether it is enabled. Its content is in its versions.

    Both are sealed when a person changes them, because workers approve in its owner's name.
    """

    sealed = ("name", "state", "number", "enabled_at", "looked_at")
    acted_on = models.Q()

    name = models.CharField(max_length=120, unique=True)
    state = models.CharField(max_length=12, default=PolicyState.DRAFT.value)
    reason = models.TextField(blank=True)
    # The number of its newest version, which is the one that applies.
    number = models.PositiveIntegerField(default=1)
    # The version that was last replayed on history, and where it would have decided differently from people.
    replayed = models.PositiveIntegerField(default=0)
    replay = models.JSONField(default=dict, blank=True)
    # Plans that it approved before this moment do not suspend it: a person has seen how they ended.
    enabled_at = models.DateTimeField(null=True, blank=True)
    # Only if it approves: the bodies of made and foreign tools that its owner looked at (`review.policy.bodies`). It
    # approves no other one.
    looked_at = models.JSONField(default=dict, blank=True, db_default={})
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
    """One version of a policy, which never changes. `owner` is responsible for what it approves."""

    append_only = True
    sealed = (
        "policy_id",
        "number",
        "action",
        "conditions",
        "budget",
        "expires_at",
        "sampling_percent",
        "owner_id",
    )
    acted_on = models.Q()

    policy = models.ForeignKey(ReviewPolicy, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    action = models.CharField(max_length=16, choices=[(action.value, action.value) for action in Action])
    conditions = models.JSONField(default=dict)
    # Only if it approves: plans a day, end date, and the percentage that a person still reviews.
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
    """The history of a policy: who changed what, and when."""

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
    """The verdict of all policies on one plan at one moment; `fired` names version, condition and step of each."""

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
    # The result, if the verdict alone does not say it: sampled for a person, over the budget, refused.
    outcome = models.TextField(blank=True)
    is_sample = models.BooleanField(default=False)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.moment}: {self.action or 'a person decides'}"
