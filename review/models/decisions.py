"""Verdicts, approvals, and what is held before it takes effect."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from agents.models import DIGEST_HEX, IntentPlan
from review.models.chained import Chained


class Decision(Chained):
    """One verdict of a person on one digest, chained to the decision before it."""

    class Verdict(models.TextChoices):
        APPROVE = "approve"
        REJECT = "reject"
        REQUEST_CHANGES = "request_changes"
        # Other values in a step: a new revision, which is decided separately.
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
    # Further content of the decision: changed values, steps that were left out and why.
    edits = models.JSONField(default=dict, blank=True)
    # The policy that decided in the name of `by`, its owner; null if a person did.
    policy = models.ForeignKey(
        "PolicyVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="decisions"
    )

    def __str__(self) -> str:
        return f"{self.verdict} by {self.by}"


class Approval(models.Model):
    """What a person allowed to run: one digest, sealed with a key outside the database."""

    append_only = True

    intent_plan = models.OneToOneField(IntentPlan, on_delete=models.PROTECT, related_name="approval")
    decision = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="approval")
    digest = models.CharField(max_length=DIGEST_HEX)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="approvals")
    # Recovery granted in advance, e.g. {"tries": 3}: further attempts with the same approved bytes.
    envelope = models.JSONField(default=dict)
    at = models.DateTimeField()
    mac = models.CharField(max_length=DIGEST_HEX)

    def __str__(self) -> str:
        return f"approval of {self.intent_plan_id} by {self.by}"


# A decision takes effect some milliseconds after it is due. After this time people are told that it has not.
LATE_S = 5.0


class HeldDecision(models.Model):
    """A browser decision that can still be undone. It becomes a `Decision` when its time has come.

    `ruling` is all that was decided (`review.deciding.ruling`). `dropped` says why it never took effect; the row then
    stays until its person has read that.

    The view that received it seals it (`people.sealing`), and the sweep carries out only sealed rows.
    """

    sealed = ("intent_plan_id", "by_id", "digest", "verdict", "ruling", "made_at")
    acted_on = Q(dropped="")

    # The verdict of an approval that, as known when it was made, a second person must complete.
    FIRST = "first"

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
        """Whole seconds until it takes effect; 1 if that may be any moment."""
        return max(1, round((self.due_at - timezone.now()).total_seconds()))

    @property
    def look_again_s(self) -> int:
        """When an open page should ask for the result: the sweep runs once a second."""
        return self.seconds_left + 1

    @property
    def words(self) -> str:
        """What takes effect, said of the plan."""
        if steps := self.ruling.get("intents"):
            return f"Steps {', '.join(map(str, steps))} of plan {self.intent_plan_id} are {self._verb}"
        return f"Plan {self.intent_plan_id} is {self._verb}"

    @property
    def done(self) -> str:
        """What was decided, said of the goal: "approved", "steps 1, 3 approved"."""
        steps = self.ruling.get("intents") or ()
        which = f"step{'' if len(steps) == 1 else 's'} {', '.join(map(str, steps))} " if steps else ""
        return f"{which}{self._verb}"

    @property
    def then(self) -> str:
        """What happens when the time is over."""
        return "starts" if self.verdict == "approve" else "takes effect"

    @property
    def soon(self) -> str:
        """What happens now that the time is over, or why it does not."""
        late_s = (timezone.now() - self.due_at).total_seconds()
        if late_s > LATE_S:
            return f"due {late_s:.0f} s ago: the scheduler is behind"
        return "starting …" if self.verdict == "approve" else "taking effect …"

    @property
    def is_due(self) -> bool:
        """Whether it may take effect at any moment."""
        return self.due_at <= timezone.now()

    @property
    def batch(self) -> str:
        """The key that the decisions of one batch share; "" for a single decision."""
        return str(self.ruling.get("batch", ""))

    @property
    def _verb(self) -> str:
        return {
            "approve": "approved",
            self.FIRST: "approved as the first of two",
            "reject": "rejected",
            "request-changes": "sent back",
        }[self.verdict]
