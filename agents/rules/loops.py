"""Sub-goals that lead back to the rule that they are for."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import lru_cache

from agents.rules.bodies import as_task, with_subgoals
from agents.rules.grammar import BodyLine, Rule
from agents.toolkit.registry import Registry


def loop_of(rule: Rule, line: BodyLine, rules: tuple[Rule, ...], registry: Registry) -> tuple[str, ...]:
    """Return the names of the rules through which a sub-goal of the rule may need the rule again; the shortest way.

    Empty when there is none. Contexts are not asked, which may keep a plan from going round.
    """
    seen: set[str] = set()
    ways: deque[tuple[Rule, tuple[str, ...]]] = deque((one, (one.name,)) for one in _serving(line.text, rules))
    while ways:
        at, way = ways.popleft()
        if at.name in seen:
            continue
        seen.add(at.name)
        for other in _needed(at, rules, registry):
            if other.name == rule.name:
                return way
            ways.append((other, (*way, other.name)))
    return ()


def _needed(rule: Rule, rules: tuple[Rule, ...], registry: Registry) -> Iterator[Rule]:
    for line in with_subgoals(rule, rules, registry).body:
        if line.subgoal:
            yield from _serving(line.text, rules)


@lru_cache(maxsize=4_096)
def _serving(line: str, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The rules that are about a sub-goal."""
    text, _ = as_task(line)
    return tuple(rule for rule in rules if any(trigger.template.match(text) for trigger in rule.triggers))
