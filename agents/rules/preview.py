"""What rules make of a goal while it is typed: which ones match, with which slots, and what is still missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.rules.bodies import slot_kinds
from agents.rules.grammar import Rule, Trigger
from agents.rules.selection import KnownRule, Relevant, SlotValue, relevant_rules
from agents.toolkit.registry import REGISTRY, Registry
from agents.toolkit.wording.slots import render
from agents.toolkit.wording.words import NOISE, fold, quote, read_text

MAX_PREVIEW_CHARS = 10_000
MIN_TYPED = 3


@dataclass(frozen=True)
class SlotField:
    """A slot as a form field; `value` is empty when the goal does not say it."""

    name: str
    kind: str
    value: str
    span: tuple[int, int] | None
    required: bool
    problem: str


@dataclass(frozen=True)
class Preview:
    """A rule beside a goal. `matches`: its trigger fits as it stands; else `missing` names what must still be said.

    `sentence` is the goal as the rule would like to hear it, open slots in braces.
    """

    known: KnownRule
    trigger: str
    matches: bool
    slots: tuple[SlotField, ...]
    missing: tuple[str, ...]
    problems: tuple[str, ...]
    sentence: str
    literal_words: int


def preview(goal_text: str, rules: Sequence[KnownRule], registry: Registry = REGISTRY, limit: int = 5) -> list[Preview]:
    """Return the rules that match the goal, most specific first, then those whose beginning it is, at most `limit`.

    Beliefs are not asked: whether a rule applies is decided when the goal is planned.
    """
    if not goal_text.strip() or len(goal_text) > MAX_PREVIEW_CHARS:
        return []
    every_rule = tuple(known.rule for known in rules)
    matching = relevant_rules(read_text(goal_text), rules, registry)
    matching.sort(key=lambda match: (-match.literal_words, -len(match.known.rule.contexts), match.known.name))
    found = [_matched(match, every_rule, registry) for match in matching]
    names = {match.known.name for match in matching}
    begun = [
        start
        for known in rules
        if known.name not in names and (start := _begun(goal_text, known, every_rule, registry))
    ]
    begun.sort(key=lambda start: (-start.literal_words, start.known.name))
    return (found + begun)[:limit]


def form(known: KnownRule, rules: Sequence[Rule], registry: Registry = REGISTRY) -> Preview:
    """Return a rule as an empty form, for a goal that is said by filling fields."""
    trigger = known.rule.triggers[0]
    return _open(known, trigger, tuple(rules), registry, 0)


def say_goal(trigger: str, values: dict[str, str]) -> str:
    """Return the goal text that the trigger matches with these slot values, as a form submits it."""
    said = render(trigger, {name: quote(value) if _needs_quotes(value) else value for name, value in values.items()})
    return said[:1].upper() + said[1:]


def _needs_quotes(value: str) -> bool:
    return quote(value) != value and not any(char in value for char in '"“”\n')


def _matched(match: Relevant, rules: tuple[Rule, ...], registry: Registry) -> Preview:
    kinds = slot_kinds(match.known.rule, rules, registry)
    template = match.trigger.template
    fields = tuple(
        _field(name, kinds[name], match.slots.get(name), name in template.required) for name in template.slots
    )
    missing = tuple(field.name for field in fields if field.required and not field.value)
    problems = tuple(field.problem for field in fields if field.problem)
    sentence = say_goal(match.trigger.text, match.values())
    return Preview(match.known, match.trigger.text, True, fields, missing, problems, sentence, match.literal_words)


def _field(name: str, kind: str, slot: SlotValue | None, required: bool) -> SlotField:
    if slot is None:
        return SlotField(name, kind, "", None, required, "")
    return SlotField(name, kind, slot.value, slot.span, required, slot.problem)


def _begun(goal_text: str, known: KnownRule, rules: tuple[Rule, ...], registry: Registry) -> Preview | None:
    """Return the wording that goes on from what was typed: most of its required words are in the goal already."""
    spoken = [word.text for word in read_text(goal_text).words]
    best: tuple[int, Trigger] | None = None
    for trigger in known.rule.triggers:
        shared = _shared(spoken, render(trigger.text, {}))
        if shared and (best is None or shared > best[0]):
            best = (shared, trigger)
    return _open(known, best[1], rules, registry, best[0]) if best else None


def _shared(spoken: list[str], said: str) -> int:
    """Count the words of a wording that the goal has; 0 unless the goal begins like it and has half of its words.

    While only the first words are typed, being their beginning is enough.
    """
    words = [folded for word in said.split() if not word.startswith("{") and (folded := fold(word)) not in NOISE]
    typed = [word for word in spoken if word not in NOISE]
    if not words or not typed or not words[0].startswith(typed[0]) or len("".join(typed)) < MIN_TYPED:
        return 0
    there = sum(1 for word in words if word in typed or (len(typed[-1]) > 1 and word.startswith(typed[-1])))
    beginning = all(word.startswith(part) for word, part in zip(words, typed, strict=False)) and len(typed) <= len(
        words
    )
    return there if beginning or there * 2 >= len(words) else 0


def _open(known: KnownRule, trigger: Trigger, rules: tuple[Rule, ...], registry: Registry, shared: int) -> Preview:
    kinds = slot_kinds(known.rule, rules, registry)
    template = trigger.template
    fields = tuple(_field(name, kinds[name], None, name in template.required) for name in template.slots)
    missing = tuple(field.name for field in fields if field.required)
    return Preview(known, trigger.text, False, fields, missing, (), say_goal(trigger.text, {}), shared)
