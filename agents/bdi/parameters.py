"""Resolving parameters: every value gets its origin, and what was not said gets its declared default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.bdi.references import is_reference
from agents.bdi.types import Param
from agents.rules.bodies import fill, fill_command_line
from agents.rules.selection import SlotValue
from agents.rules.words import Value
from agents.toolkit.command import Command
from agents.toolkit.phrases import typed


def from_person(command: Command, values: Mapping[str, Any]) -> dict[str, Param]:
    """Return the parameters of a hand-written step: explicit, references marked as such, defaults filled in."""
    given = {name: Param(value, "reference" if is_reference(value) else "explicit") for name, value in values.items()}
    return with_defaults(command, given)


def from_rule(
    command: Command, values: Mapping[str, Value], slots: Mapping[str, SlotValue], rule: str
) -> dict[str, Param]:
    """Return the parameters of a rule's step. Raises KeyError for a slot the goal left open."""
    words = {name: slot.value for name, slot in slots.items()}
    given = {}
    for name, value in values.items():
        filled = (fill_command_line if name == "command_line" else fill)(value, words)
        result = typed(command, name, filled.text)
        if filled.slots:
            spans = [slots[slot].span for slot in filled.slots]
            note = "filled from " + ", ".join("{" + slot + "}" for slot in filled.slots)
            given[name] = Param(result, "rule_slot", span=spans[0], note=note)
        elif is_reference(result):
            given[name] = Param(result, "reference")
        else:
            given[name] = Param(result, "explicit", note=f"written in the rule “{rule}”")
    return with_defaults(command, given)


def with_defaults(command: Command, params: Mapping[str, Param]) -> dict[str, Param]:
    """Return the parameters with the defaults of those that are missing, in the order of the schema."""
    full = {name: Param(value, "default") for name, value in command.defaults().items()} | dict(params)
    known = [name for name in command.properties if name in full]
    return {name: full[name] for name in (*known, *(name for name in full if name not in command.properties))}
