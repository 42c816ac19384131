"""The tools that ship with mindX, as components of the library: what each says of itself, so that searches find it.

Their code is mindX's own and changes with it; no version of them is ever activated or retired here.
"""

from __future__ import annotations

from typing import Any

import yaml

from agents.components.tool_writing import when_to_use
from agents.toolkit.command import Command, Tool
from agents.toolkit.registry import REGISTRY
from library.components.services import Starter


def starters() -> list[Starter]:
    """One for each tool. A tool that says something else with a newer mindX becomes a new version."""
    return [Starter(tool.name, _declared(tool), when_to_use(tool), tool.summary) for tool in REGISTRY.tools]


def _declared(tool: Tool) -> str:
    """What a tool says of itself, in the form of tools that people make, without code."""
    head = {
        "tool": tool.name,
        "label": tool.label,
        "summary": tool.summary,
        "commands": {command.name: _command(command) for command in tool.commands},
    }
    return yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=110)


def _command(command: Command) -> dict[str, Any]:
    return {
        "summary": command.summary,
        "parameters": {name: dict(described) for name, described in command.properties.items()},
        "phrases": list(command.phrases),
        "effect": command.effect,
        "results": list(command.result_keys),
        "examples": [dict(example) for example in command.examples],
    }
