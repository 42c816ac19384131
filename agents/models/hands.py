"""Commands that people type."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from agents.models.common import DIGEST_HEX, one_of
from agents.models.goals import Goal
from agents.models.leased import LeasedWork
from agents.models.workspaces import Workspace
from agents.states import HAND_ENDED, HAND_MOVES, HandState


class HandCommand(LeasedWork):
    """One command a person typed into the session of a goal. It runs at most once, in a jail of its own.

    What was typed, by whom, and the state it was typed in are fixed: a trigger forbids changing them. It is sealed when
    it is typed, and the seal is used up when a worker begins it.
    """

    moves = HAND_MOVES
    free, given_up = HandState.WAITING, HandState.LOST
    sealed = (
        "workspace_id",
        "goal_id",
        "by_id",
        "text",
        "command",
        "params",
        "limits",
        "session_before",
        "snapshot_before",
        "autonomous_once",
    )
    acted_on = Q(state=HandState.WAITING.value)
    is_sealed_when_asked = True

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
    cancel_requested = models.BooleanField(default=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    result = models.JSONField(null=True, blank=True)
    session_after = models.JSONField(null=True, blank=True)
    snapshot_after = models.CharField(max_length=DIGEST_HEX, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("state", HandState, "hand_command_state_known"),
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
