"""From one plan that worked to a rule: what the goal said and the steps used becomes a slot.

A value becomes a slot when it stands in the goal as a whole word, quotation or phrase, and in a step as a whole value,
as one
part of a path, or as that part without its ending. In command lines a path slot is filled wherever it stands as a path
part;
inside other texts nothing is replaced, because there a word may mean anything. Every proposal is tried before it is
returned: it parses, has no error of the linter, and plans the same steps for the goal it came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.planning.cleanup import SWITCH
from agents.bdi.planning.means_ends import plan
from agents.rules.entailment import entails
from agents.rules.grammar import RuleSyntaxError, parse
from agents.rules.linter import lint
from agents.rules.selection import KnownRule
from agents.toolkit.command import Command
from agents.toolkit.phrases import say_with, spoken
from agents.toolkit.registry import Registry
from agents.toolkit.schemas import PATH_KINDS
from agents.toolkit.types import Belief, PlanDraft, Step
from agents.toolkit.wording.kinds import FUNCTION_WORDS
from agents.toolkit.wording.slots import spoken_part
from agents.toolkit.wording.words import NOISE, Text, fold, quote, read_text

MAX_GOAL_CHARS = 2_000
MAX_SLOTS = 8
_PLAIN_NAME = re.compile(r"[\w.-]+\Z")
_PATTERN_SIGNS = re.compile(r"[\[\]{}()|]")


class NotGeneralisable(ValueError):
    """No rule can be made of this plan; the message says why."""


@dataclass(frozen=True)
class Proposal:
    """A rule text that was tried on the goal it came from, and the slots it has with the values they had there."""

    text: str
    slots: Mapping[str, str]


@dataclass(frozen=True)
class _Slot:
    name: str
    value: str
    kind: str
    first: int
    last: int


def propose(
    goal_text: str, draft: PlanDraft, registry: Registry, beliefs: Sequence[Belief] = (), name: str = ""
) -> Proposal:
    """Return a rule made of a goal and the plan that achieved it.

    `beliefs` are those the goal was planned with: what they say about the slots becomes the rule's contexts. Raises
    NotGeneralisable when the goal is too long or holds pattern signs, or a step says what rules cannot say.
    """
    text = read_text(goal_text)
    _check(goal_text, draft)
    slots = _candidates(text, draft, registry)
    # A slot that cannot be read back out of the goal (a phrase whose end is unclear) is given up, the longest first.
    for candidate in (*_fewer(slots), []):
        written = _write(text, draft, candidate, registry, beliefs, name)
        if _reproduces(written, goal_text, draft, registry, beliefs):
            return Proposal(written, {slot.name: slot.value for slot in candidate})
    raise NotGeneralisable("the plan cannot be written as a rule that gives the same steps; write the rule by hand")


def _check(goal_text: str, draft: PlanDraft) -> None:
    if not goal_text.strip() or len(goal_text) > MAX_GOAL_CHARS:
        raise NotGeneralisable(f"only goals of up to {MAX_GOAL_CHARS} characters become rules")
    if any(step.condition is not None for step in (*draft.steps, *draft.cleanup)):
        raise NotGeneralisable(
            "a step has a condition, which a rule can only express as a context; write the rule by hand"
        )


def _fewer(slots: list[_Slot]) -> Iterator[list[_Slot]]:
    left = list(slots)
    while left:
        yield left
        longest = max(left, key=lambda slot: (slot.kind == "text", len(slot.value)))
        left = [slot for slot in left if slot is not longest]


def _candidates(text: Text, draft: PlanDraft, registry: Registry) -> list[_Slot]:
    found: list[_Slot] = []
    for value, kind, label in _values(draft, registry):
        place = _place(text, value, kind)
        if place is None or any(slot.value == value for slot in found) or len(found) >= MAX_SLOTS:
            continue
        if any(place[0] < slot.last and slot.first < place[1] for slot in found):
            continue
        taken = {slot.name for slot in found}
        slot_name = next(n for n in (label, *(f"{label}_{i}" for i in range(2, 99))) if n not in taken)
        found.append(_Slot(slot_name, value, kind, *place))
    return found


def _values(draft: PlanDraft, registry: Registry) -> Iterator[tuple[str, str, str]]:
    """Yield (value, kind, label) of what could be a slot: whole values first, then parts of paths."""
    parts: list[tuple[str, str, str]] = []
    for step in (*draft.steps, *draft.cleanup):
        command = registry.command(step.tool, step.command)
        for name, param in step.params.items():
            if param.origin == "default" or isinstance(param.value, bool) or not isinstance(param.value, (str, int)):
                continue
            kind, value = command.kind(name), str(param.value)
            label = re.sub(r"\W+", "_", str(command.properties[name].get("title", name)).casefold()).split("_or_")[0]
            if kind in PATH_KINDS:
                parts.extend((part, "path", label if last else "folder") for part, last in _path_parts(value))
            if name != "command_line" and kind != "choice":
                yield value.rstrip("\n") if kind == "text" else value, kind, label if label.isidentifier() else "value"
    yield from parts


def _path_parts(path: str) -> Iterator[tuple[str, bool]]:
    """Yield each part of a path, and a part without its ending, with whether it is the last."""
    names = path.split("/")
    for number, part in enumerate(names, start=1):
        yield part, number == len(names)
        stem, dot, _ = part.rpartition(".")
        if stem and dot:
            yield stem, number == len(names)


def _place(text: Text, value: str, kind: str) -> tuple[int, int] | None:
    """Return the words of the goal that are the value, as (first, last exclusive)."""
    if not value.strip() or (kind != "text" and fold(value) in NOISE | FUNCTION_WORDS):
        return None
    for number, group in enumerate(text.groups):
        if text.raw[group.start : group.end] == value:
            return text.groups[number].first, text.groups[number].last
    for first, word in enumerate(text.words):
        if word.group < 0 and text.word_value(first).raw == value:
            return first, first + 1
        if kind == "text" and text.raw.startswith(value, word.outer_start) and word.group < 0:
            for last in range(first + 1, len(text.words) + 1):
                if text.value(first, last).raw == value:
                    return first, last
    return None


def _write(
    text: Text, draft: PlanDraft, slots: Sequence[_Slot], registry: Registry, beliefs: Sequence[Belief], name: str
) -> str:
    trigger = _trigger(text, slots)
    lines = [f"RULE {' '.join((name or _name(text, slots)).split())[:120]}", f"IF your task is to {trigger}"]
    for number, context in enumerate(_contexts(slots, draft, registry, beliefs)):
        lines.append(f"{'AND' if number else 'CONSIDERING'} {context}")
    lines.append("THEN:")
    for step in draft.steps:
        why = " ".join(step.justification.split()).lstrip("# ")
        lines += [f"  # {why}"] if why and why != "written by hand" else []
        lines.append(f"  {_said(step, slots, registry)}")
    if draft.cleanup:
        lines.append("ON FAILURE:")
        lines += [f"  {_said(step, slots, registry)}" for step in draft.cleanup]
    return "\n".join(lines) + "\n"


def _trigger(text: Text, slots: Sequence[_Slot]) -> str:
    starts = {slot.first: slot for slot in slots}
    first, end = spoken_part(text)
    words: list[str] = []
    at = first
    while at < end:
        if at in starts:
            words.append("{" + starts[at].name + "}")
            at = starts[at].last
            continue
        word = text.words[at].text
        if _PATTERN_SIGNS.search(word):
            raise NotGeneralisable(
                f"the goal holds “{word}”, whose brackets have a meaning in rules; write the rule by hand"
            )
        words.append("" if word in ("please", "kindly") else word)
        at += 1
    return " ".join(word for word in words if word)


def _name(text: Text, slots: Sequence[_Slot]) -> str:
    first, end = spoken_part(text)
    before = min((slot.first for slot in slots if slot.first > first), default=end)
    words = [word.text for word in text.words[first:before] if word.text not in ("please", "kindly")]
    while words and words[-1] in FUNCTION_WORDS | NOISE:
        words.pop()
    return " ".join(words[:12]) or "a new rule"


def _contexts(slots: Sequence[_Slot], draft: PlanDraft, registry: Registry, beliefs: Sequence[Belief]) -> Iterator[str]:
    """Yield what the beliefs said about the things that the slots name, and that steps stand on."""
    whole = _whole_values(draft, registry)
    for slot in slots:
        if slot.kind != "path" or slot.value not in whole:
            continue
        for what in ("no file or folder", "a folder", "a file"):
            sentence = f"there is {what} named {quote(slot.value)}"
            if any(entails(belief.sentence, sentence).answer == "yes" for belief in beliefs):
                yield f"there is {what} named {{{slot.name}}}"
                break


def _whole_values(draft: PlanDraft, registry: Registry) -> set[Any]:
    return {
        param.value
        for step in draft.steps
        for name, param in step.params.items()
        if registry.command(step.tool, step.command).kind(name) == "path"
    }


def _said(step: Step, slots: Sequence[_Slot], registry: Registry) -> str:
    command = registry.command(step.tool, step.command)
    defaults = command.defaults()
    said = {}
    for name, param in step.params.items():
        if name not in defaults or defaults[name] != param.value:
            said[name] = _spoken(command, name, param.value, slots)
    sentence = say_with(command, said)
    if sentence is None:
        raise NotGeneralisable(
            f"no phrase says {step.tool}.{step.command} with {', '.join(said)}; write the rule by hand"
        )
    return sentence


def _spoken(command: Command, name: str, value: Any, slots: Sequence[_Slot]) -> str:
    """Return a value as it stands in a rule's line, with slots where it repeats what the goal said."""
    plain = spoken(command, name, value)
    if isinstance(value, bool):
        return plain
    kind = command.kind(name)
    for slot in slots:
        if name != "command_line" and str(value) == slot.value:
            return "{" + slot.name + "}"
        if kind == "text" and name != "command_line" and str(value) == slot.value + "\n":
            return '"{' + slot.name + '}\\n"'
    paths = [slot for slot in slots if slot.kind in PATH_KINDS and _PLAIN_NAME.match(slot.value)]
    if kind in PATH_KINDS or name == "command_line":
        for slot in sorted(paths, key=lambda one: -len(one.value)):
            plain = re.sub(rf"(?<![\w.{{-]){re.escape(slot.value)}(?![\w-])(?!\}})", "{" + slot.name + "}", plain)
    return plain


def _reproduces(written: str, goal_text: str, draft: PlanDraft, registry: Registry, beliefs: Sequence[Belief]) -> bool:
    try:
        rules = parse(written)
    except RuleSyntaxError:
        return False
    if len(rules) != 1 or any(found.severity == "error" for found in lint(rules, registry)):
        return False
    again = plan(goal_text, [KnownRule(rules[0].name, "", "", rules[0])], beliefs, registry)
    if not isinstance(again, PlanDraft):
        return False
    return _plain(again.steps) == _plain(draft.steps) and _without_switch(again.cleanup) == _without_switch(
        draft.cleanup
    )


def _plain(steps: Sequence[Step]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(step.tool, step.command, step.values()) for step in steps]


def _without_switch(steps: Sequence[Step]) -> list[tuple[str, str, dict[str, Any]]]:
    return [step for step in _plain(steps) if step[1] != SWITCH]
