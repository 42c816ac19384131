"""Re-extraction of parameters: what the goal's own words say about a step whose parameters were wrong."""

from __future__ import annotations

import re

from agents.bdi import simplifying
from agents.bdi.document import IntentSpec
from agents.bdi.failures import Failure
from agents.bdi.validation import validate_values
from agents.models import Goal
from agents.toolkit import phrases
from agents.toolkit.registry import REGISTRY, UnknownTool

_CLAUSES = re.compile(r"\s*(?:[,;.]\s+|\bthen\b|\band\b)\s*", re.IGNORECASE)


def other_values(goal: Goal, step: IntentSpec, failure: Failure) -> IntentSpec | None:
    """The step with the values that the goal names for it, when these are others and fit the command; else None."""
    try:
        command = REGISTRY.command(step.tool, step.command)
    except UnknownTool:
        return None
    for clause in [goal.text, *_CLAUSES.split(goal.text)]:
        try:
            named, values = phrases.read(clause.strip(), REGISTRY)
        except phrases.PhraseError:
            continue
        is_other = any(step.params.get(name) != value for name, value in values.items())
        if named is command and is_other and not validate_values(command, {**step.params, **values}, ""):
            note = f"read again from the goal, because it failed: {failure.reason[:200]}"
            return simplifying.fixed(step, values, "explicit", note)
    return None
