"""A goal that is itself `{tool, command, params}`, or a list of them."""

from __future__ import annotations

from agents.bdi.understanding.understood import Meant, Understood
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.schemas import JsonError, loads_strict, problems
from agents.toolkit.types import Param


def as_data(text: str, registry: Registry) -> Understood | None:
    """The commands that a text gives as data; None where it is no such data, or names what is not there."""
    if text.strip()[:1] not in "{[":
        return None
    try:
        raw = loads_strict(text)
    except JsonError:
        return None
    meant = [_command(item, text, registry) for item in (raw if isinstance(raw, list) else [raw])]
    found = tuple(one for one in meant if one is not None)
    return Understood(found, confidence=1.0) if found and len(found) == len(meant) else None


def _command(item: object, text: str, registry: Registry) -> Meant | None:
    if not isinstance(item, dict) or not isinstance(item.get("params", {}), dict):
        return None
    try:
        command = registry.command(str(item.get("tool", "")), str(item.get("command", "")))
    except UnknownTool:
        return None
    also = registry.said(command).also
    params = {
        also.get(name, name) if name not in command.properties else name: value
        for name, value in item.get("params", {}).items()
    }
    if problems(command.schema, params):
        return None
    given = {name: Param(value, "explicit") for name, value in params.items()}
    return Meant(command.tool, command.name, given, text, 1.0)
