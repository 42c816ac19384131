"""The ceilings of a goal's steps, from the administration's rows; they go into the plan and are approved with it."""

from __future__ import annotations

from collections.abc import Collection

from agents.models import Goal, ToolLimit
from agents.record import prepared
from agents.toolkit import limits
from agents.toolkit.limits import BOUNDS, Number

# All rows of an agent and of everybody, the most specific first: there are few, and each plan asks.
_ROWS = f"""
    SELECT tool, {", ".join(BOUNDS)} FROM {ToolLimit._meta.db_table}
    WHERE agent_id = %(agent)s OR agent_id IS NULL
    ORDER BY agent_id IS NULL, tool = ''
"""  # noqa: S608  # names of our own table and columns


def for_tools(goal: Goal, tools: Collection[str]) -> dict[str, dict[str, Number]]:
    """The ceilings of each tool for a plan of this goal that is proposed now.

    Field by field the most specific row decides: this agent with this tool, this agent, this tool, everybody.
    """
    rows = prepared.rows(_ROWS, {"agent": goal.agent_id})
    return {
        tool: limits.resolve(
            [dict(zip(BOUNDS, row[1:], strict=True)) for row in rows if row[0] in ("", tool)],
            quota_bytes=goal.workspace.quota_bytes,
        )
        for tool in tools
    }
