"""Rows about what others provide: servers of tools."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from agents.models.common import one_of
from agents.models.leased import AskedWork
from agents.states import AskedState


class McpServer(AskedWork):
    """An MCP server that somebody added: a command of the jail or an address, what it listed last, and the listing,
    which is what its lease and its state are of.

    `tools`: an object for each tool that it listed: `name` (its own, untrusted), `component` (what it is called in
    mindX), `fault` (why it cannot be one, empty otherwise). `reason`: why the last listing failed. Sealed when somebody
    asks for a listing: the worker runs its command in their name.
    """

    sealed = ("name", "command", "source", "address", "asked_by_id")
    acted_on = Q(removed_at=None)

    name = models.CharField(max_length=20)
    command = models.CharField(max_length=200, blank=True)
    # The text of a program, which `{source}` in the command stands for.
    source = models.TextField(blank=True)
    address = models.CharField(max_length=200, blank=True)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    tools = models.JSONField(default=list)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    asked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("state", AskedState, "mcp_server_state_known"),
            models.UniqueConstraint(fields=["name"], condition=Q(removed_at=None), name="mcp_server_name"),
            models.CheckConstraint(
                condition=(Q(command="") & ~Q(address="") & Q(source="")) | (~Q(command="") & Q(address="")),
                name="mcp_server_one_way",
            ),
        ]

    def __str__(self) -> str:
        return self.name
