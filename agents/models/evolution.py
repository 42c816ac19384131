"""Copies of components that goals work on, and replays of a candidate beside its parent."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse

from agents.models.common import DIGEST_HEX, one_of
from agents.models.goals import Goal
from agents.models.leased import AskedWork, LeasedWork
from agents.states import REPLAY_MOVES, AskedState, ReplayState, RolloutState
from library.models import ComponentVersion


class EvolvedCopy(models.Model):
    """The component whose copy a goal is to make better. What came of it is said once, when the goal has ended.

    Sealed with the text that waits: a version is written only of a copy that a goal was given.
    """

    sealed = ("goal_id", "target_kind", "target_name", "wish", "proposed", "version_id", "decided_by_id")
    acted_on = Q(settled_at=None) | ~Q(proposed="") & Q(decided_at=None)

    goal = models.OneToOneField(Goal, on_delete=models.PROTECT, related_name="evolved_copy")
    target_kind = models.CharField(max_length=16)
    target_name = models.CharField(max_length=120)
    wish = models.TextField(blank=True)
    # Null: no candidate came of it, or not yet.
    version = models.ForeignKey(
        ComponentVersion, null=True, blank=True, on_delete=models.SET_NULL, related_name="copies", editable=False
    )
    said = models.TextField(blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    # The text that a version of it would have, kept where whoever submitted the goal may write none; else "".
    proposed = models.TextField(blank=True, default="", db_default="")
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"the copy of {self.what} of goal {self.goal_id}"

    def get_absolute_url(self) -> str:
        """Its page."""
        return reverse("mastermind-copy", args=[self.pk])

    @property
    def what(self) -> str:
        """Kind and name of the component."""
        return f"{self.target_kind} {self.target_name}"

    @property
    def waits(self) -> bool:
        """Whether somebody who may write decides on it."""
        return bool(self.proposed) and self.decided_at is None


class Rollout(models.Model):
    """A version that was put to use, and what the goals planned since then say of it beside the one used before.

    `percent`: its share of new goals, 100 once it is active. `seen_plan`: plans up to this one were looked at. Of a
    prompt no goals are looked at but answers are counted: `counted_from` has uses and successes of both versions when
    it began, `{"version": [uses, successes], "previous": […]}`, the same as it was `seen` last, and the `stretches`
    between two looks, each of uses of the one and the other, failures of both, and those of the one.

    Sealed when it begins and when it ends: only what was in use before is ever put back.
    """

    sealed = ("version_id", "previous_id", "percent", "by_id", "state")
    acted_on = Q(state=RolloutState.WATCHED.value)

    version = models.ForeignKey(ComponentVersion, on_delete=models.CASCADE, related_name="+")
    previous = models.ForeignKey(ComponentVersion, on_delete=models.CASCADE, related_name="+")
    percent = models.PositiveSmallIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=16, default=RolloutState.WATCHED.value)
    reason = models.TextField(blank=True)
    seen_plan = models.BigIntegerField()
    counted_from = models.JSONField(default=dict, db_default={}, blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            one_of("state", RolloutState, "rollout_state_known"),
            models.UniqueConstraint(
                fields=["version"], condition=Q(state="watched"), name="one_open_rollout_per_version"
            ),
        ]

    def __str__(self) -> str:
        return f"rollout {self.pk} of {self.version}"

    @property
    def is_canary(self) -> bool:
        """Whether it was put to use for a share of new goals only."""
        return self.percent < 100


class Replay(LeasedWork):
    """A candidate and its parent on the same earlier cases, in copies of the files that each case began with.

    Its lease is its own. What it found stands in its cases; the verdict is worked out of them (`evolution.gate`).
    """

    moves = REPLAY_MOVES
    free, given_up, lost_most = ReplayState.WAITING, ReplayState.IMPOSSIBLE, 5
    sealed = ("version_id", "parent_id", "rollout_id", "trial_id", "by_id", "why", "strategy")
    acted_on = Q(state__in=(ReplayState.WAITING.value, ReplayState.RUNNING.value))
    is_sealed_when_asked = True

    class Strategy(models.TextChoices):
        """How far the candidate goes from its parent, as whoever asked for it said."""

        STANDARD = "standard"
        CONSERVATIVE = "conservative"
        AGGRESSIVE = "aggressive"
        DOMAIN_ADAPTATION = "domain_adaptation"

    version = models.ForeignKey(ComponentVersion, on_delete=models.CASCADE, related_name="+")
    parent = models.ForeignKey(ComponentVersion, on_delete=models.CASCADE, related_name="+")
    # Its cases are goals planned since the version was put to use; null: earlier ones, before that.
    rollout = models.ForeignKey(Rollout, null=True, on_delete=models.CASCADE, related_name="replays")
    # Its cases are those of an A/B trial, which ends it as soon as it knows.
    trial = models.ForeignKey("agents.VersionTrial", null=True, on_delete=models.CASCADE, related_name="replays")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    why = models.TextField(blank=True)
    strategy = models.CharField(max_length=20, choices=Strategy.choices, default=Strategy.STANDARD)
    state = models.CharField(max_length=16, default=ReplayState.WAITING.value)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            one_of("state", ReplayState, "replay_state_known"),
            models.UniqueConstraint(
                fields=["version"], condition=Q(state__in=["waiting", "running"]), name="one_open_replay_per_version"
            ),
        ]

    def __str__(self) -> str:
        return f"replay {self.pk} of {self.version}"


class ReplayCase(models.Model):
    """One earlier goal of the parent, planned and run anew by both sides from the files it began with.

    Of a prompt and of firmware a case is a recorded call of a model, sent again by both sides: `call`, `parent_call`
    and `candidate_call` are their rows, which may be gone. A side is null before it was tried and where a copy can
    prove nothing; its words say which. `differs`: the two made different steps, or answers. Cases are split once,
    by a hash: *probe* ones may be shown to whoever writes the next candidate. Sealed when both sides were tried: a
    verdict counts no other.
    """

    sealed = ("replay_id", "number", "half", "is_done", "parent_passes", "candidate_passes", "differs", "call")
    acted_on = Q(is_done=True)

    class Half(models.TextChoices):
        """Whether the writer may see how the case went."""

        PROBE = "probe"
        SEALED = "sealed"

    replay = models.ForeignKey(Replay, on_delete=models.CASCADE, related_name="cases")
    number = models.PositiveIntegerField()
    # Null: the goal was removed since.
    goal = models.ForeignKey(Goal, null=True, on_delete=models.SET_NULL, related_name="+")
    # The plan whose beliefs it is planned by.
    plan = models.ForeignKey("agents.Plan", null=True, on_delete=models.SET_NULL, related_name="+")
    text = models.TextField()
    half = models.CharField(max_length=8, choices=Half.choices)
    succeeded_then = models.BooleanField()
    base = models.CharField(max_length=DIGEST_HEX)
    is_done = models.BooleanField(default=False)
    parent_passes = models.BooleanField(null=True)
    candidate_passes = models.BooleanField(null=True)
    parent_said = models.TextField(blank=True)
    candidate_said = models.TextField(blank=True)
    parent_s = models.FloatField(default=0.0)
    candidate_s = models.FloatField(default=0.0)
    differs = models.BooleanField(default=False)
    call = models.BigIntegerField(null=True)
    parent_call = models.BigIntegerField(null=True)
    candidate_call = models.BigIntegerField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["replay", "number"], name="replay_case_once")]

    def __str__(self) -> str:
        return f"case {self.number} of replay {self.replay_id}"


class CandidateSearch(LeasedWork):
    """A search for a better version: a model writes many texts, each tried on the probe half of the parent's cases.

    One over a single text is a candidate that a model writes at once: nothing is tried before its replay, and `asked`
    counts requests. One without a parent is for a new component of the kind `new_kind`: `why` is the wish, `snippet`
    code to start from. It has a lease of its own. A worker that takes over starts again, and
    the requests made before still count.
    `tried` are the texts that were tried on all cases, in order: {text, passed, of}; the first is the parent.
    """

    moves = REPLAY_MOVES
    free, given_up, lost_most = ReplayState.WAITING, ReplayState.IMPOSSIBLE, 3
    sealed = ("parent_id", "new_kind", "snippet", "by_id", "why", "strategy", "most_texts")
    acted_on = Q(state__in=(ReplayState.WAITING.value, ReplayState.RUNNING.value))
    is_sealed_when_asked = True

    parent = models.ForeignKey(ComponentVersion, null=True, on_delete=models.CASCADE, related_name="+")
    new_kind = models.CharField(max_length=16, blank=True, default="", db_default="")
    snippet = models.TextField(blank=True, default="", db_default="")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    why = models.TextField()
    strategy = models.CharField(max_length=20, choices=Replay.Strategy.choices, default=Replay.Strategy.STANDARD)
    # How many texts a model may be asked for at most, and for how many it was.
    most_texts = models.PositiveSmallIntegerField()
    asked = models.PositiveSmallIntegerField(default=0)
    tried = models.JSONField(default=list)
    # The candidate that came of it; null: none, as `reason` explains, or not yet.
    version = models.ForeignKey(ComponentVersion, null=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=16, default=ReplayState.WAITING.value)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            one_of("state", ReplayState, "candidate_search_state_known"),
            models.UniqueConstraint(
                fields=["parent"], condition=Q(state__in=["waiting", "running"]), name="one_open_search_per_version"
            ),
            models.CheckConstraint(
                condition=Q(parent__isnull=False, new_kind="")
                | Q(parent__isnull=True, new_kind__in=["tool", "workflow"]),
                name="search_of_version_or_kind",
            ),
            models.UniqueConstraint(
                fields=["by", "new_kind"],
                condition=Q(parent=None, state__in=["waiting", "running"]),
                name="one_open_wish_per_person_and_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"search {self.pk} for a {f'better {self.parent}' if self.parent else self.new_kind}"

    @property
    def is_of_new(self) -> bool:
        """Whether it is for a component that there is not yet."""
        return self.parent_id is None

    @property
    def is_of_one_text(self) -> bool:
        """Whether a model writes a candidate straight away."""
        return self.most_texts == 1


class EvolutionProposal(models.Model):
    """Something that an audit of the past proposes, with its reason and the goals that show it.

    It is found anew with each audit. `gone_at`: its reason no longer holds. A dismissal holds until it has grown.
    """

    class Kind(models.TextChoices):
        """What kind of finding it is."""

        LOW_SUCCESS = "low_success"
        FAILING = "failing"
        UNUSED = "unused"
        ORPHANED = "orphaned"
        GAP = "gap"
        REDUNDANCY = "redundancy"
        RISK = "risk"
        SETTING = "setting"

    kind = models.CharField(max_length=16, choices=Kind.choices)
    subject = models.CharField(max_length=200)
    says = models.CharField(max_length=300)
    why = models.TextField()
    weight = models.FloatField(default=0.0)
    # All goals that show it; the newest of them are named.
    cases = models.PositiveIntegerField(default=0)
    goals = ArrayField(models.BigIntegerField(), default=list, blank=True)
    component_kind = models.CharField(max_length=16, blank=True)
    component_name = models.CharField(max_length=120, blank=True)
    found_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField()
    gone_at = models.DateTimeField(null=True, blank=True)
    dismissed_at = models.DateTimeField(null=True, blank=True)
    dismissed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    dismissed_why = models.CharField(max_length=300, blank=True)
    dismissed_cases = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-weight", "id"]
        constraints = [models.UniqueConstraint(fields=["kind", "subject"], name="evolution_proposal_once")]

    def __str__(self) -> str:
        return self.says


class ToolCheck(AskedWork):
    """The trials of a version of a tool that a person made, each run in a jail of its own.

    `rows` is what each did, and what does not fit in it (`agents.trials.checking`). `fits` is null until all have run,
    and where they could not be run, which `reason` explains. Sealed when they are asked for and when they have run: the
    worker runs no code that nobody asked it to, and no tool is put to use by trials that never passed.
    """

    sealed = ("version_id", "by_id", "rows", "fits")
    acted_on = ~Q(state=AskedState.ENDED.value) | Q(fits=True)

    version = models.OneToOneField(ComponentVersion, on_delete=models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    rows = models.JSONField(default=list)
    fits = models.BooleanField(null=True)
    asked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [one_of("state", AskedState, "tool_check_state_known")]

    def __str__(self) -> str:
        return f"trials of {self.version}"


class CountedUse(models.Model):
    """A use of a version that was counted as a failure while its goal waits for a person: its end counts no second."""

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="counted_uses")
    version = models.ForeignKey(ComponentVersion, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["goal", "version"], name="use_counted_once_per_goal")]

    def __str__(self) -> str:
        return f"{self.version} in goal {self.goal_id}"


class EvolutionGrant(models.Model):
    """How many candidates a day a model may be asked for without a person; one row at most, sealed when granted."""

    sealed = ("starts_a_day", "by_id")
    acted_on = Q()

    starts_a_day = models.PositiveSmallIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.starts_a_day} a day"


class EvolutionStart(models.Model):
    """A candidate that a model was asked for without a person. It counts from the moment that it is begun."""

    component_kind = models.CharField(max_length=16)
    component_name = models.CharField(max_length=120)
    # The worker's work; null: it could not be asked for, as `said` explains, or it was written before there were any.
    search = models.ForeignKey(CandidateSearch, null=True, on_delete=models.SET_NULL, related_name="+")
    version = models.ForeignKey(ComponentVersion, null=True, on_delete=models.SET_NULL, related_name="+")
    said = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.component_kind} {self.component_name}"

    @property
    def candidate(self) -> ComponentVersion | None:
        """The candidate that was written; None if there is none, or none yet."""
        return self.search.version if self.search is not None else self.version

    @property
    def told(self) -> str:
        """Why it was begun, or why there is no candidate."""
        if self.search is not None and self.search.state == ReplayState.IMPOSSIBLE:
            return f"No candidate: {self.search.reason}"
        return self.said
