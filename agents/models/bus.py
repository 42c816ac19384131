"""The bus: who can be asked, what each offers, what was asked, and what is logged of both."""

from __future__ import annotations

import math

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Least, Lower
from django.urls import reverse
from pgvector.django import HnswIndex, VectorField

from agents.bdi.bus.routing import Strategy
from agents.models.actors import Agent
from agents.models.common import one_of
from agents.models.goals import Goal
from agents.models.leased import LeasedWork
from agents.models.workspaces import Workspace
from agents.states import REQUEST_ANSWERED, REQUEST_ENDED, REQUEST_MOVES, BreakerState, RequestState
from library.models import DIMENSIONS

# What a member says of its confidence counts as much as so many answers of its record.
CLAIM_COUNTS = 4.0
_ENDED = sorted(state.value for state in REQUEST_ENDED)


class BusMember(models.Model):
    """Somebody who can be asked. A name is registered once, in any case of letters.

    `description_embedding` is of the description, `offer_embedding` of what it offers; null: not embedded yet, retried.
    """

    class Kind(models.TextChoices):
        AGENT = "agent"
        TOOL = "tool"
        # A part of mindX that answers within a worker and only reads.
        SYSTEM = "system"
        # An agent elsewhere.
        FOREIGN = "foreign"

    class Status(models.TextChoices):
        ACTIVE = "active"
        RETIRED = "retired"

    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=16, choices=Kind.choices)
    description = models.TextField(blank=True)
    # Its capabilities in words, kept for searches.
    offer = models.TextField(blank=True)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.ACTIVE)
    # The agent of mindX that it is.
    agent = models.OneToOneField(Agent, null=True, blank=True, on_delete=models.PROTECT, related_name="bus_member")
    # Null: mindX registered it by itself.
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    metadata = models.JSONField(default=dict, blank=True)
    registered_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now_add=True)
    last_seen = models.DateTimeField(auto_now_add=True)
    description_embedding = VectorField(dimensions=DIMENSIONS, null=True, blank=True)
    offer_embedding = VectorField(dimensions=DIMENSIONS, null=True, blank=True)
    # The sentence model of its vectors; empty as long as there are none.
    embedded_by = models.CharField(max_length=200, blank=True, default="")
    # The sentence model that gave a text of it no usable vector, and is not asked for it again.
    unread_by = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(Lower("name"), name="bus_member_name_once"),
            models.CheckConstraint(condition=~Q(name=""), name="bus_member_has_a_name"),
        ]
        indexes = [
            HnswIndex(name="bus_description_hnsw", fields=["description_embedding"], opclasses=["vector_cosine_ops"]),
            HnswIndex(name="bus_offer_hnsw", fields=["offer_embedding"], opclasses=["vector_cosine_ops"]),
            # What tells whether mindX's own members have changed; others may be many.
            models.Index(fields=["changed_at"], condition=~Q(kind="foreign"), name="bus_member_of_mindx"),
            # Few wait for their vectors.
            models.Index(
                fields=["id"],
                condition=Q(description_embedding__isnull=True) | Q(offer_embedding__isnull=True),
                name="bus_member_waits_for_vectors",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class BusCapability(models.Model):
    """Something that a member does when it is asked, with JSON schemas of what it takes and gives.

    `confidence` (0 to 1) is what it says of itself. Its record lowers that and never raises it: `earned` is the mean of
    the claim, counted as four answers, and of the answers that it gave.
    """

    member = models.ForeignKey(BusMember, on_delete=models.CASCADE, related_name="capabilities", db_index=False)
    name = models.CharField(max_length=130)
    description = models.TextField(blank=True)
    takes = models.JSONField(default=dict, blank=True)
    gives = models.JSONField(default=dict, blank=True)
    confidence = models.FloatField(default=0.8)
    # What a crash in the middle would mean (`agents.toolkit.effects`).
    effect = models.CharField(max_length=16, default="idempotent")
    # It is offered no more; its record stays.
    is_gone = models.BooleanField(default=False)
    succeeded = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    routed_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    earned = models.GeneratedField(
        expression=Least(
            F("confidence"),
            (F("confidence") * CLAIM_COUNTS + F("succeeded")) / (F("succeeded") + F("failed") + CLAIM_COUNTS),
        ),
        output_field=models.FloatField(),
        db_persist=True,
    )

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["member", "name"], name="bus_capability_once_per_member"),
            models.CheckConstraint(condition=Q(confidence__range=(0.0, 1.0)), name="bus_confidence_0_to_1"),
            models.CheckConstraint(
                condition=Q(effect__in=["idempotent", "workspace", "keyed", "once"]), name="bus_effect_known"
            ),
        ]
        indexes = [models.Index(fields=["name", "-earned"], name="bus_capability_by_name")]

    def __str__(self) -> str:
        return self.name


class BusBreaker(models.Model):
    """Whether requests reach a member. No row: closed, and nothing has failed."""

    member = models.OneToOneField(BusMember, primary_key=True, on_delete=models.CASCADE, related_name="breaker")
    state = models.CharField(max_length=16, default=BreakerState.CLOSED.value)
    failures = models.PositiveIntegerField(default=0)
    until = models.DateTimeField(null=True, blank=True)
    # The request that tries a half-open one.
    trial = models.ForeignKey("BusRequest", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [one_of("state", BreakerState, "bus_breaker_state_known")]

    def __str__(self) -> str:
        return f"{self.member}: {self.state}"


class BusRequest(LeasedWork):
    """Something that somebody asks of a member, by a capability or by a task in words. It is answered once.

    Whoever is `by` has all rights that it has, and no other. Its lease is its own; `attempts` counts how often it was
    begun. What it leads to stands below it: `root` is the first request of all, `depth` its distance from it. What a
    worker acts on is sealed: `digest` is of capability, task and content.
    """

    # How long the member took to answer, in seconds, where it did so in this process.
    took_s: float = math.inf

    moves = REQUEST_MOVES
    free, given_up = RequestState.WAITING, RequestState.FAILED
    lost_words = "it was tried {lost} times and never answered"
    is_sealed_when_asked = True
    sealed = ("by_id", "caller_id", "digest", "parent_id", "workspace_id", "pinned_id", "replay_of_id")
    acted_on = Q(state__in=(RequestState.WAITING.value, RequestState.RUNNING.value, RequestState.WITH_GOAL.value))

    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    # The member that asks; null: a person.
    caller = models.ForeignKey(BusMember, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    within = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="inner")
    root = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    depth = models.PositiveSmallIntegerField(default=0)
    parent = models.ForeignKey(Goal, null=True, blank=True, on_delete=models.PROTECT, related_name="bus_requests")
    workspace = models.ForeignKey(Workspace, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    replay_of = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="replays")
    capability = models.CharField(max_length=130, blank=True)
    task = models.TextField(blank=True)
    content = models.JSONField(default=dict)
    digest = models.CharField(max_length=64)
    why = models.CharField(max_length=300, blank=True)
    strategy = models.CharField(max_length=16, default=Strategy.CONFIDENCE.value)
    min_confidence = models.FloatField(default=0.0)
    deadline = models.DateTimeField(null=True, blank=True)
    submission_key = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=16, default=RequestState.WAITING.value)
    # Only this is asked: a replay asks the same member again.
    pinned = models.ForeignKey(BusCapability, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    # Who has it, or had it last.
    member = models.ForeignKey(BusMember, null=True, blank=True, on_delete=models.PROTECT, related_name="requests")
    offered = models.ForeignKey(BusCapability, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    tried = ArrayField(models.BigIntegerField(), default=list, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Whether its answer asks a language model, so that the background pool gives it and no worker process.
    in_background = models.BooleanField(default=False, db_default=False)
    # Not before this moment is it tried (again).
    wake_at = models.DateTimeField(null=True, blank=True)
    goal = models.OneToOneField(Goal, null=True, blank=True, on_delete=models.PROTECT, related_name="bus_request")
    # Untrusted: a file, a program, a model or somebody elsewhere may have written it.
    answer = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("state", RequestState, "bus_request_state_known"),
            one_of("strategy", Strategy, "bus_request_strategy_known"),
            models.CheckConstraint(condition=~Q(capability="", task=""), name="bus_request_asks_for_something"),
            models.CheckConstraint(condition=Q(min_confidence__range=(0.0, 1.0)), name="bus_request_confidence_0_to_1"),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=False, state__in=_ENDED) | (Q(ended_at=None) & ~Q(state__in=_ENDED)),
                name="bus_request_ends_once",
            ),
            models.UniqueConstraint(
                fields=["by", "submission_key"], condition=~Q(submission_key=""), name="bus_request_once"
            ),
        ]
        indexes = [
            models.Index(fields=["by", "-id"], name="bus_request_owner_newest"),
            models.Index(fields=["id"], condition=Q(state__in=["waiting", "running"]), name="bus_request_to_do"),
            models.Index(fields=["id"], condition=Q(state="with_goal"), name="bus_request_with_goal"),
            models.Index(
                fields=["deadline"], condition=Q(ended_at__isnull=True, deadline__isnull=False), name="bus_request_due"
            ),
            models.Index(
                fields=["member", "state"], condition=Q(ended_at__isnull=True), name="bus_request_busy_members"
            ),
        ]

    def __str__(self) -> str:
        return f"request {self.pk}"

    def get_absolute_url(self) -> str:
        """Its page."""
        return reverse("bus-request", args=[self.pk])

    @property
    def lost(self) -> int:
        """How often it was tried before: by workers that died, and by members that could not answer."""
        return self.attempts - 1

    @property
    def has_ended(self) -> bool:
        """True in a state nothing leads out of."""
        return self.state in REQUEST_ENDED


class BusAnswer(BusRequest):
    """The answer that a request ended with. It is sealed separately from what was asked."""

    sealed = ("by_id", "member_id", "offered_id", "goal_id", "state", "reason", "answer")
    acted_on = Q(state__in=sorted(state.value for state in REQUEST_ANSWERED))

    class Meta:
        proxy = True


class BusEntry(models.Model):
    """What was done on the bus: who, whom, why, when, and the outcome.

    The system side registers, searches and guards; the data side asks and answers.
    """

    append_only = True

    class Side(models.TextChoices):
        SYSTEM = "system"
        DATA = "data"

    side = models.CharField(max_length=8, choices=Side.choices)
    event = models.CharField(max_length=24)
    at = models.DateTimeField(auto_now_add=True)
    # Null: mindX itself.
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    caller = models.ForeignKey(BusMember, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    member = models.ForeignKey(BusMember, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    request = models.ForeignKey(BusRequest, null=True, on_delete=models.PROTECT, related_name="entries")
    capability = models.CharField(max_length=130, blank=True)
    why = models.CharField(max_length=300, blank=True)
    outcome = models.TextField(blank=True)
    # How the call ended for the member: it answered, it could not, or it says nothing about it (null).
    is_well = models.BooleanField(null=True)
    duration_ms = models.FloatField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["side", "-id"], name="bus_entry_side_newest"),
            models.Index(fields=["member", "-id"], name="bus_entry_member_newest"),
            models.Index(fields=["-at"], name="bus_entry_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.side} {self.event}"


class BusSettings(models.Model):
    """What operators set for breakers and for calls among agents; the newest row holds, none: the defaults."""

    append_only = True

    failures = models.PositiveSmallIntegerField()
    cooldown_s = models.PositiveIntegerField()
    depth = models.PositiveSmallIntegerField()
    requests = models.PositiveIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    why = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(failures__range=(1, 100)), name="bus_settings_failures"),
            models.CheckConstraint(condition=Q(cooldown_s__range=(1, 86_400)), name="bus_settings_cooldown"),
            models.CheckConstraint(condition=Q(depth__range=(1, 20)), name="bus_settings_depth"),
            models.CheckConstraint(condition=Q(requests__range=(1, 10_000)), name="bus_settings_requests"),
        ]

    def __str__(self) -> str:
        return f"{self.failures} failures, {self.cooldown_s} s"
