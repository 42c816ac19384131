"""What many_files, data_files and failing_scripts do in the jail, called here as the functions that they are."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.toolkit.data_files import inside as data
from agents.toolkit.failing import inside as failing
from agents.toolkit.failing import meanings
from agents.toolkit.many_files import inside as many


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refusal(answer: dict[str, Any]) -> str:
    assert answer.get("error_class") == "INVALID_PARAMETERS", answer
    return str(answer["reason"])


_CELLS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=12) | st.from_regex(
    r"-?[0-9]{1,4}(\.[0-9]{1,4})?", fullmatch=True
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(st.tuples(_CELLS, _CELLS), max_size=6))
def test_csv_becomes_json_and_csv_again_without_a_change(rows: list[tuple[str, str]]) -> None:
    for name in ("a.csv", "b.json", "c.csv"):
        Path(name).unlink(missing_ok=True)
    text = data._as_csv(["one", "two"], [{"one": one, "two": two} for one, two in rows])
    Path("a.csv").write_text(text, encoding="utf-8", newline="")
    assert "error_class" not in data.main({"do": "convert", "path": "a.csv", "to": "b.json"})
    assert len(json.loads(Path("b.json").read_text())) == len(rows)
    back = data.main({"do": "convert", "path": "b.json", "to": "c.csv"})
    assert back["rows"] == len(rows)
    if rows:  # a JSON list without an entry names no columns
        assert Path("c.csv").read_bytes() == text.encode()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a\0b", "binary"),
        ("näme\n".encode("latin-1"), "UTF-8"),
        (b"a,b\n1\n", "number of cells"),
        (b"", "empty"),
        (b"a,a\n1,2\n", "same name"),
    ],
)
def test_what_is_no_table_is_refused_with_the_reason(content: bytes, why: str) -> None:
    Path("t.csv").write_bytes(content)
    assert why in refusal(data.main({"do": "about", "path": "t.csv"}))


def test_a_table_that_is_too_large_and_a_link_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("t.csv").write_text("a\n1\n")
    Path("l.csv").symlink_to("t.csv")
    assert "no file" in refusal(data.main({"do": "about", "path": "l.csv"}))
    monkeypatch.setattr(data, "MOST_BYTES", 2)
    assert "larger" in refusal(data.main({"do": "about", "path": "t.csv"}))


@pytest.mark.parametrize("said", ["../x.txt", "/etc/passwd", "~/x", "link/x.txt", "gone.txt"])
def test_a_list_never_leads_out_of_the_folder(said: str, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "x.txt").write_text("x")
    Path("link").symlink_to(tmp_path / "real")
    assert refusal(many.main({"do": "details", "paths": said}))


def test_names_with_spaces_and_hyphens_first_are_only_names() -> None:
    for name in ("-rf.txt", "a b.txt"):
        Path(name).write_text("x")
    answer = many.main({"do": "archive_files", "paths": "-rf.txt\na b.txt", "to": "x.zip"})
    assert answer["files"] == 2
    assert "there already" in refusal(many.main({"do": "archive_files", "paths": "a b.txt", "to": "x.zip"}))


def test_replacing_keeps_every_other_byte() -> None:
    Path("a.txt").write_bytes("\ufeffone\r\ntwo\r\n".encode())
    assert many.main({"do": "replace_text", "path": "a.txt", "old": "two", "new": "2"})["replaced"] == 1
    assert Path("a.txt").read_bytes() == "\ufeffone\r\n2\r\n".encode()


def test_a_rename_never_takes_the_place_of_a_file() -> None:
    Path("a b.txt").write_text("1")
    Path("a_b.txt").write_text("2")
    assert "taken" in refusal(many.main({"do": "rename_part", "path": "a b.txt", "old": " ", "new": "_"}))
    assert Path("a_b.txt").read_text() == "2"


def test_why_a_script_fails_is_said_with_its_own_line() -> None:
    Path("a.py").write_text("import json\njson.loads('{')\n")
    answer = failing.main({"path": "a.py"})
    assert (answer["fails"], answer["file"], answer["line"]) == (True, "a.py", 2)
    assert "JSONDecodeError" in answer["error"]


def test_every_exception_of_python_has_a_meaning_in_plain_words() -> None:
    own = {name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, BaseException)}
    assert {name for name in own if not name.startswith("_")} - meanings.CLASSES.keys() == set()


@pytest.mark.parametrize(
    ("script", "means"),
    [
        ("x = None\nx.go()\n", "is None, which has no go"),
        ("print('a' + 1)\n", "turn it into a text with str()"),
        ("int('x')\n", "'x' is no whole number"),
        ("def f(a): pass\nf()\n", "called without 'a'"),
        ("a, b = [1]\n", "fewer values than names"),
        ("open('gone.csv')\n", "no file or folder gone.csv"),
        ("print((1, 2)\n", "never closed"),
        ("raise RuntimeError('no way')\n", "cannot go on"),
        ("def f():\n    f()\nf()\n", "calls itself without end"),
        ("{}['k']\n", "no entry 'k'"),
        ("import sys\nsys.exit('bye')\n", ""),
    ],
)
def test_an_error_is_explained_by_its_words_or_its_class(script: str, means: str) -> None:
    Path("a.py").write_text(script)
    answer = failing.main({"path": "a.py"})
    assert answer["fails"]
    assert means in answer["why"]
