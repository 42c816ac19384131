"""A tool as its page explains it, told from its declaration alone, so that every tool has such a page (pure)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.toolkit import phrases
from agents.toolkit.command import Command, Tool
from agents.toolkit.effects import EFFECTS
from agents.toolkit.limits import DEFAULTS, in_words, label

_KINDS = {
    "path": "a file or folder of the workspace",
    "name": "a name without a slash",
    "hosts": "hosts, with commas between them",
    "address": "an address on the web, http or https",
}
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "on or off",
    "array": "a list",
}
# The ceilings that tell whether a task is too large for a step.
_TO_MODEL = "Changes no file; what it read leaves this machine, and costs money each time it is asked."
_LIMITS = ("soft_s", "hard_s", "memory_bytes", "processes", "file_bytes", "workspace_bytes", "output_bytes")


@dataclass(frozen=True)
class ShownParameter:
    """A parameter in words; `default` is None when it has none."""

    name: str
    title: str
    takes: str
    required: bool
    default: str | None


@dataclass(frozen=True)
class ShownCommand:
    """A command in words. `examples` are sentences that a rule or a plan may hold."""

    name: str
    summary: str
    phrases: tuple[str, ...]
    parameters: tuple[ShownParameter, ...]
    effect: str
    effect_words: str
    examples: tuple[str, ...]
    results: tuple[str, ...]
    remarks: tuple[str, ...]


def shown(tool: Tool) -> list[ShownCommand]:
    """All commands of the tool, in its order."""
    return [_command(command) for command in tool.commands]


def usual_limits() -> list[tuple[str, str]]:
    """What a step gets unless an operator has set something else: (what, how much)."""
    return [(label(name), in_words(name, DEFAULTS[name])) for name in _LIMITS]


def _command(command: Command) -> ShownCommand:
    return ShownCommand(
        command.name,
        command.summary,
        command.phrases,
        tuple(
            ShownParameter(
                name,
                str(described.get("title", name)),
                _takes(described),
                name in command.required,
                _said(described["default"]) if "default" in described else None,
            )
            for name, described in command.properties.items()
        ),
        command.effect,
        _TO_MODEL if command.asks_model else EFFECTS[command.effect],
        tuple(phrases.say(command, {**command.defaults(), **example}) for example in command.examples),
        command.result_keys,
        tuple(_remarks(command)),
    )


def _takes(described: Mapping[str, Any]) -> str:
    if "enum" in described:
        return "one of " + ", ".join(map(_said, described["enum"]))
    words = _KINDS.get(str(described.get("x-kind")), _TYPES.get(str(described["type"]), str(described["type"])))
    low, high = described.get("minimum"), described.get("maximum")
    if low is not None and high is not None:
        words += f" from {low:,} to {high:,}"
    elif "maxLength" in described and "x-kind" not in described:
        words += f" of at most {described['maxLength']:,} characters"
    return words + ("; may be an earlier result" if described.get("x-reference") else "")


def _remarks(command: Command) -> Iterator[str]:
    kinds = set(command.kinds.values())
    if command.needs_autonomous:
        yield "Works in autonomous mode only."
    if command.autonomous_with:
        yield f"With {command.autonomous_with} on it works in autonomous mode only."
    if kinds & {"hosts", "address"}:
        yield "Reaches the network only at the hosts that its step names and a reviewer approves."
    else:
        yield "Has no network."
    if command.asks_model:
        yield "What it read goes to the language model, outside the sandbox. A dry run never asks it."
    if command.changes_session:
        yield "Changes what the next steps of the plan start from."


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
