"""Printing rules in one canonical form: what is read from it is what was printed, up to line numbers and source.

Two texts say the same rule exactly when they are printed the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agents.rules.grammar import BodyLine, Rule

SEPARATOR = "--\n"


def print_rules(rules: Iterable[Rule]) -> str:
    """Return the text of the rules, in their order, parted by lines `--`.

    Comments without a step stand above their rule. A text may come out longer than it was, so that one at the very
    limit of `grammar.read` can be too long to be read again.
    """
    return SEPARATOR.join(map(print_rule, rules))


def print_rule(rule: Rule) -> str:
    """Return the text of one rule. It ends with a line break."""
    return "".join(f"{line}\n" for line in _lines(rule))


def _lines(rule: Rule) -> Iterator[str]:
    for comment in rule.comments:
        yield f"# {comment}"
    first, *others = rule.triggers
    if rule.name != first.text:
        yield f"RULE {rule.name}"
    if rule.priority:
        yield f"PRIORITY {rule.priority}"
    yield f"IF your task is to {first.text}"
    for trigger in others:
        yield f"OR your task is to {trigger.text}"
    for number, context in enumerate(rule.contexts):
        yield f"{'AND' if number else 'CONSIDERING'} {context}"
    yield "THEN:"
    yield from _body(rule.body)
    if rule.on_failure:
        yield "ON FAILURE:"
        yield from _body(rule.on_failure)


def _body(lines: Iterable[BodyLine]) -> Iterator[str]:
    for line in lines:
        if line.why:
            yield f"  # {line.why}"
        yield f"  {line}"
