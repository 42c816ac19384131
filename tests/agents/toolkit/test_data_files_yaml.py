"""YAML in data_files: what is written is read back the same, and what could mislead is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.toolkit.data_files import inside as data
from agents.toolkit.data_files import yaml_text
from agents.toolkit.data_files.yaml_text import Written
from agents.toolkit.yaml_nodes import YamlFault


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refusal(answer: dict[str, Any]) -> str:
    assert answer.get("error_class") == "INVALID_PARAMETERS", answer
    return str(answer["reason"])


_MISLEADING = (
    "no",
    "on",
    "1.50",
    "010",
    "1:30",
    "2024-01-01",
    "~",
    "",
    "null",
    "a: b",
    "- x",
    "#c",
    "1e5",
    "true",
    "<<",
)
_TEXTS = st.sampled_from(_MISLEADING) | st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=12)
_NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?", fullmatch=True).map(Written)
_DATA = st.recursive(
    _TEXTS | _NUMBERS | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)


def _comparable(value: Any) -> Any:
    """Numbers by their size, apart from texts that look the same."""
    if isinstance(value, Written):
        return ("number", float(value))
    if isinstance(value, dict):
        return {name: _comparable(one) for name, one in value.items()}
    return [_comparable(one) for one in value] if isinstance(value, list) else value


@settings(max_examples=150)
@given(_DATA)
def test_what_is_written_as_yaml_is_read_back_the_same(value: Any) -> None:
    assert _comparable(yaml_text.load(yaml_text.dump(value))) == _comparable(value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(_DATA)
def test_json_becomes_yaml_and_json_again_without_another_value(value: Any) -> None:
    for name in ("a.json", "b.yaml", "c.json"):
        Path(name).unlink(missing_ok=True)
    Path("a.json").write_text(data._as_json(value), encoding="utf-8")
    for path, to in (("a.json", "b.yaml"), ("b.yaml", "c.json")):
        assert "error_class" not in data.main({"do": "convert", "path": path, "to": to})
    assert json.loads(Path("c.json").read_text()) == json.loads(Path("a.json").read_text())


def test_other_readers_of_yaml_find_the_same_in_what_is_written() -> None:
    value = {"no": Written("1.50"), "day": "2024-01-01", "list": [None, True, "no"], "power": Written("1e5")}
    assert yaml.safe_load(yaml_text.dump(value)) == {
        "no": 1.5,
        "day": "2024-01-01",
        "list": [None, True, "no"],
        "power": 100_000.0,
    }


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "twice"),
        ("a: &x [1]\nb: *x\n", 2, "aliases"),
        ("a: 1\nb: !!python/object/apply:os.system [ls]\n", 2, "tag"),
        ("a: 1\nb: !!binary aGk=\n", 2, "tag"),
        ("a: [1\nb: 2\n", 2, ""),
        ("a: 1\n---\nb: 2\n", 2, ""),
        ("? [1, 2]\n: 3\n", 1, "key"),
        ("[" * 3_000, 1, ""),
    ],
)
def test_what_could_mislead_is_refused_with_its_line(text: str, line: int, why: str) -> None:
    with pytest.raises(YamlFault) as refused:
        yaml_text.load(text)
    assert refused.value.line == line or text.startswith("[[")
    assert why in str(refused.value)


def test_a_table_becomes_yaml_and_the_other_way_round_with_its_numbers_as_written() -> None:
    Path("a.csv").write_text("name,price,zip\nann,1.50,01234\n")
    assert data.main({"do": "convert_beside", "path": "a.csv", "format": "yaml"})["path"] == "a.yaml"
    assert Path("a.yaml").read_text() == "- name: ann\n  price: 1.50\n  zip: '01234'\n"
    assert data.main({"do": "convert", "path": "a.yaml", "to": "b.csv"})["rows"] == 1
    assert Path("b.csv").read_text() == Path("a.csv").read_text()
    assert data.main({"do": "figure", "path": "a.yaml", "column": "price", "what": "sum"})["value"] == "1.50"


@pytest.mark.parametrize(
    ("entry", "value"),
    [("server.port", "8080"), ("SERVER.Port", "8080"), ("hosts.1.name", "b"), ("country", "no"), ("none", "null")],
)
def test_an_entry_is_found_by_the_way_to_it(entry: str, value: str) -> None:
    Path("c.yaml").write_text("server: {port: 8080}\nhosts: [{name: a}, {name: b}]\ncountry: no\nnone: ~\n")
    assert data.main({"do": "entry", "path": "c.yaml", "entry": entry})["value"] == value


@pytest.mark.parametrize(("entry", "why"), [("server.host", "port"), ("hosts.2", "a list of 2"), ("country.x", "one")])
def test_an_entry_that_is_not_there_is_refused_and_what_is_there_is_named(entry: str, why: str) -> None:
    Path("c.yaml").write_text("server: {port: 8080}\nhosts: [a, b]\ncountry: no\n")
    assert why in refusal(data.main({"do": "entry", "path": "c.yaml", "entry": entry}))


def test_what_cannot_be_read_is_an_answer_with_its_line() -> None:
    Path("c.yml").write_text("a: 1\n b: 2\n")
    Path("d.json").write_text('{"a": 1, "a": 2}')
    answer = data.main({"do": "check", "path": "c.yml"})
    assert answer["valid"] is False
    assert "line 2" in answer["why"]
    assert "twice" in data.main({"do": "check", "path": "d.json"})["why"]
    assert "no file" in refusal(data.main({"do": "check", "path": "gone.yaml"}))


def test_a_large_yaml_file_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("c.yaml").write_text("a: 1\n")
    monkeypatch.setattr(data, "MOST_YAML_BYTES", 2)
    assert "larger" in refusal(data.main({"do": "about", "path": "c.yaml"}))
