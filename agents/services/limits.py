"""The ceilings of a goal's steps, from the administration's rows; they go into the plan and are approved with it."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q

from agents.bdi import limits
from agents.bdi.limits import Number
from agents.models import Goal, ToolLimit


def for_tools(goal: Goal, tools: Collection[str]) -> dict[str, dict[str, Number]]:
    """The ceilings of each tool for a plan of this goal that is proposed now.

    Field by field the most specific row decides: this agent with this tool, this agent, this tool, everybody.
    """
    rows = list(ToolLimit.objects.filter(Q(agent=goal.agent_id) | Q(agent=None), tool__in=["", *tools]))
    rows.sort(key=lambda row: (row.agent_id is None, row.tool == ""))
    return {
        tool: limits.resolve(
            [row.ceilings() for row in rows if row.tool in ("", tool)], quota_bytes=goal.workspace.quota_bytes
        )
        for tool in tools
    }
