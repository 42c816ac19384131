"""The rules of a run: those of its environment and, where asked, those of the library; a part of them, kept as text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from agents.components import rules as library_rules
from agents.rules import grammar
from agents.rules.grammar import Rule
from agents.rules.printing import print_rule, print_rules
from agents.simulations.rule_files import part_of
from agents.simulations.worlds import World, WorldUnusable

# All rules of an environment and of the library; a text of people has far less.
_MOST_CHARS, _MOST_RULES = 2_000_000, 5_000
LIBRARY = "library"


@dataclass(frozen=True)
class Drawn:
    """The text that is followed, and for each rule its name, where it is from, its version there, and its digest."""

    text: str
    rules: list[dict[str, Any]]


def draw(world: World, share: int, *, with_library: bool) -> Drawn:
    """So many percent of the rules there are now. Raises WorldUnusable for rules of an environment that are faulty."""
    found: dict[str, tuple[Rule, str, str]] = {}
    for file in world.rules():
        for rule in _read(file.text, file.name):
            found.setdefault(rule.name, (rule, file.name, ""))
    for known in library_rules.known_rules() if with_library else ():
        # A rule of the environment knows it better than one of the same name that was written for files.
        found.setdefault(known.rule.name, (known.rule, LIBRARY, known.version))
    taken = part_of([rule for rule, _, _ in found.values()], share)
    told = [
        {"name": rule.name, "from": found[rule.name][1], "version": found[rule.name][2], "digest": _digest(rule)}
        for rule in taken
    ]
    return Drawn(print_rules(taken) if taken else "", told)


def read(text: str) -> list[Rule]:
    """The rules of a text that was drawn."""
    return _read(text, "the run") if text else []


def _read(text: str, name: str) -> list[Rule]:
    rules, errors = grammar.read(text, _MOST_CHARS, _MOST_RULES)
    if errors:
        raise WorldUnusable(f"The rules of {name} cannot be read: {errors[0]}")
    return rules


def _digest(rule: Rule) -> str:
    return hashlib.sha256(print_rule(rule).encode()).hexdigest()
