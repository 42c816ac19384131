"""The parts of what looks at code, outside of any jail."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.analysis.inside import markdown, oldest, placing, ruff, severity, telling, walking


@pytest.mark.parametrize(
    ("said", "word"),
    [
        (">=3.9,<4", "py39"),
        ("~=3.11", "py311"),
        (">=3", "py37"),
        (">3.6", "py37"),
        ("==3.10.*", "py310"),
        (">=3.99", "py314"),
        ("whatever", "py37"),
    ],
)
def test_the_oldest_python_of_a_specifier(said: str, word: str) -> None:
    assert oldest.of_specifier(said) == word


def test_the_oldest_python_is_read_from_the_nearest_file_and_nothing_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a" / "src").mkdir(parents=True)
    assert oldest.target("a/src") == ""
    (tmp_path / "setup.py").write_text("raise SystemExit\nsetup(python_requires='>=3.8')\n")
    assert oldest.target("a/src") == "py38"
    (tmp_path / "a" / "setup.cfg").write_text("[options]\npython_requires = >=3.10\n")
    assert oldest.target("a/src") == "py310"
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nrequires-python = '>=3.12'\n")
    assert oldest.target("a/src") == "py312"
    (tmp_path / "a" / "pyproject.toml").unlink()
    (tmp_path / "a" / "pyproject.toml").symlink_to("/etc/hostname")
    assert oldest.target("a/src") == "py310"


@given(st.text(max_size=400))
def test_foreign_text_stays_on_its_line_and_within_its_cell(said: str) -> None:
    for put in (markdown.text(said), markdown.code(said), telling.shown(said)):
        assert "\n" not in put
        assert put.isprintable() or put == ""
    assert "|" not in markdown.text(said).replace("\\|", "")
    ticks = len(markdown.code(said)) - len(markdown.code(said).lstrip("`"))
    assert "`" * ticks not in markdown.code(said)[ticks:-ticks]


def test_an_address_can_neither_end_its_link_nor_lead_to_another_scheme() -> None:
    assert markdown.address("javascript:alert(1)).md", "L3") == "javascript%3Aalert%281%29%29.md#L3"
    assert markdown.address("a b/c\nd.md") == "a%20b/c%0Ad.md"


def test_a_finding_belongs_to_the_most_exact_part() -> None:
    def part(code: str) -> str:
        return ruff.Finding("a.py", 1, code, "", "").part

    assert [part(code) for code in ("F401", "E741", "E902", "UP034", "invalid-syntax")] == [
        "faults", "style", "faults", "old", "faults"
    ]  # fmt: skip
    assert [severity.severity(code) for code in ("S602", "S101", "S999")] == ["high", "low", "medium"]


def test_what_is_foreign_is_counted_and_not_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("a.py", "node_modules/x.js", "env/pyvenv.cfg", "env/lib/b.py", "tests/test_a.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x = 1\n")
    os.mkfifo(tmp_path / "pipe.py")
    left_out = walking.LeftOut()
    found = list(walking.sources("", left_out))
    assert [(source.path, source.is_test) for source in found] == [("a.py", False), ("tests/test_a.py", True)]
    assert left_out.counts == {
        "folders that programs made": 1, "virtual environments": 1, "neither files nor folders": 1
    }  # fmt: skip
    monkeypatch.setattr(walking, "MOST_FILES", 1)
    assert [source.path for source in walking.sources("", left_out)] == ["a.py"]
    assert left_out.counts["more than is looked at in one go"] == 1


def test_a_file_is_put_whole_and_only_where_no_link_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    placing.put("a/b/c.txt", b"one")
    (tmp_path / "a" / "b" / "c.txt").chmod(0o600)
    placing.put("a/b/c.txt", b"two")
    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == b"two"
    assert (tmp_path / "a" / "b" / "c.txt").stat().st_mode & 0o777 == 0o600
    (tmp_path / "out").symlink_to("/tmp")
    os.link(tmp_path / "a" / "b" / "c.txt", tmp_path / "second")
    for path in ("../x", "out/x", "a/b", "second", "a/b/c.txt/d", ".."):
        with pytest.raises(placing.NotPlaced):
            placing.put(path, b"three")
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["c.txt"]
