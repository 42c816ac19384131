"""What a command is, in one short word: another schema or another effect is another command under the same name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agents.toolkit import canonical

if TYPE_CHECKING:
    from agents.toolkit.command import Command

# How a form shows a value changes nothing about what the command does with it.
_FOR_FORMS = frozenset({"title", "description", "examples", "x-multiline"})
_LENGTH = 16


def version_of(command: Command) -> str:
    """16 hex digits over everything of a command that decides what an approved step of it does."""
    named = f"{command.tool}.{command.name}\0".encode()
    return hashlib.sha256(named + canonical.dumps(_does(command))).hexdigest()[:_LENGTH]


def _does(command: Command) -> dict[str, Any]:
    does = {
        "schema": _bare(command.schema),
        "effect": command.effect,
        "needs_autonomous": command.needs_autonomous,
        "autonomous_with": command.autonomous_with,
        "changes_session": command.changes_session,
    }
    # Said only where there is one, so that commands without keep the version under which they were approved.
    does |= {"finish": command.finish} if command.finish else {}
    return does | ({"source": command.source} if command.source else {})


def _bare(schema: Any, *, of_names: bool = False) -> Any:
    """The schema without words for people. `of_names`: the keys here are parameters, not keywords."""
    if isinstance(schema, Mapping):
        kept = (name for name in schema if of_names or name not in _FOR_FORMS)
        return {name: _bare(schema[name], of_names=name == "properties" and not of_names) for name in kept}
    return [_bare(one) for one in schema] if isinstance(schema, list | tuple) else schema
