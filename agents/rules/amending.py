"""A rule's text with one thing changed, as a proposal to be read: a further condition, another value in a step. Pure.

What comes out is read again and compared: a text in which anything else would change is no proposal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.rules import grammar
from agents.rules.grammar import Rule, RuleSyntaxError

_BEHIND_CONTEXTS = re.compile(r"\b(?:CONSIDERING|AND|UNLESS|THEN)\b")


def with_context(text: str, context: str) -> str | None:
    """The text of one rule with a further condition behind its others; None where there is no place for it."""
    before = _read(text)
    if before is None:
        return None
    wanted = sorted([*map(str, before.contexts), context])
    for found in reversed(list(_BEHIND_CONTEXTS.finditer(text))):
        for keyword in ("AND", "CONSIDERING"):
            made = _put(text, found.start(), f"{keyword} {context}")
            after = _read(made)
            if after is not None and sorted(map(str, after.contexts)) == wanted and _rest(after) == _rest(before):
                return made
    return None


def with_value(text: str, old: str, new: str) -> str | None:
    """The text of one rule with another value in one of its steps; None where the old one stands not exactly once."""
    before = _read(text)
    if before is None or not old:
        return None
    made = [one for one in _replaced(text, old, new) if _changes_one_step(before, one)]
    return made[0] if len(made) == 1 else None


def _put(text: str, at: int, line: str) -> str:
    ahead = text[:at]
    gap = "" if not ahead or ahead.endswith("\n") else "\n"
    return f"{ahead.rstrip(' ') if gap else ahead}{gap}{line}\n{text[at:]}"


def _replaced(text: str, old: str, new: str) -> Iterator[str]:
    for found in re.finditer(rf"(?<![\w./-]){re.escape(old)}(?![\w/-])", text):
        yield text[: found.start()] + new + text[found.end() :]


def _changes_one_step(before: Rule, text: str) -> bool:
    after = _read(text)
    if after is None or (after.name, _said(after)) != (before.name, _said(before)):
        return False
    steps, others = [[one.text for one in (*rule.body, *rule.on_failure)] for rule in (before, after)]
    return len(steps) == len(others) and sum(one != other for one, other in zip(steps, others, strict=True)) == 1


def _said(rule: Rule) -> tuple[list[str], list[str]]:
    return [one.text for one in rule.triggers], [str(one) for one in rule.contexts]


def _rest(rule: Rule) -> object:
    return rule.name, rule.priority, [one.text for one in rule.triggers], [
        [(str(one), one.why) for one in lines] for lines in (rule.body, rule.on_failure)
    ]  # fmt: skip


def _read(text: str) -> Rule | None:
    try:
        found = grammar.parse(text)
    except RuleSyntaxError:
        return None
    return found[0] if len(found) == 1 else None
