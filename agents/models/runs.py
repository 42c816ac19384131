"""What ran: intents, their attempts, their recovery, and the terminal they ran in."""

from __future__ import annotations

from django.db import models

from agents.models.common import DIGEST_HEX, one_of
from agents.models.goals import Goal
from agents.models.plans import IntentPlan
from agents.states import IntentState


class Intent(models.Model):
    """One step of an intent plan. What it does stands in the plan's document; this row holds how it went."""

    class Phase(models.TextChoices):
        MAIN = "main"
        CLEANUP = "cleanup"

    # Here and below: the constraint on the pair is the index, and each further one costs with every step.
    intent_plan = models.ForeignKey(IntentPlan, on_delete=models.CASCADE, related_name="intents", db_index=False)
    position = models.IntegerField()
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
            one_of("state", IntentState, "intent_state_known"),
            models.UniqueConstraint(fields=["intent_plan", "position"], name="intent_position_once_per_plan"),
        ]

    def __str__(self) -> str:
        return f"intent {self.position} of {self.intent_plan_id}"


class Attempt(models.Model):
    """One try of an intent; the row exists before the try starts."""

    # What writes a try has its intent's row in its hands: the database does not look for it again.
    intent = models.ForeignKey(
        Intent, on_delete=models.CASCADE, related_name="attempts", db_index=False, db_constraint=False
    )
    number = models.IntegerField()
    fence = models.BigIntegerField()
    worker = models.CharField(max_length=120)
    started = models.DateTimeField()
    finished = models.DateTimeField(null=True, blank=True)
    # succeeded, failed, cancelled, lost (the worker died), unavailable (the sandbox failed, not the step),
    # refused (the gate did not let it run), interrupted (its worker was told to stop, and it was safe to begin again),
    # waiting (its condition does not hold yet, or its request on the bus is not answered yet)
    outcome = models.CharField(max_length=16, blank=True)
    result = models.JSONField(null=True, blank=True)
    failure_class = models.CharField(max_length=32, blank=True)
    reason = models.TextField(blank=True)
    # Which declared alternative was tried in the step's place; 0 is the step itself. `advance.sql` leaves it out.
    alternative = models.SmallIntegerField(db_default=0)
    snapshot_before = models.CharField(max_length=DIGEST_HEX)
    snapshot_after = models.CharField(max_length=DIGEST_HEX, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["intent", "number"], name="attempt_number_once_per_intent")]

    def __str__(self) -> str:
        return f"try {self.number} of intent {self.intent_id}"


class StepReport(models.Model):
    """What a step that ended left, in one row until it is filed into intents, attempts and log lines (`file.sql`).

    `attempt` is the try that ended, `following` the number that the next step's first try has, null when none began.
    `said` and `begins` are log lines as JSON: about the end of this step, and about the beginning of the next. With a
    claim a plan's first try begins as if a step 0, with a try 0, had ended.
    """

    pk = models.CompositePrimaryKey("intent_plan_id", "position")
    # The statement that writes it has the plan's row in its hands: nothing is left to be checked about it.
    intent_plan = models.ForeignKey(
        IntentPlan, on_delete=models.CASCADE, related_name="step_reports", db_index=False, db_constraint=False
    )
    position = models.IntegerField()
    attempt = models.BigIntegerField()
    outcome = models.CharField(max_length=16)
    result = models.JSONField(null=True)
    reason = models.TextField()
    after = models.CharField(max_length=DIGEST_HEX)
    following = models.BigIntegerField(null=True)
    fence = models.BigIntegerField()
    worker = models.CharField(max_length=120)
    at = models.DateTimeField()
    said = models.TextField()
    begins = models.TextField()

    def __str__(self) -> str:
        return f"report of step {self.position} of plan {self.intent_plan_id}"


class RecoveryAttempt(models.Model):
    """A strategy chosen after a failed try, and whether the recovered intent later succeeded."""

    attempt = models.OneToOneField(Attempt, on_delete=models.CASCADE, related_name="recovery")
    failure_class = models.CharField(max_length=32)
    strategy = models.CharField(max_length=32)
    why = models.TextField()
    delay_s = models.FloatField(default=0)
    # The declared alternative that is tried next; 0 is none.
    alternative = models.PositiveSmallIntegerField(default=0)
    at = models.DateTimeField(auto_now_add=True)
    # Null until the recovered intent has ended.
    succeeded = models.BooleanField(null=True)

    def __str__(self) -> str:
        return self.strategy


class TurnFailure(models.Model):
    """A turn of a goal's cycle that an error inside mindX ended: what operators read to find the fault.

    `reference` is what people are told of it. `gave_up`: it was the last of several, and a person was asked.
    """

    append_only = True

    goal = models.ForeignKey(Goal, on_delete=models.CASCADE, related_name="turn_failures")
    reference = models.CharField(max_length=8)
    stage = models.CharField(max_length=16)
    fence = models.BigIntegerField()
    worker = models.CharField(max_length=120)
    error = models.CharField(max_length=300)
    traceback = models.TextField()
    gave_up = models.BooleanField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["-id"], condition=models.Q(gave_up=True), name="turn_failure_last")]

    def __str__(self) -> str:
        return f"{self.reference}: {self.error[:80]}"


class TerminalSession(models.Model):
    """The jailed terminal of a plan: where it stands and what is active there."""

    intent_plan = models.OneToOneField(IntentPlan, on_delete=models.CASCADE, related_name="session")
    state = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"session of {self.intent_plan_id}"
