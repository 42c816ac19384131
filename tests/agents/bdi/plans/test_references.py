from __future__ import annotations

import pytest

from agents.bdi.plans.conditions import holds, say
from agents.toolkit.references import UnresolvedReference, embedded, is_reference, resolve, shifted

RESULTS = {1: {"return_code": 0, "stdout": "Python 3.11.2\n", "items": ["a", "b"], "ok": True}, 2: None}


def test_a_reference_fills_one_whole_parameter_with_the_value_as_it_is() -> None:
    params = {"content": "{{intents.1.result.stdout}}", "path": "x", "text": "see {{intents.1.result.stdout}}"}
    assert resolve(params, RESULTS) == {**params, "content": "Python 3.11.2\n"}
    assert resolve({"x": "{{ intents.1.result.items }}"}, RESULTS) == {"x": ["a", "b"]}


@pytest.mark.parametrize("value", ["{{intents.3.result.x}}", "{{intents.2.result.x}}", "{{intents.1.result.colour}}"])
def test_a_result_that_is_not_there_is_an_error_not_an_empty_text(value: str) -> None:
    with pytest.raises(UnresolvedReference):
        resolve({"x": value}, RESULTS)


def test_only_the_exact_form_is_a_reference() -> None:
    for value in (
        "{{intents.0.result.x}}",
        "{{intents.1.x}}",
        "{intents.1.result.x}",
        "{{intents.1.result.x}} ",
        7,
        None,
    ):
        assert is_reference(value) == (value == "{{intents.1.result.x}} ")
    assert embedded("a {{intents.1.result.x}}") == "{{intents.1.result.x}}"
    assert embedded("{{intents.1.result.x}}") is None


def test_references_move_with_their_steps() -> None:
    assert shifted("{{intents.1.result.x}}", {1: 4}) == "{{intents.4.result.x}}"
    assert shifted("text", {}) == "text"
    with pytest.raises(KeyError):
        shifted("{{intents.2.result.x}}", {1: 4})


@pytest.mark.parametrize(
    ("key", "operator", "value", "expected"),
    [
        ("return_code", "equals", 0, True),
        ("return_code", "equals", False, False),
        ("return_code", "differs", 1, True),
        ("ok", "equals", True, True),
        ("ok", "equals", 1, False),
        ("return_code", "less", 1, True),
        ("return_code", "at_least", 1, False),
        ("stdout", "more", 1, False),
        ("stdout", "contains", "3.11", True),
        ("items", "contains", "a", True),
        ("items", "contains", "c", False),
        ("return_code", "contains", "0", False),
    ],
)
def test_a_condition_holds_only_between_like_and_like(key: str, operator: str, value: object, expected: bool) -> None:
    condition = {"left": f"{{{{intents.1.result.{key}}}}}", "operator": operator, "value": value}
    assert holds(condition, RESULTS) is expected


def test_a_condition_on_a_missing_result_is_an_error_and_reads_as_english() -> None:
    condition = {"left": "{{intents.2.result.return_code}}", "operator": "equals", "value": 0}
    with pytest.raises(UnresolvedReference):
        holds(condition, RESULTS)
    assert say(condition) == "only if return_code of step 2 is 0"
    assert say({**condition, "value": True}) == "only if return_code of step 2 is true"
