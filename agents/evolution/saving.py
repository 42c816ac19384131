"""Saving what a person wrote: a new version of a rule, measured by what it has run already before it is used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agents.components import rule_writing
from agents.evolution import cases, replays
from agents.rules.grammar import Rule
from library.models import Component, ComponentVersion
from people.models import User


class Saved(NamedTuple):
    """The new version, and whether earlier goals are replayed with it; then it is a candidate whatever was asked."""

    version: ComponentVersion
    is_replayed: bool


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
    is_replayed = has_cases and version.parent is not None
    if is_replayed:
        replays.ask(version, by=by, why=changes)
    return Saved(version, is_replayed)
