"""Canonical JSON: the same bytes as those of the reference, whatever the value."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from agents.toolkit import canonical

_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=8)
_NUMBERS = st.one_of(
    st.integers(),
    st.integers(-(2**54), 2**54),
    st.floats(),
    st.floats(1e-7, 1e-3),
    st.floats(1e14, 1e22),
    st.floats(-100, 100),
    st.sampled_from(
        [2**53 - 1, 2**53, 1 - 2**53, -(2**53), 1e15, 1e16, 1e21, 1e-4, 1e-6, 1e-7, 0.1 + 0.2, -0.0, 5e-324]
    ),
)
_SCALARS = st.one_of(st.none(), st.booleans(), _NUMBERS, _TEXT)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.one_of(_TEXT, st.text(st.characters(max_codepoint=127), max_size=4)), inner, max_size=4),
    ),
    max_leaves=12,
)


class Colour(StrEnum):
    RED = "red"


def outcome(dumps: Any, value: Any) -> Any:
    """The bytes, or the kind of error."""
    try:
        return dumps(value)
    except ValueError as error:
        return type(error)


@given(_VALUES)
@example({"\ue000": 1, "\U0001f600": 2})
@example({"b": 1, "a": {"d": [1.0, 0.5], "c": '"\\\b\f\n\r\t\x00\x1f\x7f\u2028é\U0001f600'}})
@example({1: "a key that is no text"})
@example(Colour.RED)
@example({Colour.RED: Colour.RED})
@example({"of": {1, 2}})
def test_it_writes_what_the_reference_writes(value: Any) -> None:
    assert outcome(canonical.dumps, value) == outcome(rfc8785.dumps, value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_it_writes_each_number_as_the_reference_does(number: float) -> None:
    assert canonical.dumps([number]) == rfc8785.dumps([number])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, "\ud800", {"\ud800": 1}])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    assert issubclass(outcome(canonical.dumps, {"held": [value]}), ValueError)
