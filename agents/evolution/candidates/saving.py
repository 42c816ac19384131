"""Saving what a person wrote: a new version, measured by what its component has run already before it is used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.db import transaction

from agents.components import rule_writing, tool_writing, workflow_library
from agents.evolution.activation import tool_checks
from agents.evolution.replays import cases, replays
from agents.rules.grammar import Rule
from library.models import Component, ComponentVersion
from people.models import User


class Saved(NamedTuple):
    """The new version, and whether earlier goals are replayed with it; then it is a candidate whatever was asked."""

    version: ComponentVersion
    is_replayed: bool

    @property
    def says(self) -> str:
        """What the person is told of the replay; empty where there is none."""
        parent = self.version.parent
        return f" Earlier goals are replayed with it and with {parent.version}." if self.is_replayed and parent else ""


def save(
    text: str,
    *,
    by: User,
    of: Component | None,
    changes: str = "",
    activate: bool = False,
    among: Iterable[Rule] = (),
) -> Saved:
    """Keep the text as `rule_writing.save` does. Raises what that raises, and what `replays.ask` raises."""
    # What has run already is measured by that first, whoever writes the next version.
    has_cases = of is not None and cases.has_any(of)
    version = rule_writing.save(text, by=by, of=of, changes=changes, activate=activate and not has_cases, among=among)
    return Saved(version, has_cases and replayed(version, by=by, why=changes))


def save_tool(text: str, *, by: User, of: Component | None, changes: str = "") -> Saved:
    """Keep the text as `tool_writing.save` does, and have its trials run. Raises what that raises."""
    with transaction.atomic():
        version = tool_writing.save(text, by=by, of=of, changes=changes)
        tool_checks.ask(version, by=by)
        return Saved(version, replayed(version, by=by, why=changes))


def save_workflow(text: str, *, by: User, of: Component | None, changes: str = "") -> Saved:
    """Keep the text as `workflow_library.save` does. Raises what that raises."""
    with transaction.atomic():
        version = workflow_library.save(text, by=by, of=of, changes=changes)
        return Saved(version, replayed(version, by=by, why=changes))


def replayed(version: ComponentVersion, *, by: User, why: str) -> bool:
    """Have a version replayed beside its parent if it has one and anything ran with that; whether it is."""
    if version.parent is None or not cases.has_any(version.component):
        return False
    replays.ask(version, by=by, why=why)
    return True
