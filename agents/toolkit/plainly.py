"""A quick look whether values fit a command's schema: the check before every step, which nearly always finds nothing.

It answers yes only where each keyword of the schema that could say otherwise is one of those below, with the meaning
that JSON Schema 2020-12 gives it. In every other case nothing is said: the full validator answers, and names what is
wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

# Of the keywords that demand something; those beside them (title, default, x-kind …) only describe.
_DESCRIBE = frozenset({"title", "description", "default", "examples"})
_OF_AN_OBJECT = frozenset({"type", "properties", "required", "additionalProperties"})
_TYPES: Mapping[str, type] = {"string": str, "integer": int, "boolean": bool}

_Demand = Callable[[Any], bool]
_DEMANDS: Mapping[tuple[str, str], Callable[[Any], _Demand]] = {
    ("string", "minLength"): lambda bound: lambda value: len(value) >= bound,
    ("string", "maxLength"): lambda bound: lambda value: len(value) <= bound,
    ("string", "pattern"): lambda pattern: lambda value: re.search(pattern, value) is not None,
    ("string", "enum"): lambda allowed: lambda value: value in allowed,
    ("integer", "minimum"): lambda bound: lambda value: value >= bound,
    ("integer", "maximum"): lambda bound: lambda value: value <= bound,
}


class Plainly:
    """What is plain of one schema, of an object that takes no other fields than those it describes."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._required = frozenset(schema.get("required", ()))
        described: Mapping[str, Any] = schema.get("properties", {})
        self._plain = {name: plain for name, one in described.items() if (plain := _plain(one)) is not None}
        self._is_known = schema.get("type") == "object" and schema.keys() <= _OF_AN_OBJECT | _DESCRIBE

    def fits(self, values: Mapping[str, Any]) -> bool:
        """Whether the values fit for certain; False says nothing."""
        return (
            self._is_known
            and self._required <= values.keys()
            and all(name in self._plain and _is_so(self._plain[name], value) for name, value in values.items())
        )


def _plain(described: Mapping[str, Any]) -> tuple[type, tuple[_Demand, ...]] | None:
    """The type and the demands on a value; None where a keyword is not among those above."""
    kind = described.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        return None
    demands = []
    for keyword, wanted in described.items():
        if keyword == "type" or keyword in _DESCRIBE or keyword.startswith("x-"):
            continue
        demand = _DEMANDS.get((kind, keyword))
        if demand is None:
            return None
        demands.append(demand(wanted))
    return _TYPES[kind], tuple(demands)


def _is_so(plain: tuple[type, tuple[_Demand, ...]], value: Any) -> bool:
    kind, demands = plain
    # The type itself: True is an int for Python, and no integer for JSON.
    return type(value) is kind and all(demand(value) for demand in demands)
