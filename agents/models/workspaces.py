"""Workspaces and what moved their heads."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from agents.models.common import DIGEST_HEX


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
