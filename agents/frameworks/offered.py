"""Our tools as other frameworks describe tools: a name without a dot, a sentence, and a JSON Schema. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from agents.frameworks.contract import Offered
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry

# Names of tools are letters, digits, _ and - in every provider's protocol, and no tool of ours holds two in a row.
_BETWEEN = "__"
# Marks of ours, which no other reader of a schema knows.
_OURS = "x-"


def offered(registry: Registry, tools: Collection[str] = ()) -> tuple[Offered, ...]:
    """Every command of the tools with these names, of all tools where there are none, that makes sense alone.

    Each call is a plan of one step with a session of its own. What only changes the session would do nothing, and what
    needs autonomous mode, which a step before it would have to switch on, would be refused.
    """
    return tuple(
        Offered(name_of(command), _described(command), plain_schema(command.schema))
        for tool in registry.tools
        for command in tool.commands
        if (not tools or tool.name in tools) and not (command.changes_session or command.needs_autonomous)
    )


def name_of(command: Command) -> str:
    """The name by which a framework calls the command."""
    return f"{command.tool}{_BETWEEN}{command.name}"


def command_named(name: str) -> tuple[str, str]:
    """Tool and command of a name that a framework calls; the command is empty where the name is none of ours."""
    tool, _, command = name.partition(_BETWEEN)
    return tool, command


def _described(command: Command) -> str:
    marks = [f"effect {command.effect}"]
    if command.autonomous_with:
        marks.append(f"refused with {command.autonomous_with}, which needs autonomous mode")
    if command.result_keys:
        marks.append(f"result: {', '.join(command.result_keys)}")
    return f"{command.summary} [{'; '.join(marks)}] e.g. {json.dumps(dict(command.examples[0]))}"


def plain_schema(schema: Any) -> Any:
    """A schema without marks of ours, as other readers take it."""
    if isinstance(schema, Mapping):
        return {name: plain_schema(one) for name, one in schema.items() if not str(name).startswith(_OURS)}
    return [plain_schema(one) for one in schema] if isinstance(schema, list | tuple) else schema
