"""Reading JSON strictly, value by value; what all operations get stands on this."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindx_web.api.body import read_json
from mindx_web.api.problems import Problem

texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"))
numbers = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
plain = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=20,
)


@given(plain)
def test_what_can_be_stored_is_read_as_json_reads_it(value: Any) -> None:
    assert read_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"steps": [{"params": {"content": "a\\u0000b"}}]}', "steps.0.params.content"),
        (b'{"params": {"a\\u0000b": 1}}', "params"),
        (b'{"n": 9007199254740992}', "n"),
        (b'{"n": [1, -9007199254740992]}', "n.1"),
        (b'{"n": 1e400}', "n"),
        (b'{"n": -1e400}', "n"),
        (b'{"text": "\\ud800"}', ""),
        (b'{"\\udfff": 1}', ""),
    ],
)
def test_a_value_that_could_not_be_stored_is_refused_at_its_place(body: bytes, field: str) -> None:
    with pytest.raises(Problem) as refused:
        read_json(body)
    assert refused.value.status == 422
    assert [error.field for error in refused.value.errors] == [field]


def test_depth_exhausts_nothing() -> None:
    deep = b"[" * 900 + b'"\\u0000"' + b"]" * 900
    with pytest.raises(Problem) as refused:
        read_json(deep)
    assert refused.value.status in {400, 422}


def test_a_double_key_is_named_without_repeating_it_raw() -> None:
    with pytest.raises(Problem) as refused:
        read_json('{"\u202ea": 1, "\u202ea": 2}'.encode())
    assert refused.value.status == 400
    assert "\u202e" not in refused.value.detail
