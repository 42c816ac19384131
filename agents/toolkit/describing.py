"""The parts that the parameters of commands are described with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.toolkit.schemas import ADDRESS_KIND, HOSTS_KIND
from sandbox.gate.hosts import MOST_ENTRIES


def fields(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    """The schema of a command: its parameters by name, and which of them must be given."""
    return {"type": "object", "additionalProperties": False, "properties": dict(properties), "required": list(required)}


def path(title: str, **more: Any) -> dict[str, Any]:
    """A file or folder of the workspace."""
    return {"type": "string", "title": title, "minLength": 1, "maxLength": 1024, "x-kind": "path", **more}


def line(title: str, most_chars: int = 1000, **more: Any) -> dict[str, Any]:
    """A few words on one line, never empty."""
    return {"type": "string", "title": title, "minLength": 1, "maxLength": most_chars, **more}


def number(title: str, least: int, most: int, **more: Any) -> dict[str, Any]:
    """A whole number."""
    return {"type": "integer", "title": title, "minimum": least, "maximum": most, **more}


def switch(title: str, *, default: bool) -> dict[str, Any]:
    """On or off."""
    return {"type": "boolean", "title": title, "default": default}


def hosts(title: str = "Hosts it may reach") -> dict[str, Any]:
    """What a step may reach: it decides how the jail is opened, so the session's command never sees it."""
    entry = {"type": "string", "minLength": 1, "maxLength": 260}
    return {"type": "array", "title": title, "items": entry, "maxItems": MOST_ENTRIES, "x-kind": HOSTS_KIND}


def address(title: str, **more: Any) -> dict[str, Any]:
    """A web address; the step may reach its host."""
    return {"type": "string", "title": title, "minLength": 1, "maxLength": 2_000, "x-kind": ADDRESS_KIND, **more}
