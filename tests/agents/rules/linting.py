"""A rule text linted as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from agents.rules.grammar import read
from agents.rules.linter import LintProblem, lint
from agents.toolkit.registry import Registry


def lint_text(text: str, registry: Registry, known_triggers: Sequence[str] = ()) -> list[LintProblem]:
    """Return the problems of a rule text, faults of the language included, by line."""
    rules, errors = read(text)
    syntax = [LintProblem("", error.line, error.code, "error", error.message) for error in errors]
    return sorted([*syntax, *lint(rules, registry, known_triggers)], key=lambda found: (found.line, found.code))
