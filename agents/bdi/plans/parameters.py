"""Resolving parameters: every value gets its origin, and a value that was not said gets its declared default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from agents.rules.bodies import fill, fill_command_line, fill_context, fill_hosts
from agents.rules.selection import SlotValue
from agents.toolkit.command import Command
from agents.toolkit.packages import fetches_packages
from agents.toolkit.phrases import typed
from agents.toolkit.references import is_reference
from agents.toolkit.schemas import HOSTS_KIND
from agents.toolkit.types import Param
from agents.toolkit.wording.words import Value
from sandbox.gate.hosts import PACKAGES

# The note of a value that stands in a rule, before the rule's name.
_WRITTEN = "written in the rule "
MAX_QUOTED = 200
_INDEX_NOTE = "pip fetches from the package index"


def from_person(command: Command, values: Mapping[str, Any]) -> dict[str, Param]:
    """Return the parameters of a hand-written step: explicit, references marked as such, defaults filled in."""
    return with_defaults(command, given(values))


def given(values: Mapping[str, Any]) -> dict[str, Param]:
    """Return values that a person wrote, with their origin: explicit, or a reference."""
    return {name: Param(value, "reference" if is_reference(value) else "explicit") for name, value in values.items()}


def from_rule(
    command: Command, values: Mapping[str, Value], slots: Mapping[str, SlotValue], rule: str
) -> dict[str, Param]:
    """Return the parameters of a rule's step. Raises KeyError for a slot the goal left open."""
    words = {name: slot.value for name, slot in slots.items()}
    found = {}
    for name, value in values.items():
        result, used = _filled(command, name, value, words)
        if used:
            from_belief = any(slots[slot].belief for slot in used)
            note = "filled from " + ", ".join(_source(slot, slots[slot]) for slot in used)
            found[name] = Param(result, "belief" if from_belief else "rule_slot", span=slots[used[0]].span, note=note)
        elif is_reference(result):
            found[name] = Param(result, "reference")
        else:
            found[name] = Param(result, "explicit", note=f"{_WRITTEN}“{rule}”")
    return with_defaults(command, found)


def waiting_params(
    command: Command, values: Mapping[str, Value], slots: Mapping[str, SlotValue], rule: str
) -> dict[str, Param]:
    """The same of a step that waits: names go into its context quoted, as into one of the rule. Raises KeyError."""
    found = from_rule(command, values, slots, rule)
    words, kinds = {name: one.value for name, one in slots.items()}, {name: one.kind for name, one in slots.items()}
    context = fill_context(values["context"].raw, words, kinds)
    return {**found, "context": replace(found["context"], value=context)}


def _source(slot: str, value: SlotValue) -> str:
    said = value.belief if len(value.belief) <= MAX_QUOTED else value.belief[: MAX_QUOTED - 1] + "…"
    return f"{{{slot}}}, as the belief “{said}” says" if said else f"{{{slot}}}"


def is_written_in_rule(origin: str, note: str) -> bool:
    """Whether a rule gave the value as it stands, not the words of a person."""
    return origin == "explicit" and note.startswith(_WRITTEN)


def _filled(command: Command, name: str, value: Value, words: Mapping[str, str]) -> tuple[Any, tuple[str, ...]]:
    """The value of a parameter with the rule's slots filled, and the slots that went in."""
    if command.kind(name) == HOSTS_KIND:
        return fill_hosts(value, words)
    filled = (fill_command_line if name == "command_line" else fill)(value, words)
    return typed(command, name, filled.text), filled.slots


def with_defaults(command: Command, params: Mapping[str, Param]) -> dict[str, Param]:
    """Return the parameters with the defaults of those that are missing, in the order of the schema.

    What installs packages gets the package index, when nothing was said about hosts (an empty list says: none). No
    other host is ever guessed.
    """
    defaults = {name: Param(value, "default") for name, value in command.defaults().items()}
    line = params.get("command_line")
    if line is not None and fetches_packages(line.value):
        asks = (name for name in command.properties if command.kind(name) == HOSTS_KIND)
        defaults |= {name: Param([PACKAGES], "default", note=_INDEX_NOTE) for name in asks}
    full = defaults | dict(params)
    known = [name for name in command.properties if name in full]
    return {name: full[name] for name in (*known, *(name for name in full if name not in command.properties))}


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from texts_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts_in(one)
