"""Canonical JSON after RFC 8785 (the JSON Canonicalization Scheme): equal values have equal bytes. Pure.

`rfc8785` writes it in Python, value by value. For all that our documents hold Python's own encoder in C writes the same
bytes in a third of the time; what it might write otherwise is left to `rfc8785`.
"""

from __future__ import annotations

import json
from typing import Any

import rfc8785

# Beyond it two whole numbers may be the same one as a double, which is what the RFC takes numbers for.
_MOST_WHOLE = 2**53 - 1
# Between these Python and ECMAScript both write the shortest digits without an exponent.
_LEAST_PLAIN, _MOST_PLAIN = 1e-4, 1e15
_encoded = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode


class _Unusual(Exception):
    """Something that the two encoders may write differently."""


def dumps(value: Any) -> bytes:
    """The canonical bytes of a value. Raises what `rfc8785.dumps` raises, a ValueError, for what JSON cannot hold."""
    try:
        return _encoded(_usual(value)).encode()
    except _Unusual:
        return rfc8785.dumps(value)


def _usual(value: Any) -> Any:
    """The value with its numbers as both encoders write them. Raises _Unusual."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is dict:
        # Keys are ordered by their UTF-16, which is the order of Python's strings where all of them are ASCII.
        if not all(type(key) is str and key.isascii() for key in value):
            raise _Unusual
        return {key: _usual(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_usual(item) for item in value]
    if kind is int and -_MOST_WHOLE <= value <= _MOST_WHOLE:
        return value
    if kind is float:
        return _number(value)
    raise _Unusual


def _number(value: float) -> int | float:
    if value.is_integer() and abs(value) <= _MOST_WHOLE:
        return int(value)  # the RFC has no 1.0, and no zero below zero
    if _LEAST_PLAIN <= abs(value) < _MOST_PLAIN:
        return value
    raise _Unusual
