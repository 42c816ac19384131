"""A form made out of a command's JSON Schema, and the parameters read back from what was filled in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.toolkit.command import Command
from agents.toolkit.hosts import THE_INDEX, entries_of, host_problem
from agents.toolkit.schemas import HOSTS_KIND, JsonError, loads_strict, problems
from sandbox.gate.hosts import PACKAGES

_KINDS = {"boolean": "switch", "integer": "number", "string": "line"}
_FAR_OFF = 1_000_000_000
_WHOLE = re.compile(r"-?[0-9]{1,17}")
_SWITCHED_ON = frozenset({"on", "true", "1", "yes"})


@dataclass(frozen=True)
class Field:
    """One input. `kind` is line, text, number, switch, choice or json; `value` is what it shows."""

    name: str
    label: str
    kind: str
    required: bool
    hint: str
    value: str = ""
    choices: tuple[str, ...] = ()
    error: str = ""

    @property
    def needs_lines(self) -> bool:
        """Whether the value would lose something in an input of one line."""
        return self.kind in ("text", "json") or "\n" in self.value or "\r" in self.value

    @property
    def is_on(self) -> bool:
        """Whether a switch is on."""
        return self.value in _SWITCHED_ON


def fields(
    command: Command, filled: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None
) -> list[Field]:
    """The inputs of a command, the required ones first; `filled` are the words of a person, else the defaults."""
    made = [_field(command, name, filled, errors or {}) for name in command.properties]
    return sorted(made, key=lambda field: not field.required)


def read(command: Command, filled: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Parameters with the types of the schema, and the errors by field. Optional fields left empty are left out, and so
    is a switch that is off anyway.
    """
    params: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, described in command.properties.items():
        text = filled.get(name, "").replace("\r\n", "\n")
        if described["type"] == "boolean":
            if (is_on := text in _SWITCHED_ON) or name in command.required or "default" in described:
                params[name] = is_on
        elif text or (name in command.required and described["type"] == "string"):
            try:
                params[name] = _typed(described, text)
            except (ValueError, JsonError) as error:
                errors[name] = f"{error}"
    for field, message in problems(command.schema, params):
        errors.setdefault(field.split(".")[0], f"This {message}.")
    return params, errors


def shown(command: Command, params: Mapping[str, Any]) -> dict[str, str]:
    """The values of a step as its inputs show them, by parameter."""
    return {name: _shown(command.properties.get(name, {}), value) for name, value in params.items()}


def _shown(described: Mapping[str, Any], value: Any) -> str:
    if described.get("x-kind") == HOSTS_KIND and isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    return as_text(value)


def read_over(
    command: Command, params: Mapping[str, Any], filled: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """All values of a step that has `params` already, as they were typed, and the errors by field.

    Nothing changes that nobody touched: a browser writes line ends its own way, and a reference fits no input.
    """
    values, errors = read(command, filled)
    for name, text in shown(command, params).items():
        if name in command.properties and same_text(filled.get(name, ""), text):
            values[name] = params[name]
            errors.pop(name, None)
    return values, errors


def same_text(one: str, other: str) -> bool:
    """Whether two texts differ at most in how their lines end."""
    return one.replace("\r\n", "\n").replace("\r", "\n") == other.replace("\r\n", "\n").replace("\r", "\n")


def _field(command: Command, name: str, filled: Mapping[str, str] | None, errors: Mapping[str, str]) -> Field:
    described = command.properties[name]
    default = described.get("default")
    shown = filled.get(name, "") if filled is not None else as_text(default)
    return Field(
        name=name,
        label=str(described.get("title") or name.replace("_", " ").capitalize()),
        kind=_kind(described),
        required=name in command.required,
        hint=_hint(described),
        value=shown,
        choices=tuple(str(choice) for choice in described.get("enum", ())),
        error=errors.get(name, ""),
    )


def _kind(described: Mapping[str, Any]) -> str:
    if "enum" in described:
        return "choice"
    if described.get("x-multiline"):
        return "text"
    if described.get("x-kind") == HOSTS_KIND:
        return "line"
    return _KINDS.get(described["type"], "json")


def _hint(described: Mapping[str, Any]) -> str:
    said = [str(described.get("description", "")).rstrip(".")]
    if described.get("x-kind") == "path":
        said.append("a path inside the workspace")
    if described.get("x-kind") == HOSTS_KIND:
        said.append(f"such as example.org or 127.0.0.1:8123, separated by commas; {PACKAGES} is {THE_INDEX}")
    said.append(_range(described.get("minimum"), described.get("maximum")))
    return "; ".join(part for part in said if part)


def _range(least: Any, most: Any) -> str:
    """The numbers that are taken, in words; a bound so far off that nobody reaches it is not said."""
    if most is None or most >= _FAR_OFF:
        return "" if least is None else f"{least} or more"
    return f"at most {most}" if least is None else f"{least} to {most}"


def as_text(value: Any) -> str:
    """A value as its input shows it; a switch that is on says "on"."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "on" if value else ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _hosts(text: str) -> list[str]:
    entries = entries_of(text)
    if wrong := host_problem(entries):
        raise ValueError(f"{wrong[:1].upper()}{wrong[1:]}.")
    return entries


def _typed(described: Mapping[str, Any], text: str) -> Any:
    if text.startswith("{{") and text.endswith("}}") and described.get("x-reference"):
        return text
    if described.get("x-kind") == HOSTS_KIND:
        return _hosts(text)
    match described["type"]:
        case "string":
            return text
        case "integer":
            if not _WHOLE.fullmatch(text.strip()):
                raise ValueError("This must be a whole number.")
            return int(text)
    try:
        return loads_strict(text)
    except JsonError as error:
        raise ValueError(f"This must be JSON: {error}.") from error
