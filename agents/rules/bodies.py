"""Compiling the lines of a rule's body: which command a line is, and what its slots become."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.rules.grammar import BodyLine, Rule
from agents.rules.wording import best_wording
from agents.toolkit.command import Command
from agents.toolkit.hosts import entries_of, entry_of, host_of_slot, pieces_of
from agents.toolkit.packages import given_to_pip
from agents.toolkit.phrases import Reading, read_raw
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.schemas import HOSTS_KIND
from agents.toolkit.tools.waiting import NAME, UNTIL
from agents.toolkit.wording.kinds import KINDS
from agents.toolkit.wording.slots import Template
from agents.toolkit.wording.words import Text, Value, quote, read_text, unescape

_SLOT = re.compile(r"(?<![\\{])\{([a-z][a-z0-9_]*)\}(?!\})")
_CHUNK = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+')
_WORDS = re.compile(r"\w(?:[\w '-]*\w)?\Z")
_STRICTNESS = KINDS


@lru_cache(maxsize=16_384)
def compile_line(line: str, registry: Registry) -> Reading | None:
    """Return what a body line says, its slots still open; None when no phrase fits."""
    return read_raw(line, registry)


def reading_of(line: BodyLine, registry: Registry) -> Reading | None:
    """Return the command that a line of a body is, its slots still open; None where it is a sub-goal, or none fits."""
    if line.wait is None:
        return None if line.subgoal else compile_line(line.text, registry)
    if line.wait.seconds is None:
        return None
    try:
        command = registry.command(NAME, UNTIL)
    except UnknownTool:
        return None
    said = f"{'NOT ' if line.wait.negated else ''}{line.text}"
    values = {"context": Value(said, (0, 0), quoted=False), "at_most_s": Value(str(line.wait.seconds), (0, 0), False)}
    return Reading(command, values, 0)


@dataclass(frozen=True)
class Filled:
    """A parameter's text with its slots filled, and the slots that were used."""

    text: str
    slots: tuple[str, ...]


def slots_in(text: str) -> tuple[str, ...]:
    """Return the slots that a piece of a rule mentions, in order, each once."""
    return tuple(dict.fromkeys(_SLOT.findall(text)))


def fill(value: Value, slots: Mapping[str, str]) -> Filled:
    """Return the text of a parameter with its slots filled.

    What is filled in is taken as it is: escapes, braces and quotes inside a value are never read. Raises KeyError for a
    slot without a value.
    """
    used = slots_in(value.raw)
    pieces = _SLOT.split(value.raw)
    for number, piece in enumerate(pieces):
        if number % 2:
            pieces[number] = slots[piece]
        elif value.quoted:
            pieces[number] = unescape(piece)
    return Filled("".join(pieces), used)


def fill_command_line(value: Value, slots: Mapping[str, str]) -> Filled:
    """Return a command line with its slots filled, each value quoted to stay one argument.

    A command line that is one slot is the person's own and is taken as it is.
    """
    used = slots_in(value.raw)
    if not used or _SLOT.fullmatch(value.raw):
        return fill(value, slots)
    pieces = _SLOT.split(unescape(value.raw) if value.quoted else value.raw)
    result = ""
    for number, piece in enumerate(pieces):
        result += as_argument(slots[piece], open_quote(result)) if number % 2 else piece
    return Filled(result, used)


def fill_hosts(value: Value, slots: Mapping[str, str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the entries of a list of hosts with its slots filled, and the slots; a value stays in its own entry.

    A list that is one slot is the person's own and may hold several.
    """
    raw = unescape(value.raw) if value.quoted else value.raw
    used = slots_in(raw)
    if not used or _SLOT.fullmatch(raw):
        return entries_of(fill(Value(raw, value.span, quoted=False), slots).text), used
    filled = (fill(Value(piece, value.span, quoted=False), slots).text for piece in pieces_of(raw))
    return [entry_of(piece) for piece in filled], used


def as_argument(value: str, inside: str) -> str:
    """Return a value as a part of one argument, at a place where the quotation mark `inside` (or none) is open."""
    if inside == '"':
        return re.sub(r'(["\\$`])', r"\\\1", value)
    return value.replace("'", "'\"'\"'") if inside == "'" else shlex.quote(value)


def open_quote(text: str) -> str:
    """Return the quotation mark that is open at the end of a command line, or nothing."""
    open_mark, at = "", 0
    while at < len(text):
        char = text[at]
        if char == "\\" and open_mark != "'":
            at += 1
        elif char in "\"'" and open_mark in ("", char):
            open_mark = "" if open_mark else char
        at += 1
    return open_mark


def fill_context(text: str, slots: Mapping[str, str], kinds: Mapping[str, str]) -> str:
    """Return a context with its slots filled: names quoted, so that they can only be read as names, other values as
    words.

    Raises KeyError for a slot without a value.
    """
    return _CHUNK.sub(lambda found: _filled_chunk(found.group(), slots, kinds), text)


def _filled_chunk(chunk: str, slots: Mapping[str, str], kinds: Mapping[str, str]) -> str:
    used = slots_in(chunk) if "{" in chunk else ()
    if not used:
        return chunk
    quoted = len(chunk) > 1 and chunk.startswith('"') and chunk.endswith('"')
    said = fill(Value(chunk[1:-1] if quoted else chunk, (0, 0), quoted), slots).text
    plain_words = not quoted and all(kinds.get(slot, "text") not in ("path", "name") for slot in used)
    return said if plain_words and _WORDS.match(said) else quote(said)


def fill_subgoal(text: str, slots: Mapping[str, str]) -> tuple[str, dict[tuple[int, int], str]]:
    """Return the text of a sub-goal with its slots filled, and the span of each value in it with its slot.

    The spans are handed to `read_text` as atoms, so that a value is always one piece and never words of the language.
    """
    atoms: dict[tuple[int, int], str] = {}
    result = ""
    for number, piece in enumerate(_SLOT.split(text)):
        if number % 2:
            atoms[len(result), len(result) + len(slots[piece])] = piece
            result += slots[piece]
        else:
            result += piece
    return result, atoms


@lru_cache(maxsize=4_096)
def with_subgoals(rule: Rule, rules: tuple[Rule, ...], registry: Registry) -> Rule:
    """Return the rule with every line of its body marked as a sub-goal that is one.

    PLAN TO says so, or no command is said like this and the line names the task of another rule, as published rules do.
    """
    body = tuple(
        replace(line, subgoal=True)
        if not (line.subgoal or line.wait)
        and compile_line(line.text, registry) is None
        and named_by(line.text, rule, rules)
        else line
        for line in rule.body
    )
    return rule if body == rule.body else replace(rule, body=body)


def named_by(line: str, rule: Rule, rules: Iterable[Rule]) -> Rule | None:
    """Return the first other rule whose task has the words of the line."""
    text, slots = as_task(line)
    spoken = text.vocabulary
    for other in rules:
        for trigger in other.triggers:
            # Nearly every task is ruled out here; a library is gone through for each line of each of its rules.
            if trigger.template.needed <= spoken and _says(text, slots, trigger.template) and other.name != rule.name:
                return other
    return None


def names(line: str, task: Template) -> bool:
    """Whether the line has the words of the task, case and articles aside; a slot of the task is a slot of the line."""
    return _says(*as_task(line), task)


def _says(text: Text, slots: Set[tuple[int, int]], task: Template) -> bool:
    match = task.match(text, dict.fromkeys(task.slots, "name"))
    return match is not None and all(value.span in slots for value in match.values.values())


@lru_cache(maxsize=16_384)
def as_task(line: str) -> tuple[Text, frozenset[tuple[int, int]]]:
    """Return a line as the text of a task, its slots taken as the words that they are, and where these stand in it."""
    said, atoms = fill_subgoal(line, {slot: slot for slot in slots_in(line)})
    return read_text(said, atoms=tuple(atoms)), frozenset(atoms)


@lru_cache(maxsize=4_096)
def own_kinds(rule: Rule, registry: Registry) -> Mapping[str, str]:
    """Return the slot kinds that the rule's own steps imply; slots that only stand in sub-goals are not in it."""
    kinds: dict[str, str] = {}
    for line in (*rule.body, *rule.on_failure):
        reading = reading_of(line, registry)
        for parameter, value in reading.values.items() if reading else ():
            for slot in slots_in(value.raw):
                kind = _kind_in(reading.command, parameter, value, slot) if reading else "text"
                kinds[slot] = _stricter(kinds.get(slot), kind)
    return kinds


def _kind_in(command: Command, parameter: str, value: Value, slot: str) -> str:
    kind = command.kind(parameter)
    if kind == HOSTS_KIND and any(host_of_slot(piece) == slot for piece in pieces_of(value.raw)):
        return "address"
    if parameter == "command_line" and f"{{{slot}}}" in given_to_pip(value.raw):
        return "package"
    # A slot that is only a part of a number, a switch or a list cannot be typed on its own; a part of a path still is
    # a path.
    if kind in ("number", "switch", "choice", HOSTS_KIND) and not _SLOT.fullmatch(value.raw):
        return "text"
    return "lines" if kind == "text" and command.properties[parameter].get("x-multiline") else kind


def _stricter(one: str | None, other: str) -> str:
    return other if one is None else min(one, other, key=_STRICTNESS.index)


def slot_kinds(rule: Rule, rules: tuple[Rule, ...], registry: Registry, depth: int = 4) -> dict[str, str]:
    """Return the kind of every slot of a rule, following sub-goals into the rules that would serve them."""
    kinds = dict(own_kinds(rule, registry))
    for line in with_subgoals(rule, rules, registry).body if depth else ():
        if line.subgoal and slots_in(line.text):
            for slot, kind in _kinds_below(line, rules, registry, depth):
                kinds[slot] = _stricter(kinds.get(slot), kind)
    return {slot: kinds.get(slot, "text") for slot in (*rule.slots, *_slots_of_contexts(rule))}


@lru_cache(maxsize=4_096)
def _slots_of_contexts(rule: Rule) -> tuple[str, ...]:
    return tuple(slot for context in rule.contexts for slot in slots_in(context.text))


@lru_cache(maxsize=4_096)
def _kinds_below(
    line: BodyLine, rules: tuple[Rule, ...], registry: Registry, depth: int
) -> tuple[tuple[str, str], ...]:
    slots = {slot: f"x{number}" for number, slot in enumerate(slots_in(line.text))}
    back = {word: slot for slot, word in slots.items()}
    text, _ = fill_subgoal(line.text, slots)
    found: list[tuple[str, str]] = []
    for rule in rules:
        wording = best_wording(rule, read_text(text), {})
        if wording is not None:
            below = slot_kinds(rule, rules, registry, depth - 1)
            found.extend((back[v.raw], below[s]) for s, v in wording[1].values.items() if v.raw in back)
    return tuple(found)
