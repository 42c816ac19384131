"""YAML is read within bounds that hold while it is read."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agents.toolkit import yaml_nodes
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


@pytest.fixture(params=[True, False], ids=["in C", "in Python"])
def either_reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML with its reader in C, and without, as in the jail."""
    if not request.param:
        monkeypatch.delattr(yaml, "CSafeLoader")


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_what_is_nested_too_deeply_is_read_no_further(
    text: str, either_reader: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    came: list[object] = []
    parse = yaml.parse

    def counted(*given: object, **also: object) -> object:
        for event in parse(*given, **also):  # type: ignore[arg-type]  # as it was called
            came.append(event)
            yield event

    monkeypatch.setattr(yaml, "parse", counted)
    with pytest.raises(YamlFault, match="nested too deeply"):
        compose(text, most_depth=20)
    assert len(came) < 100


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
def test_each_fault_names_its_line(text: str, line: int, says: str, either_reader: None) -> None:
    with pytest.raises(YamlFault, match=says) as fault:
        compose(text, most_depth=20)
    assert fault.value.line == line


@given(st.text("ab1: -#'\"{}[]|>!&~\n\té.,?", max_size=60))
def test_the_nodes_are_those_that_pyyaml_composes(text: str) -> None:
    try:
        found = compose(text, most_depth=20)
    except YamlFault:
        return
    expected = yaml.compose(text, Loader=yaml.CSafeLoader)
    assert (found is None) == (expected is None)
    assert found is None or yaml.serialize(found) == yaml.serialize(expected)


def test_an_empty_text_is_none() -> None:
    assert compose("# nothing\n", most_depth=1) is None
    assert len(list(yaml_nodes.events("- 1\n---\n- 2\n", most_depth=1))) == 12
