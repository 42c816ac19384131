from __future__ import annotations

from typing import Any

import pytest

from agents.toolkit.schemas import JsonError, SchemaFault, check_schema, loads_strict, problems


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": []}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"command": "run", "command": "pip install httpx"}', "“command” stands twice"),
        ('{"a": [{"b": 1, "b": 2}]}', "“b” stands twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "-Infinity"),
        ('{"a": 1', "line 1"),
        ("", "line 1"),
        ('"\\ud800"', "half a character"),
        ('["a\\u0000b"]', "U\\+0000"),
        ('{"a\\u0000b": 1}', "U\\+0000"),
        (b"\xff", "not UTF-8"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5_000, "limit"),
        (" " * 4_000_001, "more than"),
    ],
)
def test_json_that_other_readers_let_pass_is_refused(text: str | bytes, words: str) -> None:
    with pytest.raises(JsonError, match=words):
        loads_strict(text)


def test_good_json_is_read_as_it_is() -> None:
    assert loads_strict('{"a": [1, 2.5, true, null, "é"]}') == {"a": [1, 2.5, True, None, "é"]}
    assert loads_strict(b"[]") == []
    assert loads_strict(r'["\\u0000"]') == [r"\u0000"], "a text that spells the escape out"


@pytest.mark.parametrize(
    ("faulty", "words"),
    [
        ({"type": "object", "properties": {}}, "additionalProperties"),
        ({"type": "string", "additionalProperties": False}, "type “object”"),
        (schema(a={"type": "strin"}), "2020-12"),
        (schema(a={}), "one type"),
        (schema(command={"type": "string"}), "may not be named “command”"),
        (schema(tool={"type": "string"}), "may not be named “tool”"),
        (schema(a={"type": "integer", "default": "x"}), "default of “a”"),
        (schema(a={"type": "string", "x-kind": "place"}), "x-kind"),
        (schema(a={"type": "integer", "x-kind": "path"}), "x-kind"),
        (schema(a={"type": "string", "x-kind": "path", "x-reference": True}), "may not take a reference"),
        (schema(command_line={"type": "string", "x-reference": True}), "may not take a reference"),
        (schema(host={"type": "string", "x-reference": True}), "may not take a reference"),
        (schema(a={"type": "string", "x-endings": [".zip"]}), "endings of “a”"),
        (schema(a={"type": "string", "x-kind": "path", "x-ending": True}), "“a” can only be an ending"),
        (schema(a={"type": "integer", "x-ending": True}), "“a” can only be an ending"),
        (schema(a={"type": "string", "x-kind": "path", "x-endings": "zip"}), "endings of “a”"),
        (schema(a={"type": "string", "x-column-of": "b"}), "column of “b”"),
        ({**schema(), "required": ["a"]}, "required but not described: a"),
    ],
)
def test_a_schema_that_does_not_fit_is_refused_with_its_reason(faulty: dict[str, Any], words: str) -> None:
    with pytest.raises(SchemaFault, match=words):
        check_schema(faulty)


def test_problems_are_said_in_words_and_name_the_field() -> None:
    described = schema(
        n={"type": "integer", "minimum": 1, "maximum": 9},
        s={"type": "string", "minLength": 1},
        m={"type": "string", "enum": ["a", "b"]},
    )
    described["required"] = ["n", "s"]
    assert problems(described, {"n": 0, "x": 1, "m": "c"}) == [
        ("m", "must be one of a, b"),
        ("n", "must be at least 1"),
        ("s", "is missing; fill it in"),
        ("x", "is not a field of this command; it takes n, s, m"),
    ]
    assert problems(described, {"n": 10, "s": ""}) == [("n", "must be at most 9"), ("s", "must not be empty")]
    assert problems(described, {"n": True, "s": 5}) == [
        ("n", "must be of type integer"),
        ("s", "must be of type string"),
    ]
    assert problems(described, {}, partial=True) == []
