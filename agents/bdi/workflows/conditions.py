"""The condition of a workflow's step as it is written: `{{tests.return_code}} == 0`, read into its three parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from agents.bdi.plans.conditions import holds
from agents.bdi.workflows.placeholders import Malformed, Placeholder, exact
from agents.toolkit.references import Reference

HOW = "Write it like {{tests.return_code}} == 0; the signs are ==, !=, <, <=, >, >= and contains"
_OPERATORS = {
    "==": "equals",
    "!=": "differs",
    "<=": "at_most",
    ">=": "at_least",
    "<": "less",
    ">": "more",
    "contains": "contains",
}
_WRITTEN = re.compile(r"\s*(\{\{[^{}]*\}\})\s*(==|!=|<=|>=|<|>|contains\b)\s*(.*?)\s*\Z", re.DOTALL)
_WORDS = {"true": True, "false": False, "null": None}
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?\Z")
_MOST = 1_000


class ConditionFault(ValueError):
    """The text is no condition; the message says what is wrong."""


@dataclass(frozen=True)
class Condition:
    """`operator` is one of agents.bdi.plans.conditions; `right` a value, or a placeholder of a parameter."""

    left: Placeholder
    operator: str
    right: Any


def read(text: str) -> Condition:
    """Read one condition. Raises ConditionFault."""
    found = _WRITTEN.match(text) if len(text) <= _MOST else None
    if found is None:
        raise ConditionFault("this is no condition")
    try:
        left, right = exact(found[1]), exact(found[3])
    except Malformed as wrong:
        raise ConditionFault(str(wrong)) from wrong
    if left is None or not found[3]:
        raise ConditionFault("this is no condition")
    if right is not None and not right.is_parameter:
        raise ConditionFault("the right side is a value or a parameter, never a result")
    return Condition(left, _OPERATORS[found[2]], right or literal(found[3]))


def literal(text: str) -> Any:
    """A value as it is written: a number, true, false, null, or a text with or without quotation marks."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    if text.casefold() in _WORDS:
        return _WORDS[text.casefold()]
    if _NUMBER.match(text):
        return float(text) if "." in text else int(text)
    return text


def holds_now(left: Any, operator: str, right: Any) -> bool:
    """Whether a condition on a value holds, by the rules of a step's condition; typed text counts as what it says."""
    own = literal(left) if isinstance(left, str) and not isinstance(right, str) else left
    reference = Reference(1, "value")
    return holds({"left": str(reference), "operator": operator, "value": right}, {1: {"value": own}})
