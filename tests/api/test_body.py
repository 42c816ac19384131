"""Reading JSON strictly, value by value; what all operations get stands on this."""

from __future__ import annotations

import json
import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindx_web.api.protocol.body import read_json
from mindx_web.api.protocol.problems import Problem

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


@pytest.mark.parametrize("depth", [101, 900, 100_000])
def test_what_is_nested_deeper_than_a_hundred_is_refused(depth: int) -> None:
    with pytest.raises(Problem) as refused:
        read_json(b"[" * depth + b"1" + b"]" * depth)
    assert (refused.value.status, refused.value.detail) == (400, "The body is nested too deeply.")


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"k" * 20_000: [0] * 20_000}).encode(),
        json.dumps([{"k" * 200: {"k" * 200: [0.5] * 5_000}}] * 10).encode(),
        b'{"' + b"k" * 500 + b'":[' + b"[" * 90 + b"1" + b"]" * 90 + b"]}",
    ],
)
def test_long_names_of_many_values_take_no_more_memory_than_the_body_is_worth(body: bytes) -> None:
    tracemalloc.start()
    try:
        read_json(body)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 40 * len(body) + 1_000_000


def test_one_double_key_among_many_is_found_at_once() -> None:
    body = "{" + ",".join(f'"{number}":1' for number in range(30_000)) + ',"29999":1}'
    began = time.process_time()
    with pytest.raises(Problem, match='"29999" stands twice'):
        read_json(body.encode())
    # Compared with each other it is 13 s of processor time, seen one by one 0.03.
    assert time.process_time() - began < 4


def test_a_double_key_is_named_without_repeating_it_raw() -> None:
    with pytest.raises(Problem) as refused:
        read_json('{"\u202ea": 1, "\u202ea": 2}'.encode())
    assert refused.value.status == 400
    assert "\u202e" not in refused.value.detail
