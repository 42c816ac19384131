"""YAML is read within bounds that hold while it is read."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agents.toolkit import strict_yaml, yaml_nodes
from agents.toolkit.yaml_nodes import YamlFault, compose

DEEP = {
    "brackets": "[" * 50_000,
    "closed": "[" * 50_000 + "]" * 50_000,
    "on lines": "[\n" * 50_000,
    "braces": "{a: " * 25_000,
    "dashes": "- " * 50_000,
    "keys": "? " * 50_000,
    "indented": "\n".join(f"{' ' * depth}a:" for depth in range(400)),
}


@pytest.mark.parametrize("in_c", [True, False])
@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_what_is_nested_too_deeply_is_read_no_further(text: str, in_c: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    came: list[object] = []
    parse = yaml.parse

    def counted(*given: object, **also: object) -> object:
        for event in parse(*given, **also):  # type: ignore[arg-type]  # as it was called
            came.append(event)
            yield event

    monkeypatch.setattr(yaml, "parse", counted)
    with pytest.raises(YamlFault, match="nested too deeply"):
        list(yaml_nodes.events(text, most_depth=20, in_c=in_c))
    assert len(came) < 100


def test_more_values_than_a_text_may_have_are_not_read() -> None:
    assert compose("[a, {b: c}]", most_depth=2, most_values=5) is not None
    with pytest.raises(YamlFault, match="more than 4 values"):
        compose("[a, {b: c}]", most_depth=2, most_values=4)
    with pytest.raises(YamlFault, match="values"):
        strict_yaml.load("[" + "a," * 30_000 + "]")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a: 1\n---\nb: 2", 2, "another document"),
        ("a: &x 1\nb: *x", 2, "aliases"),
        ("a: [1\nb: 2", 2, "expected"),
        ("a: \ud800", 1, "what no text has"),
        ("a: \x07", 1, "not allowed"),
    ],
)
def test_each_fault_names_its_line(text: str, line: int, says: str) -> None:
    with pytest.raises(YamlFault, match=says) as fault:
        compose(text, most_depth=20)
    assert fault.value.line == line


@given(st.text("ab1: -#'\"{}[]|>!&~\n\té.,?", max_size=60))
def test_the_nodes_are_those_that_pyyaml_composes(text: str) -> None:
    try:
        found = compose(text, most_depth=20)
    except YamlFault:
        return
    expected = yaml.compose(text, Loader=yaml.SafeLoader)
    assert (found is None) == (expected is None)
    assert found is None or yaml.serialize(found) == yaml.serialize(expected)


def test_an_empty_text_is_none() -> None:
    assert compose("# nothing\n", most_depth=1) is None
    assert len(list(yaml_nodes.events("- 1\n---\n- 2\n", most_depth=1))) == 12
