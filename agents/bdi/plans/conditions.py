"""Conditions of steps: an earlier result compared with a literal. What does not hold skips the step, it does not fail
it.

{"left": "{{intents.2.result.return_code}}", "operator": "equals", "value": 0}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from agents.toolkit.references import Reference, UnresolvedReference, parse_reference

FIELDS = ("left", "operator", "value")
_WORDS = {
    "equals": "is",
    "differs": "is not",
    "less": "is less than",
    "at_most": "is at most",
    "more": "is more than",
    "at_least": "is at least",
    "contains": "contains",
}
_NUMERIC: Mapping[str, Callable[[float, float], bool]] = {
    "less": lambda a, b: a < b,
    "at_most": lambda a, b: a <= b,
    "more": lambda a, b: a > b,
    "at_least": lambda a, b: a >= b,
}
OPERATORS = tuple(_WORDS)


def condition_problem(condition: object) -> tuple[str, str] | None:
    """Return (code, message) for what is wrong with the shape of a condition, or None."""
    if not isinstance(condition, Mapping) or set(condition) != set(FIELDS):
        return "condition_shape", f"A condition has exactly the fields {', '.join(FIELDS)}."
    if parse_reference(condition["left"]) is None:
        return "condition_left", "The left side is one reference, {{intents.N.result.KEY}}."
    operator, value = condition["operator"], condition["value"]
    if operator not in OPERATORS:
        return "condition_operator", f"The operator is one of {', '.join(OPERATORS)}."
    if value is not None and not isinstance(value, (str, int, float, bool)):
        return "condition_value", "The value is a text, a number, true, false or null."
    if isinstance(value, str) and ("{{" in value or len(value) > 10_000):
        return "condition_value", "The value is a short literal, never a reference."
    if operator in _NUMERIC and (isinstance(value, bool) or not isinstance(value, (int, float))):
        return "condition_value", f"“{operator}” compares numbers; give a number."
    if operator == "contains" and not isinstance(value, str):
        return "condition_value", "“contains” looks for a text; give one."
    return None


def reference_of(condition: Mapping[str, Any]) -> Reference | None:
    """Return the result that a condition reads."""
    return parse_reference(condition.get("left"))


def holds(condition: Mapping[str, Any], results: Mapping[int, Mapping[str, Any] | None]) -> bool:
    """Say whether a valid condition holds for the results so far (position → result).

    Values of different types differ; a comparison of numbers with something else does not hold. Raises
    UnresolvedReference when the result it reads is not there.
    """
    reference = reference_of(condition)
    result = results.get(reference.position) if reference else None
    if reference is None or result is None or reference.key not in result:
        raise UnresolvedReference(f"the condition reads {condition.get('left')}, which is not there")
    left, operator, right = result[reference.key], condition["operator"], condition["value"]
    if operator in ("equals", "differs"):
        return _same(left, right) is bool(operator == "equals")
    if operator == "contains":
        return (isinstance(left, str) and right in left) or (isinstance(left, list) and right in left)
    numbers = all(isinstance(side, (int, float)) and not isinstance(side, bool) for side in (left, right))
    return numbers and bool(_NUMERIC[operator](left, right))


def _same(left: Any, right: Any) -> bool:
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def say(condition: Mapping[str, Any]) -> str:
    """Return a condition as English: only if return_code of step 2 is 0."""
    reference = reference_of(condition)
    where = f"{reference.key} of step {reference.position}" if reference else "?"
    value = condition["value"]
    literal = f"“{value}”" if isinstance(value, str) else json.dumps(value)
    return f"only if {where} {_WORDS[condition['operator']]} {literal}"
