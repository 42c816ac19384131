from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agents.toolkit.plainly import Plainly

NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.one_of(
    st.sampled_from(["", "a", "ab", "abc", "1", 0, 1, 2, 3, 1.0, 2.5, True, False, None]), st.lists(st.just("a"))
)
STRINGS = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "minLength": st.integers(0, 3),
        "maxLength": st.integers(0, 3),
        "pattern": st.sampled_from(["^a", "b$", "[0-9]"]),
        "enum": st.sampled_from([["a", "abc"], ["1", 1]]),
        "const": st.just("ab"),
        "title": st.just("A"),
        "x-kind": st.just("path"),
    },
)
INTEGERS = st.fixed_dictionaries(
    {"type": st.just("integer")},
    optional={"minimum": st.integers(0, 3), "maximum": st.integers(0, 3), "multipleOf": st.just(2)},
)
OTHERS = st.sampled_from(
    [{"type": "boolean"}, {"type": "array", "maxItems": 1}, {"type": "number"}, {"type": ["string", "null"]}, {}]
)
SCHEMAS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["object", "object", "object", "array"]),
        "additionalProperties": st.booleans(),
        "properties": st.dictionaries(NAMES, st.one_of(STRINGS, INTEGERS, OTHERS)),
        "required": st.lists(NAMES, unique=True, max_size=1),
    },
    optional={"minProperties": st.just(2), "dependentRequired": st.just({"a": ["b"]}), "title": st.just("T")},
)


@given(schema=SCHEMAS, values=st.dictionaries(NAMES, VALUES))
def test_what_fits_at_a_quick_look_fits(schema: dict[str, Any], values: dict[str, Any]) -> None:
    if Plainly(schema).fits(values):
        assert Draft202012Validator(schema).is_valid(values)


@pytest.mark.parametrize(
    ("described", "fitting", "unfitting"),
    [
        ({"type": "string", "minLength": 1, "maxLength": 3}, ["a", "abc"], ["", "abcd", 1, None]),
        ({"type": "string", "pattern": "^[a-z]+$", "x-kind": "name"}, ["ab"], ["AB"]),
        ({"type": "string", "enum": ["a", "b"], "default": "a"}, ["a", "b"], ["c"]),
        ({"type": "integer", "minimum": 1, "maximum": 9, "title": "How many"}, [1, 9], [0, 10, True, 1.0, "1"]),
        ({"type": "boolean"}, [True, False], [0, 1, "true"]),
    ],
)
def test_a_quick_look_knows_what_most_commands_ask_for(
    described: dict[str, Any], fitting: list[Any], unfitting: list[Any]
) -> None:
    plainly = Plainly(
        {"type": "object", "additionalProperties": False, "properties": {"a": described}, "required": ["a"]}
    )
    assert all(plainly.fits({"a": value}) for value in fitting)
    assert not any(plainly.fits({"a": value}) for value in unfitting)
    assert not plainly.fits({})
    assert not plainly.fits({"a": fitting[0], "b": 1})
