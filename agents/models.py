"""Rows of the mind. Postgres is the only truth: every process that reads them may die at any moment.

States are moved by `agents.services.moves` and by `agents/execution/advance.sql`, nowhere else. `append_only` rows
may be inserted and read by the application's database role, never changed.
"""

from __future__ import annotations

from enum import StrEnum

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from agents.bdi.limits import BOUNDS, Number, in_words
from agents.states import GOAL_ENDED, HAND_ENDED, GoalState, HandState, IntentState, PlanState, ShadowState

DIGEST_HEX = 64


def _one_of(field: str, values: type[StrEnum], name: str) -> models.BaseConstraint:
    """The database's own check that a state is one of the table's."""
    return models.CheckConstraint(condition=Q(**{f"{field}__in": [value.value for value in values]}), name=name)


class Agent(models.Model):
    """An autonomous agent: which tools it may use and whether it may act at the moment."""

    name = models.CharField(max_length=64, unique=True)
    # Names of the tools it may use; empty means every registered one.
    tools = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    paused = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


def _within(name: str) -> models.BaseConstraint:
    """The database's own check that a ceiling, where it is stated, is neither useless nor none."""
    least, most = BOUNDS[name]
    return models.CheckConstraint(
        condition=Q(**{f"{name}__range": (least, most)}),
        name=f"tool_limit_{name}",
        violation_error_message=f"{name}: from {in_words(name, least)} to {in_words(name, most)}.",
    )


class ToolLimit(models.Model):
    """Ceilings for the steps of an agent with a tool; an empty field leaves it to a less specific row or the default.

    They are written into a plan when it is proposed: a plan that was approved keeps what was approved.
    """

    # Null: every agent.
    agent = models.ForeignKey(Agent, null=True, blank=True, on_delete=models.CASCADE, related_name="limits")
    # Empty: every tool.
    tool = models.CharField(max_length=64, blank=True)
    memory_bytes = models.BigIntegerField(null=True, blank=True)
    processes = models.IntegerField(null=True, blank=True)
    cpus = models.FloatField(null=True, blank=True)
    descriptors = models.IntegerField(null=True, blank=True)
    file_bytes = models.BigIntegerField(null=True, blank=True)
    workspace_bytes = models.BigIntegerField(null=True, blank=True)
    workspace_files = models.IntegerField(null=True, blank=True)
    output_bytes = models.BigIntegerField(null=True, blank=True)
    output_file_bytes = models.BigIntegerField(null=True, blank=True)
    soft_s = models.FloatField(null=True, blank=True)
    hard_s = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["agent", "tool"]
        constraints = [
            *(_within(name) for name in BOUNDS),
            models.CheckConstraint(
                condition=Q(soft_s__isnull=True) | Q(hard_s__isnull=True) | Q(soft_s__lte=F("hard_s")),
                name="tool_limit_usual_time_within_longest",
                violation_error_message="The usual time cannot be longer than the longest one.",
            ),
            models.UniqueConstraint(
                fields=["agent", "tool"],
                nulls_distinct=False,
                name="one_limit_per_agent_and_tool",
                violation_error_message="There is a row for this agent and this tool already; change that one.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.agent or 'every agent'}, {self.tool or 'every tool'}"

    def ceilings(self) -> dict[str, Number | None]:
        """Each ceiling by its name; None where this row leaves it open."""
        return {name: getattr(self, name) for name in BOUNDS}


class Workspace(models.Model):
    """The files goals work on. Their truth is the `head` snapshot; a directory is only a checkout of it."""

    name = models.SlugField(max_length=80, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="workspaces")
    head = models.CharField(max_length=DIGEST_HEX)
    quota_bytes = models.BigIntegerField(default=1 << 30)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class WorkspaceChange(models.Model):
    """A head that a person moved, written with the move. What steps did to a head stands in their attempts."""

    append_only = True

    class Kind(models.TextChoices):
        WRITE = "write"
        DELETE = "delete"
        # An earlier state was taken up again.
        RETURN = "return"
        # A command typed by hand left other files.
        COMMAND = "command"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="changes")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="workspace_changes")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    # A path, or how many files of what.
    what = models.TextField(blank=True)
    before = models.CharField(max_length=DIGEST_HEX)
    after = models.CharField(max_length=DIGEST_HEX)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["write", "delete", "return", "command"]), name="workspace_change_kind_known"
            ),
            models.CheckConstraint(condition=~Q(before=F("after")), name="workspace_change_moves_the_head"),
        ]
        indexes = [models.Index(fields=["workspace", "-at"], name="workspace_change_newest")]

    def __str__(self) -> str:
        return f"{self.kind} {self.what}"


class Goal(models.Model):
    """What was asked for, and how far it has come."""

    text = models.TextField()
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="goals")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="goals")
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="goals")
    # 1 is adopted first, 5 last.
    priority = models.PositiveSmallIntegerField(default=3)
    depends_on = models.ManyToManyField("self", symmetrical=False, related_name="dependants", blank=True)
    state = models.CharField(max_length=16, default=GoalState.PENDING.value)
    reason = models.TextField(blank=True)
    submission_key = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    # The fenced lease on the goal's cycle; times are the database's clock.
    lease_owner = models.CharField(max_length=120, blank=True)
    lease_fence = models.BigIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    # Not before this moment does a waiting cycle go on (retry with delay).
    wake_at = models.DateTimeField(null=True, blank=True)
    learned_at = models.DateTimeField(null=True, blank=True)
    # What people put in place of planned values: {tool, command, parameter, original, value, by}, oldest first.
    wishes = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            _one_of("state", GoalState, "goal_state_known"),
            models.CheckConstraint(condition=Q(priority__range=(1, 5)), name="goal_priority_1_to_5"),
            models.CheckConstraint(condition=~Q(text=""), name="goal_text_not_empty"),
            models.UniqueConstraint(
                fields=["submitted_by", "submission_key"], condition=~Q(submission_key=""), name="goal_submitted_once"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "-id"], name="goal_state_newest"),
            models.Index(fields=["submitted_by", "-id"], name="goal_owner_newest"),
            models.Index(fields=["-ended_at"], condition=Q(ended_at__isnull=False), name="goal_ended_newest"),
            models.Index(
                fields=["priority", "id"],
                condition=~Q(state__in=sorted(state.value for state in GOAL_ENDED)),
                name="goal_open_by_priority",
            ),
        ]

    def __str__(self) -> str:
        return f"goal {self.pk}"

    def get_absolute_url(self) -> str:
        """The goal's page."""
        return reverse("goal", args=[self.pk])

    @property
    def has_ended(self) -> bool:
        """True in a state nothing leads out of."""
        return self.state in GOAL_ENDED


class Transition(models.Model):
    """One move of a goal or an intent plan, written in the transaction that moved it."""

    append_only = True

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="transitions")
    intent_plan = models.ForeignKey("IntentPlan", null=True, on_delete=models.CASCADE, related_name="transitions")
    old = models.CharField(max_length=16)
    new = models.CharField(max_length=16)
    reason = models.TextField(blank=True)
    by = models.CharField(max_length=160)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["goal", "id"], name="transition_goal")]

    def __str__(self) -> str:
        return f"{self.old} → {self.new}"


class Belief(models.Model):
    """A sentence the agent held true while it worked on the goal."""

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="beliefs")
    sentence = models.TextField()
    source = models.CharField(max_length=16)
    confidence = models.FloatField(default=1.0)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    retracted_by = models.CharField(max_length=160, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=Q(confidence__range=(0.0, 1.0)), name="belief_confidence_0_to_1")
        ]

    def __str__(self) -> str:
        return self.sentence


class Plan(models.Model):
    """Steps as proposed, with the evidence they stand on."""

    append_only = True

    class Source(models.TextChoices):
        RULE = "rule"
        MODEL = "model"
        PERSON = "person"
        RECOVERY = "recovery"

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="plans")
    number = models.PositiveIntegerField()
    source = models.CharField(max_length=16, choices=Source.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    steps = models.JSONField()
    evidence = models.JSONField(default=dict)
    problems = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["goal", "number"], name="plan_number_once_per_goal")]

    def __str__(self) -> str:
        return f"plan {self.number} of goal {self.goal_id}"


class IntentPlan(models.Model):
    """One immutable, fully bound revision of a plan: what people review and workers execute.

    `document` is canonical JSON (RFC 8785) and `digest` its SHA-256 in hex; a trigger forbids changing either.
    Fence, cancel flag, approved digest and position stand on this row, so that one conditional update decides.
    """

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="intent_plans")
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="intent_plans")
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="intent_plans")
    revision = models.PositiveIntegerField()
    document = models.BinaryField()
    digest = models.CharField(max_length=DIGEST_HEX)
    state = models.CharField(max_length=16, default=PlanState.AWAITING_REVIEW.value)
    reason = models.TextField(blank=True)
    # The intent the executor is at, from 1; one past the last when all have been done.
    position = models.PositiveIntegerField(default=1)
    # Why the plan is being aborted; while set, only clean-up steps run.
    aborting = models.TextField(blank=True)
    # Files whose content its main steps would put other content over, as they stood when it was proposed.
    replaces = models.JSONField(default=list, blank=True)
    fence = models.BigIntegerField(default=0)
    approved_digest = models.CharField(max_length=DIGEST_HEX, blank=True)
    cancel_requested = models.BooleanField(default=False)
    # The steps of the revision before that were not approved: {position, tool, command, params, sentence, reason, by}.
    left_out = models.JSONField(default=list, blank=True)
    # What becomes of them when this plan is complete: "plan_again", or "drop".
    rest = models.CharField(max_length=12, default="drop")
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            _one_of("state", PlanState, "intent_plan_state_known"),
            models.UniqueConstraint(fields=["goal", "revision"], name="intent_plan_revision_once_per_goal"),
            models.UniqueConstraint(
                fields=["workspace"], condition=Q(state="executing"), name="one_running_plan_per_workspace"
            ),
            models.UniqueConstraint(
                fields=["goal"],
                condition=Q(state__in=["awaiting_review", "approved", "executing"]),
                name="one_open_intent_plan_per_goal",
            ),
            models.CheckConstraint(condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="intent_plan_digest_is_sha256"),
            models.CheckConstraint(
                condition=~Q(state__in=["approved", "executing", "complete"]) | Q(approved_digest=F("digest")),
                name="intent_plan_runs_only_what_was_approved",
            ),
        ]
        indexes = [models.Index(fields=["state", "id"], name="intent_plan_state_oldest")]

    def __str__(self) -> str:
        return f"intent plan {self.pk}"

    def get_absolute_url(self) -> str:
        """The page on which it is reviewed."""
        return reverse("review-plan", args=[self.pk])


class ShadowRun(models.Model):
    """A plan tried in a throw-away copy of its workspace, so that people see what it does before they decide.

    `base` is the snapshot it started from and `after` the one it came to; `findings` says what each main step proved
    (`agents.bdi.shadow.Finding`). Its lease is its own: it never keeps the plan itself from running.
    """

    intent_plan = models.ForeignKey(IntentPlan, on_delete=models.CASCADE, related_name="shadow_runs")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=16, default=ShadowState.WAITING.value)
    reason = models.TextField(blank=True)
    base = models.CharField(max_length=DIGEST_HEX, blank=True)
    after = models.CharField(max_length=DIGEST_HEX, blank=True)
    findings = models.JSONField(default=list)
    # What went otherwise when the plan really ran: sentences, and paths that differ. Null until that is known.
    surprises = models.JSONField(null=True, blank=True)
    lease_owner = models.CharField(max_length=120, blank=True)
    # How often it was begun, which is also the fence of its lease.
    lease_fence = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            _one_of("state", ShadowState, "shadow_run_state_known"),
            models.UniqueConstraint(fields=["intent_plan", "number"], name="shadow_run_number_once_per_plan"),
            models.UniqueConstraint(
                fields=["intent_plan"], condition=Q(state__in=["waiting", "running"]), name="one_open_shadow_run"
            ),
        ]
        indexes = [models.Index(fields=["id"], condition=Q(state__in=["waiting", "running"]), name="shadow_run_open")]

    def __str__(self) -> str:
        return f"shadow run {self.number} of intent plan {self.intent_plan_id}"


class Intent(models.Model):
    """One step of an intent plan. What it does stands in the plan's document; this row holds how it went."""

    class Phase(models.TextChoices):
        MAIN = "main"
        CLEANUP = "cleanup"

    intent_plan = models.ForeignKey(IntentPlan, on_delete=models.CASCADE, related_name="intents")
    position = models.PositiveIntegerField()
    phase = models.CharField(max_length=8, choices=Phase.choices, default=Phase.MAIN)
    tool = models.CharField(max_length=64)
    command = models.CharField(max_length=64)
    effect = models.CharField(max_length=16)
    state = models.CharField(max_length=16, default=IntentState.PENDING.value)
    result = models.JSONField(null=True, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            _one_of("state", IntentState, "intent_state_known"),
            models.UniqueConstraint(fields=["intent_plan", "position"], name="intent_position_once_per_plan"),
        ]

    def __str__(self) -> str:
        return f"intent {self.position} of {self.intent_plan_id}"


class Attempt(models.Model):
    """One try of an intent; the row exists before the try starts."""

    intent = models.ForeignKey(Intent, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    fence = models.BigIntegerField()
    worker = models.CharField(max_length=120)
    started = models.DateTimeField()
    finished = models.DateTimeField(null=True, blank=True)
    # succeeded, failed, cancelled, lost (the worker died), unavailable (the sandbox failed, not the step)
    outcome = models.CharField(max_length=16, blank=True)
    result = models.JSONField(null=True, blank=True)
    failure_class = models.CharField(max_length=32, blank=True)
    reason = models.TextField(blank=True)
    snapshot_before = models.CharField(max_length=DIGEST_HEX)
    snapshot_after = models.CharField(max_length=DIGEST_HEX, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["intent", "number"], name="attempt_number_once_per_intent")]

    def __str__(self) -> str:
        return f"try {self.number} of intent {self.intent_id}"


class RecoveryAttempt(models.Model):
    """A strategy chosen after a failed try, and whether the recovered intent later succeeded."""

    attempt = models.OneToOneField(Attempt, on_delete=models.CASCADE, related_name="recovery")
    failure_class = models.CharField(max_length=32)
    strategy = models.CharField(max_length=32)
    why = models.TextField()
    delay_s = models.FloatField(default=0)
    at = models.DateTimeField(auto_now_add=True)
    # Null until the recovered intent has ended.
    succeeded = models.BooleanField(null=True)

    def __str__(self) -> str:
        return self.strategy


class TerminalSession(models.Model):
    """The jailed terminal of a plan: where it stands and what is active there."""

    intent_plan = models.OneToOneField(IntentPlan, on_delete=models.CASCADE, related_name="session")
    state = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"session of {self.intent_plan_id}"


class HandCommand(models.Model):
    """One command a person typed into the session of a goal. It runs at most once, in a jail of its own.

    What was typed, by whom, and the state it was typed in are fixed: a trigger forbids changing them.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="hand_commands")
    goal = models.ForeignKey(Goal, on_delete=models.PROTECT, related_name="hand_commands")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="hand_commands")
    text = models.TextField()
    command = models.CharField(max_length=64)
    params = models.JSONField()
    # The ceilings, by name, in bytes and seconds; as administrated when it was typed.
    limits = models.JSONField()
    # Where the session stood when it was typed, its autonomous mode included, and the files it was typed for.
    session_before = models.JSONField()
    snapshot_before = models.CharField(max_length=DIGEST_HEX)
    # Autonomous mode was ticked for this command alone; the session goes on without it.
    autonomous_once = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    state = models.CharField(max_length=16, default=HandState.WAITING.value)
    reason = models.TextField(blank=True)
    cancel_requested = models.BooleanField(default=False)
    # The fenced lease of the worker that runs it; times are the database's clock.
    lease_owner = models.CharField(max_length=120, blank=True)
    lease_fence = models.BigIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    result = models.JSONField(null=True, blank=True)
    session_after = models.JSONField(null=True, blank=True)
    snapshot_after = models.CharField(max_length=DIGEST_HEX, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            _one_of("state", HandState, "hand_command_state_known"),
            models.UniqueConstraint(
                fields=["workspace"],
                condition=Q(state__in=["waiting", "running"]),
                name="one_unfinished_hand_command_per_workspace",
            ),
            models.CheckConstraint(condition=~Q(text=""), name="hand_command_text_not_empty"),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "running"]) | Q(finished_at__isnull=False),
                name="hand_command_has_an_end_when_it_ended",
            ),
            models.CheckConstraint(
                condition=~Q(state="running") | Q(lease_until__isnull=False), name="hand_command_runs_under_a_lease"
            ),
        ]
        indexes = [models.Index(fields=["goal", "-id"], name="hand_command_goal_newest")]

    def __str__(self) -> str:
        return f"command {self.pk} of {self.by_id}"

    @property
    def has_ended(self) -> bool:
        """True in a state nothing leads out of."""
        return self.state in HAND_ENDED


class LogCounter(models.Model):
    """The last log number of a goal, in a row of its own so that logging never waits for the goal's row."""

    goal = models.OneToOneField(Goal, on_delete=models.CASCADE, primary_key=True, related_name="log_counter")
    last = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.last)


class LogLine(models.Model):
    """One line of a goal's log; numbers are 1, 2, 3 … without gaps."""

    append_only = True

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="log_lines")
    number = models.BigIntegerField()
    at = models.DateTimeField()
    source = models.CharField(max_length=64)
    stage = models.CharField(max_length=16)
    level = models.CharField(max_length=8, default="info")
    text = models.TextField()
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["goal", "number"], name="log_line_number_once_per_goal")]

    def __str__(self) -> str:
        return f"{self.number} {self.text[:60]}"
